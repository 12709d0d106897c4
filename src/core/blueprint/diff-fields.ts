import type { CommandArgument, CommandResponseField, ConfigurationParameter } from "./blueprint.ts";
import {
  type BlueprintChange,
  compareEnum,
  compareSchema,
  compareText,
  compareUnit,
  part,
  type Thing,
} from "./blueprint-change.ts";

type Fields<T> = readonly [old: ReadonlyMap<string, T>, next: ReadonlyMap<string, T>];
type Input = CommandArgument | ConfigurationParameter;

/** What people send: arguments and parameters. Accepting less breaks, accepting more does not. */
export function diffInputs(owner: Thing, what: string, [old, next]: Fields<Input>): readonly BlueprintChange[] {
  const about = (id: string) => part(owner, `${owner.name}, ${what} ${id}`, `${what}s`, id);
  const changes = removedFields([old, next], about);
  for (const [id, field] of next) {
    const before = old.get(id);
    const { name, path } = about(id);
    if (before !== undefined) changes.push(...diffInput({ name, path }, before, field));
    else if (isDemanded(field)) {
      changes.push({ kind: "added", path, breaking: true, message: `${name}: added, and it is required.` });
    } else changes.push({ kind: "added", path, breaking: false, message: `${name}: added.` });
  }
  return changes;
}

/** A required field with a default may still be left out. */
function isDemanded(field: Input): boolean {
  return field.required && field.default === undefined;
}

function diffInput(about: Thing, old: Input, next: Input): readonly BlueprintChange[] {
  const changes: BlueprintChange[] = [];
  const change = (breaking: boolean, words: string) =>
    changes.push({ kind: "changed", path: about.path, breaking, message: `${about.name}: ${words}.` });
  if (old.type !== next.type) {
    const isWider = old.type === "integer" && next.type === "float";
    const message = `${about.name}: type changed from ${old.type} to ${next.type}.`;
    changes.push({ kind: "retyped", path: about.path, breaking: !isWider, message });
  }
  if (isDemanded(next) && !isDemanded(old)) change(true, "is required now");
  if (!isDemanded(next) && isDemanded(old)) change(false, "is no longer required");
  if (JSON.stringify(old.default) !== JSON.stringify(next.default)) {
    change(false, `default changed from ${show(old.default)} to ${show(next.default)}`);
  }
  const lowest = [old.min ?? Number.NEGATIVE_INFINITY, next.min ?? Number.NEGATIVE_INFINITY] as const;
  const highest = [old.max ?? Number.POSITIVE_INFINITY, next.max ?? Number.POSITIVE_INFINITY] as const;
  if (lowest[0] !== lowest[1])
    change(lowest[1] > lowest[0], `minimum changed from ${show(old.min)} to ${show(next.min)}`);
  if (highest[0] !== highest[1])
    change(highest[1] < highest[0], `maximum changed from ${show(old.max)} to ${show(next.max)}`);
  changes.push(...compareFormat(about, old.format, next.format));
  if (old.sensitive !== next.sensitive)
    change(false, next.sensitive ? "is kept secret now" : "is no longer kept secret");
  changes.push(...compareEnum(about, [old.enum, next.enum]));
  if ("jsonSchema" in old && "jsonSchema" in next) {
    changes.push(...compareUnit(about, [old.unit, next.unit]));
    changes.push(...compareSchema(about, [old.jsonSchema, next.jsonSchema]));
  }
  changes.push(...compareText(about, "display name", [old.displayName, next.displayName]));
  changes.push(...compareText(about, "description", [old.description, next.description]));
  return changes;
}

function compareFormat(about: Thing, old: string | undefined, next: string | undefined): readonly BlueprintChange[] {
  if (old === next) return [];
  const message = `${about.name}: format changed from ${show(old)} to ${show(next)}.`;
  return [{ kind: "changed", path: about.path, breaking: next !== undefined, message }];
}

/** What a command answers. Saying less, or something else, breaks. */
export function diffResponse(owner: Thing, [old, next]: Fields<CommandResponseField>): readonly BlueprintChange[] {
  const about = (id: string) => part(owner, `${owner.name}, response field ${id}`, "response", id);
  const changes = removedFields([old, next], about);
  for (const [id, field] of next) {
    const before = old.get(id);
    const { name, path } = about(id);
    if (before === undefined) changes.push({ kind: "added", path, breaking: false, message: `${name}: added.` });
    else changes.push(...diffResponseField({ name, path }, before, field));
  }
  return changes;
}

function removedFields([old, next]: Fields<unknown>, about: (id: string) => Thing): BlueprintChange[] {
  return [...old.keys()]
    .filter((id) => !next.has(id))
    .map(about)
    .map(({ name, path }) => ({ kind: "removed", path, breaking: true, message: `${name}: removed.` }));
}

function diffResponseField(
  about: Thing,
  old: CommandResponseField,
  next: CommandResponseField,
): readonly BlueprintChange[] {
  const { name, path } = about;
  const changes: BlueprintChange[] = [];
  if (old.type !== next.type) {
    const isNarrower = old.type === "float" && next.type === "integer";
    const message = `${name}: type changed from ${old.type} to ${next.type}.`;
    changes.push({ kind: "retyped", path, breaking: !isNarrower, message });
  }
  if (old.required !== next.required) {
    const message = `${name}: ${next.required ? "is always there now" : "may be absent now"}.`;
    changes.push({ kind: "changed", path, breaking: old.required, message });
  }
  if (old.format !== next.format) {
    const message = `${name}: format changed from ${show(old.format)} to ${show(next.format)}.`;
    changes.push({ kind: "changed", path, breaking: old.format !== undefined, message });
  }
  changes.push(...compareUnit(about, [old.unit, next.unit]));
  changes.push(...compareEnum(about, [old.enum, next.enum]));
  changes.push(...compareSchema(about, [old.jsonSchema, next.jsonSchema]));
  changes.push(...compareText(about, "display name", [old.displayName, next.displayName]));
  changes.push(...compareText(about, "description", [old.description, next.description]));
  return changes;
}

function show(value: unknown): string {
  return value === undefined ? "none" : JSON.stringify(value);
}
