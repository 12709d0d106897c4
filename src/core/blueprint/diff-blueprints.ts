import { type DeclaredControl, renderControl } from "#core/control/declared-control.ts";
import { formatDuration } from "#core/time/format-duration.ts";
import type { Alert, Blueprint, ConfigurationBucket } from "./blueprint.ts";
import {
  type BlueprintChange,
  compareAccess,
  compareText,
  everyChange,
  type Thing,
  thing,
} from "./blueprint-change.ts";
import { diffInputs } from "./diff-fields.ts";
import { diffCommands, diffProperties, diffTelemetry } from "./diff-named.ts";

export interface BlueprintDiff {
  /** Breaking ones first, otherwise in the order of the manifest. */
  readonly changes: readonly BlueprintChange[];
  readonly isBreaking: boolean;
}

/** What a device's users will notice when NEW takes the place of OLD. History is kept either way. */
export function diffBlueprints(old: Blueprint, next: Blueprint): BlueprintDiff {
  const device = thing("Device");
  const text = (label: string, before: string | undefined, after: string | undefined) =>
    compareText(device, label, [before, after]);
  const changes = everyChange<Blueprint>({
    implements: diffProfiles(old, next),
    // Reported with `implements`.
    implementsDraft: [],
    runtime: diffRuntime(old.runtime, next.runtime),
    spec: diffSpec(old.spec, next.spec),
    displayName: text("display name", old.displayName, next.displayName),
    description: text("description", old.description, next.description),
    category: text("category", old.category, next.category),
    icon: text("icon", old.icon, next.icon),
    license: text("license", old.license, next.license),
    author: text("author", old.author, next.author),
    contributors: text("contributors", old.contributors.join(", "), next.contributors.join(", ")),
    support: everyChange<Blueprint["support"]>({
      url: text("support page", old.support.url, next.support.url),
      email: text("support address", old.support.email, next.support.email),
    }),
    properties: diffProperties([old.properties, next.properties]),
    telemetry: diffTelemetry([old.telemetry, next.telemetry]),
    commands: diffCommands([old.commands, next.commands]),
    commandGroups: diffGroups(old, next),
    alerts: diffAlerts(old, next),
    configuration: diffConfiguration(old, next),
    alertLists: compareText(device, "way of listing alerts", [old.alertLists, next.alertLists]),
    luaHost: compareText(device, "host of its Lua", [old.luaHost, next.luaHost]),
    modbusMap: compareText(device, "register map", [old.modbusMap, next.modbusMap]),
    controls: diffControls(old, next),
    units: diffUnits(old, next),
  });
  const breaking = changes.filter((change) => change.breaking);
  return {
    changes: [...breaking, ...changes.filter((change) => !change.breaking)],
    isBreaking: breaking.length > 0,
  };
}

function diffProfiles(old: Blueprint, next: Blueprint): readonly BlueprintChange[] {
  const before = [...old.implements, ...old.implementsDraft];
  const after = [...next.implements, ...next.implementsDraft];
  const gone = before.filter((one) => !after.includes(one));
  const added = after.filter((one) => !before.includes(one));
  const change = (kind: "removed" | "added", message: string): BlueprintChange => ({
    kind,
    path: "/implements",
    breaking: kind === "removed",
    message,
  });
  return [
    ...gone.map((profile) => change("removed", `Device: no longer implements ${profile}.`)),
    ...added.map((profile) => change("added", `Device: implements ${profile}.`)),
  ];
}

function diffRuntime(old: Blueprint["runtime"], next: Blueprint["runtime"]): readonly BlueprintChange[] {
  if (old.type !== next.type) {
    const message = `Device: runtime changed from ${old.type} to ${next.type}.`;
    return [{ kind: "changed", path: "/runtime/type", breaking: true, message }];
  }
  if (JSON.stringify(old) === JSON.stringify(next)) return [];
  return [{ kind: "changed", path: "/runtime", breaking: false, message: "Device: runtime options changed." }];
}

