import type { CommandArgument, CommandResponseField, ConfigurationParameter } from "./blueprint.ts";
import {
  type BlueprintChange,
  compareEnum,
  compareSchema,
  compareText,
  compareUnit,
  everyChange,
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
  const change = (breaking: boolean, words: string): readonly BlueprintChange[] => [
    { kind: "changed", path: about.path, breaking, message: `${about.name}: ${words}.` },
  ];
  const [before, after] = [limitsOf(old), limitsOf(next)];
  const wasDemanded = isDemanded(old);
  const isSameDefault = JSON.stringify(old.default) === JSON.stringify(next.default);
  const hasMore = "jsonSchema" in old && "jsonSchema" in next;
  return everyChange<CommandArgument>({
    type: compareType(about, [old.type, next.type], old.type === "integer" && next.type === "float"),
    required:
      wasDemanded === isDemanded(next)
        ? []
        : change(!wasDemanded, wasDemanded ? "is no longer required" : "is required now"),
    default: isSameDefault ? [] : change(false, `default changed from ${show(old.default)} to ${show(next.default)}`),
    min:
      before.min === after.min
        ? []
        : change(after.min > before.min, `minimum changed from ${show(old.min)} to ${show(next.min)}`),
    max:
      before.max === after.max
        ? []
        : change(after.max < before.max, `maximum changed from ${show(old.max)} to ${show(next.max)}`),
    format: compareFormat(about, old.format, next.format),
    sensitive:
      old.sensitive === next.sensitive
        ? []
        : change(false, next.sensitive ? "is kept secret now" : "is no longer kept secret"),
    enum: compareEnum(about, [old.enum, next.enum]),
    unit: hasMore ? compareUnit(about, [old.unit, next.unit]) : [],
    jsonSchema: hasMore ? compareSchema(about, [old.jsonSchema, next.jsonSchema]) : [],
    displayName: compareText(about, "display name", [old.displayName, next.displayName]),
    description: compareText(about, "description", [old.description, next.description]),
  });
}

interface Limits {
  readonly min: number;
  readonly max: number;
}

function limitsOf({ min, max }: Input): Limits {
  return { min: min ?? Number.NEGATIVE_INFINITY, max: max ?? Number.POSITIVE_INFINITY };
}

/** `isHarmless` where every value of one type is also one of the other. */
function compareType(
  { name, path }: Thing,
  [old, next]: readonly [string, string],
  isHarmless: boolean,
): readonly BlueprintChange[] {
  const message = `${name}: type changed from ${old} to ${next}.`;
  return old === next ? [] : [{ kind: "retyped", path, breaking: !isHarmless, message }];
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
  const changed = (breaking: boolean, words: string): readonly BlueprintChange[] => [
    { kind: "changed", path: about.path, breaking, message: `${about.name}: ${words}.` },
  ];
  return everyChange<CommandResponseField>({
    type: compareType(about, [old.type, next.type], old.type === "float" && next.type === "integer"),
    required:
      old.required === next.required
        ? []
        : changed(old.required, next.required ? "is always there now" : "may be absent now"),
    format:
      old.format === next.format
        ? []
        : changed(old.format !== undefined, `format changed from ${show(old.format)} to ${show(next.format)}`),
    unit: compareUnit(about, [old.unit, next.unit]),
    enum: compareEnum(about, [old.enum, next.enum]),
    jsonSchema: compareSchema(about, [old.jsonSchema, next.jsonSchema]),
    displayName: compareText(about, "display name", [old.displayName, next.displayName]),
    description: compareText(about, "description", [old.description, next.description]),
  });
}

function show(value: unknown): string {
  return value === undefined ? "none" : JSON.stringify(value);
}
