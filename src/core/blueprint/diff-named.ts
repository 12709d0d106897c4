import type { Command, Property, TelemetryAttribute } from "./blueprint.ts";
import {
  type BlueprintChange,
  compareAccess,
  compareAliases,
  compareEnum,
  compareSchema,
  compareText,
  compareUnit,
  type Thing,
  thing,
} from "./blueprint-change.ts";
import { diffInputs, diffResponse } from "./diff-fields.ts";

type Attribute = Property | TelemetryAttribute;
type Named = Attribute | Command;
type Maps<T> = readonly [old: ReadonlyMap<string, T>, next: ReadonlyMap<string, T>];

export function diffProperties(maps: Maps<Property>): readonly BlueprintChange[] {
  return diffNamed({ what: "Property", section: "properties" }, maps, diffAttribute);
}

export function diffTelemetry(maps: Maps<TelemetryAttribute>): readonly BlueprintChange[] {
  return diffNamed({ what: "Telemetry attribute", section: "telemetry" }, maps, diffAttribute);
}

export function diffCommands(maps: Maps<Command>): readonly BlueprintChange[] {
  return diffNamed({ what: "Command", section: "commands" }, maps, diffCommand);
}

type Section = { readonly what: string; readonly section: string };
type DiffOne<T> = (about: Thing, old: T, next: T) => readonly BlueprintChange[];

/** What has aliases can change its name without breaking anyone: the old name becomes an alias of the new one. */
function diffNamed<T extends Named>({ what, section }: Section, [old, next]: Maps<T>, diffOne: DiffOne<T>) {
  const changes: BlueprintChange[] = [];
  const taken = new Set([...next].flatMap(([id, { aliases }]) => [id, ...aliases]));
  const renamed = new Set<string>();
  for (const [id, before] of old) {
    if (next.has(id)) continue;
    const about = thing(`${what} ${id}`, section, id);
    const heir = [...next.values()].find((one) => one.aliases.includes(id) && !old.has(one.id) && !renamed.has(one.id));
    if (heir === undefined) {
      const other = [...next.values()].find((one) => one.aliases.includes(id));
      const message = `${about.name}: removed${other === undefined ? "" : `; its name now means ${other.id}`}.`;
      changes.push({ kind: "removed", path: about.path, breaking: true, message });
      continue;
    }
    renamed.add(heir.id);
    const message = `${about.name}: renamed to ${heir.id}; the old name still works.`;
    changes.push({ kind: "renamed", path: about.path, breaking: false, message });
    changes.push(...diffPair(thing(`${what} ${heir.id}`, section, heir.id), before, heir));
  }
  for (const [id, after] of next) {
    const about = thing(`${what} ${id}`, section, id);
    const before = old.get(id);
    if (before !== undefined) changes.push(...diffPair(about, before, after));
    else if (!renamed.has(id)) {
      changes.push({ kind: "added", path: about.path, breaking: false, message: `${about.name}: added.` });
    }
  }
  return changes;

  function diffPair(about: Thing, before: T, after: T): readonly BlueprintChange[] {
    const known = [before.id, ...before.aliases].filter((name) => name !== after.id);
    const names = before.id === after.id ? before.aliases : known;
    return [
      ...diffOne(about, before, after),
      ...compareAliases(about, [names, after.aliases], taken),
      ...compareText(about, "display name", [before.displayName, after.displayName]),
      ...compareText(about, "description", [before.description, after.description]),
      ...compareText(about, "profile fields", [before.implements.join(", "), after.implements.join(", ")]),
    ];
  }
}

function diffAttribute<T extends Attribute>(about: Thing, old: T, next: T): readonly BlueprintChange[] {
  const changes: BlueprintChange[] = [];
  if (old.type !== next.type) {
    const message = `${about.name}: type changed from ${old.type} to ${next.type}.`;
    changes.push({ kind: "retyped", path: about.path, breaking: true, message });
  }
  changes.push(...compareUnit(about, [old.unit, next.unit]));
  changes.push(...compareEnum(about, [old.enum, next.enum]));
  changes.push(...compareAccess(about, "reading it", [old.accessLevel, next.accessLevel]));
  changes.push(...compareText(about, "scales", [old.autoScale.join(", "), next.autoScale.join(", ")]));
  if ("jsonSchema" in old && "jsonSchema" in next) {
    changes.push(...compareSchema(about, [old.jsonSchema, next.jsonSchema]));
  }
  return changes;
}

function diffCommand(about: Thing, old: Command, next: Command): readonly BlueprintChange[] {
  const { path, name } = about;
  const changes: BlueprintChange[] = [
    ...compareAccess(about, "running it", [old.accessLevel, next.accessLevel]),
    ...compareAccess(about, "reading its executions", [old.readAccessLevel, next.readAccessLevel]),
    ...diffInputs(about, "argument", [old.arguments, next.arguments]),
    ...diffResponse(about, [old.response, next.response]),
  ];
  if (old.populateValuesCommand !== next.populateValuesCommand) {
    const words =
      next.populateValuesCommand === undefined
        ? "is no longer pre-filled"
        : `is pre-filled by ${next.populateValuesCommand}`;
    changes.push({ kind: "changed", path, breaking: false, message: `${name}: ${words}.` });
  }
  if (old.confirmation?.severity !== next.confirmation?.severity) {
    const words =
      next.confirmation === undefined ? "no longer asks first" : `asks first (${next.confirmation.severity})`;
    changes.push({ kind: "changed", path, breaking: false, message: `${name}: ${words}.` });
  }
  return [
    ...changes,
    ...compareText(about, "question before it runs", [question(old), question(next)]),
    ...compareText(about, "group", [old.group, next.group]),
    ...compareText(about, "icon", [old.icon, next.icon]),
    ...compareText(about, "quick access", [old.quickAccess ? "yes" : "no", next.quickAccess ? "yes" : "no"]),
  ];
}

/** Coming and going of the whole question is told by its severity. */
function question({ confirmation }: Command): string {
  return confirmation === undefined ? "" : `${confirmation.title} ${confirmation.description}`.trim();
}
