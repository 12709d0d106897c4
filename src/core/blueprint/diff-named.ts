import type { Command, Confirmation, Property, TelemetryAttribute } from "./blueprint.ts";
import {
  type BlueprintChange,
  compareAccess,
  compareAliases,
  compareEnum,
  compareSchema,
  compareText,
  compareUnit,
  everyChange,
  type FieldChanges,
  type Thing,
  thing,
} from "./blueprint-change.ts";
import { diffInputs, diffResponse } from "./diff-fields.ts";

type Attribute = Property | TelemetryAttribute;
type Named = Attribute | Command;
/** What everything with aliases has; the rest is compared kind by kind. */
type SharedField = "displayName" | "description" | "implements" | "aliases";
type Unnamed<T> = Omit<T, SharedField>;
type Maps<T> = readonly [old: ReadonlyMap<string, T>, next: ReadonlyMap<string, T>];

export function diffProperties(maps: Maps<Property>): readonly BlueprintChange[] {
  return diffNamed({ what: "Property", section: "properties" }, maps, diffProperty);
}

export function diffTelemetry(maps: Maps<TelemetryAttribute>): readonly BlueprintChange[] {
  return diffNamed({ what: "Telemetry attribute", section: "telemetry" }, maps, (about, old, next) =>
    everyChange<Unnamed<TelemetryAttribute>>(attributeChanges(about, old, next)),
  );
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
    const shared = everyChange<Pick<Named, SharedField>>({
      aliases: compareAliases(about, [names, after.aliases], taken),
      displayName: compareText(about, "display name", [before.displayName, after.displayName]),
      description: compareText(about, "description", [before.description, after.description]),
      implements: compareText(about, "profile fields", [before.implements.join(", "), after.implements.join(", ")]),
    });
    return [...diffOne(about, before, after), ...shared];
  }
}

function diffProperty(about: Thing, old: Property, next: Property): readonly BlueprintChange[] {
  return everyChange<Unnamed<Property>>({
    ...attributeChanges(about, old, next),
    jsonSchema: compareSchema(about, [old.jsonSchema, next.jsonSchema]),
  });
}

function attributeChanges(about: Thing, old: Attribute, next: Attribute): FieldChanges<Unnamed<TelemetryAttribute>> {
  return {
    type: compareType(about, old.type, next.type),
    unit: compareUnit(about, [old.unit, next.unit]),
    enum: compareEnum(about, [old.enum, next.enum]),
    accessLevel: compareAccess(about, "reading it", [old.accessLevel, next.accessLevel]),
    autoScale: compareText(about, "scales", [old.autoScale.join(", "), next.autoScale.join(", ")]),
  };
}

function compareType({ name, path }: Thing, old: string, next: string): readonly BlueprintChange[] {
  const message = `${name}: type changed from ${old} to ${next}.`;
  return old === next ? [] : [{ kind: "retyped", path, breaking: true, message }];
}

function diffCommand(about: Thing, old: Command, next: Command): readonly BlueprintChange[] {
  const change = (words: string): readonly BlueprintChange[] => [
    { kind: "changed", path: about.path, breaking: false, message: `${about.name}: ${words}.` },
  ];
  const source = next.populateValuesCommand;
  const cancel = next.cancelCommand;
  const severity = next.confirmation?.severity;
  return everyChange<Unnamed<Command>>({
    accessLevel: compareAccess(about, "running it", [old.accessLevel, next.accessLevel]),
    readAccessLevel: compareAccess(about, "reading its executions", [old.readAccessLevel, next.readAccessLevel]),
    arguments: diffInputs(about, "argument", [old.arguments, next.arguments]),
    response: diffResponse(about, [old.response, next.response]),
    populateValuesCommand:
      old.populateValuesCommand === source
        ? []
        : change(source === undefined ? "is no longer pre-filled" : `is pre-filled by ${source}`),
    cancelCommand:
      old.cancelCommand === cancel
        ? []
        : change(cancel === undefined ? "can no longer be cancelled while it runs" : `is cancelled by ${cancel}`),
    confirmation: everyChange<Confirmation>({
      severity:
        old.confirmation?.severity === severity
          ? []
          : change(severity === undefined ? "no longer asks first" : `asks first (${severity})`),
      title: compareText(about, "question before it runs", [old.confirmation?.title, next.confirmation?.title]),
      description: compareText(about, "text below the question", [
        old.confirmation?.description,
        next.confirmation?.description,
      ]),
    }),
    group: compareText(about, "group", [old.group, next.group]),
    icon: compareText(about, "icon", [old.icon, next.icon]),
    quickAccess: compareText(about, "quick access", [old.quickAccess ? "yes" : "no", next.quickAccess ? "yes" : "no"]),
  });
}
