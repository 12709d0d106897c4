import { formatDuration } from "#core/time/format-duration.ts";
import type { Alert, Blueprint, ConfigurationBucket } from "./blueprint.ts";
import { type BlueprintChange, compareAccess, compareText, type Thing, thing } from "./blueprint-change.ts";
import { diffInputs } from "./diff-fields.ts";
import { diffCommands, diffProperties, diffTelemetry } from "./diff-named.ts";

export interface BlueprintDiff {
  /** Breaking ones first, otherwise in the order of the manifest. */
  readonly changes: readonly BlueprintChange[];
  readonly isBreaking: boolean;
}

/** What a device's users will notice when NEW takes the place of OLD. History is kept either way. */
export function diffBlueprints(old: Blueprint, next: Blueprint): BlueprintDiff {
  const changes = [
    ...diffDevice(old, next),
    ...diffProperties([old.properties, next.properties]),
    ...diffTelemetry([old.telemetry, next.telemetry]),
    ...diffCommands([old.commands, next.commands]),
    ...diffGroups(old, next),
    ...diffAlerts(old, next),
    ...diffConfiguration(old, next),
    ...diffUnits(old, next),
  ];
  const breaking = changes.filter((change) => change.breaking);
  return {
    changes: [...breaking, ...changes.filter((change) => !change.breaking)],
    isBreaking: breaking.length > 0,
  };
}

function diffDevice(old: Blueprint, next: Blueprint): readonly BlueprintChange[] {
  const device = thing("Device");
  const changes: BlueprintChange[] = [];
  const profiles = [old, next].map((one) => [...one.implements, ...one.implementsDraft]);
  const [before = [], after = []] = profiles;
  for (const profile of before.filter((one) => !after.includes(one))) {
    const message = `Device: no longer implements ${profile}.`;
    changes.push({ kind: "removed", path: "/implements", breaking: true, message });
  }
  for (const profile of after.filter((one) => !before.includes(one))) {
    const message = `Device: implements ${profile}.`;
    changes.push({ kind: "added", path: "/implements", breaking: false, message });
  }
  if (old.runtime.type !== next.runtime.type) {
    const message = `Device: runtime changed from ${old.runtime.type} to ${next.runtime.type}.`;
    changes.push({ kind: "changed", path: "/runtime/type", breaking: true, message });
  } else if (JSON.stringify(old.runtime) !== JSON.stringify(next.runtime)) {
    changes.push({ kind: "changed", path: "/runtime", breaking: false, message: "Device: runtime options changed." });
  }
  if (old.spec !== next.spec) {
    const message = `Device: manifest version changed from ${old.spec} to ${next.spec}.`;
    changes.push({ kind: "changed", path: "/blueprint_spec", breaking: false, message });
  }
  return [
    ...changes,
    ...compareText(device, "display name", [old.displayName, next.displayName]),
    ...compareText(device, "description", [old.description, next.description]),
    ...compareText(device, "category", [old.category, next.category]),
    ...compareText(device, "icon", [old.icon, next.icon]),
    ...compareText(device, "license", [old.license, next.license]),
    ...compareText(device, "author", [old.author, next.author]),
    ...compareText(device, "contributors", [old.contributors.join(", "), next.contributors.join(", ")]),
    ...compareText(device, "support page", [old.support.url, next.support.url]),
    ...compareText(device, "support address", [old.support.email, next.support.email]),
  ];
}

type Maps<T> = readonly [old: ReadonlyMap<string, T>, next: ReadonlyMap<string, T>];
type Kind<T> = {
  readonly what: string;
  readonly section: string;
  readonly removal: string;
  readonly isRemovalBreaking: boolean;
  readonly diffOne: (about: Thing, old: T, next: T) => readonly BlueprintChange[];
};