/** A control that is gone or has other limits breaks those who claim it. */
function diffControls(old: Blueprint, next: Blueprint): readonly BlueprintChange[] {
  const written = (control: DeclaredControl) => JSON.stringify(renderControl(control));
  return diffEach(
    {
      what: "Control",
      section: ".busbar/controls",
      removal: "removed",
      isRemovalBreaking: true,
      diffOne: ({ name, path }, before, after) =>
        written(before) === written(after)
          ? []
          : [{ kind: "changed", path, breaking: isNarrower(before, after), message: `${name}: changed.` }],
    },
    [old.controls, next.controls],
  );
}

function isNarrower(before: DeclaredControl, after: DeclaredControl): boolean {
  const [low, high] = [after.min ?? -Infinity, after.max ?? Infinity];
  return before.unit !== after.unit || low > (before.min ?? -Infinity) || high < (before.max ?? Infinity);
}

function diffSpec(old: string, next: string): readonly BlueprintChange[] {
  if (old === next) return [];
  const message = `Device: manifest version changed from ${old} to ${next}.`;
  return [{ kind: "changed", path: "/blueprint_spec", breaking: false, message }];
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
    const { name, path } = thing(`${what} ${id}`, ...section.split("/"), id);
    changes.push({ kind: "removed", path, breaking: kind.isRemovalBreaking, message: `${name}: ${kind.removal}.` });
  }
  for (const [id, after] of next) {
    const about = thing(`${what} ${id}`, ...section.split("/"), id);
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
      diffOne: (about, before, after) =>
        everyChange<typeof before>({
          displayName: compareText(about, "display name", [before.displayName, after.displayName]),
          description: compareText(about, "description", [before.description, after.description]),
          icon: compareText(about, "icon", [before.icon, after.icon]),
        }),
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
  const changed = (label: string, before: string, after: string): readonly BlueprintChange[] => {
    const message = `${about.name}: ${label} changed from ${before} to ${after}.`;
    return before === after ? [] : [{ kind: "changed", path: about.path, breaking: false, message }];
  };
  const lines = (items: readonly string[]) => items.join(" ");
  return everyChange<Alert>({
    severity: changed("severity", old.severity, next.severity),
    gracePeriod: changed("grace period", formatDuration(old.gracePeriod), formatDuration(next.gracePeriod)),
    code: compareText(about, "code", [old.code, next.code]),
    displayName: compareText(about, "display name", [old.displayName, next.displayName]),
    description: compareText(about, "description", [old.description, next.description]),
    troubleshooting: compareText(about, "troubleshooting", [lines(old.troubleshooting), lines(next.troubleshooting)]),
    conditions: compareText(about, "conditions", [lines(old.conditions), lines(next.conditions)]),
    components: compareText(about, "components", [lines(old.components), lines(next.components)]),
    telemetry: compareText(about, "related telemetry", [lines(old.telemetry), lines(next.telemetry)]),
  });
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
  return everyChange<ConfigurationBucket>({
    accessLevel: compareAccess(about, "reading and writing it", [old.accessLevel, next.accessLevel]),
    parameters: diffInputs(about, "parameter", [old.parameters, next.parameters]),
    displayName: compareText(about, "display name", [old.displayName, next.displayName]),
    description: compareText(about, "description", [old.description, next.description]),
    icon: compareText(about, "icon", [old.icon, next.icon]),
  });
}

function diffUnits(old: Blueprint, next: Blueprint): readonly BlueprintChange[] {
  return diffEach(
    {
      what: "Unit",
      section: "units",
      removal: "removed",
      isRemovalBreaking: false,
      diffOne: (about, before, after) =>
        everyChange<typeof before>({
          symbol: compareText(about, "symbol", [before.symbol, after.symbol]),
          displayName: compareText(about, "display name", [before.displayName, after.displayName]),
          description: compareText(about, "description", [before.description, after.description]),
        }),
    },
    [old.units, next.units],
  );
}