function diffEach<T>({ what, section, ...kind }: Kind<T>, [old, next]: Maps<T>): readonly BlueprintChange[] {
  const changes: BlueprintChange[] = [];
  for (const id of old.keys()) {
    if (next.has(id)) continue;
    const { name, path } = thing(`${what} ${id}`, section, id);
    changes.push({ kind: "removed", path, breaking: kind.isRemovalBreaking, message: `${name}: ${kind.removal}.` });
  }
  for (const [id, after] of next) {
    const about = thing(`${what} ${id}`, section, id);
    const before = old.get(id);
    if (before !== undefined) changes.push(...kind.diffOne(about, before, after));
    else changes.push({ kind: "added", path: about.path, breaking: false, message: `${about.name}: added.` });
  }
  return changes;
}

function diffGroups(old: Blueprint, next: Blueprint): readonly BlueprintChange[] {
  return diffEach(
    {
      what: "Command group",
      section: "command_groups",
      removal: "removed",
      isRemovalBreaking: false,
      diffOne: (about, before, after) => [
        ...compareText(about, "display name", [before.displayName, after.displayName]),
        ...compareText(about, "description", [before.description, after.description]),
        ...compareText(about, "icon", [before.icon, after.icon]),
      ],
    },
    [old.commandGroups, next.commandGroups],
  );
}

function diffAlerts(old: Blueprint, next: Blueprint): readonly BlueprintChange[] {
  return diffEach(
    {
      what: "Alert",
      section: "alerts",
      removal: "removed; a device that still reports it raises an error without a name",
      isRemovalBreaking: true,
      diffOne: diffAlert,
    },
    [old.alerts, next.alerts],
  );
}

function diffAlert(about: Thing, old: Alert, next: Alert): readonly BlueprintChange[] {
  const { name, path } = about;
  const changes: BlueprintChange[] = [];
  if (old.severity !== next.severity) {
    const message = `${name}: severity changed from ${old.severity} to ${next.severity}.`;
    changes.push({ kind: "changed", path, breaking: false, message });
  }
  if (old.gracePeriod !== next.gracePeriod) {
    const [before, after] = [formatDuration(old.gracePeriod), formatDuration(next.gracePeriod)];
    const message = `${name}: grace period changed from ${before} to ${after}.`;
    changes.push({ kind: "changed", path, breaking: false, message });
  }
  const lines = (items: readonly string[]) => items.join(" ");
  return [
    ...changes,
    ...compareText(about, "code", [old.code, next.code]),
    ...compareText(about, "display name", [old.displayName, next.displayName]),
    ...compareText(about, "description", [old.description, next.description]),
    ...compareText(about, "troubleshooting", [lines(old.troubleshooting), lines(next.troubleshooting)]),
    ...compareText(about, "conditions", [lines(old.conditions), lines(next.conditions)]),
    ...compareText(about, "components", [lines(old.components), lines(next.components)]),
    ...compareText(about, "related telemetry", [lines(old.telemetry), lines(next.telemetry)]),
  ];
}

function diffConfiguration(old: Blueprint, next: Blueprint): readonly BlueprintChange[] {
  return diffEach(
    {
      what: "Configuration",
      section: "configuration",
      removal: "removed; its values stay stored and are no longer used",
      isRemovalBreaking: true,
      diffOne: diffBucket,
    },
    [old.configuration, next.configuration],
  );
}

function diffBucket(about: Thing, old: ConfigurationBucket, next: ConfigurationBucket): readonly BlueprintChange[] {
  return [
    ...compareAccess(about, "reading and writing it", [old.accessLevel, next.accessLevel]),
    ...diffInputs(about, "parameter", [old.parameters, next.parameters]),
    ...compareText(about, "display name", [old.displayName, next.displayName]),
    ...compareText(about, "description", [old.description, next.description]),
    ...compareText(about, "icon", [old.icon, next.icon]),
  ];
}

function diffUnits(old: Blueprint, next: Blueprint): readonly BlueprintChange[] {
  return diffEach(
    {
      what: "Unit",
      section: "units",
      removal: "removed",
      isRemovalBreaking: false,
      diffOne: (about, before, after) => [
        ...compareText(about, "symbol", [before.symbol, after.symbol]),
        ...compareText(about, "display name", [before.displayName, after.displayName]),
        ...compareText(about, "description", [before.description, after.description]),
      ],
    },
    [old.units, next.units],
  );
}
