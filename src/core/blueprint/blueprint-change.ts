import { ACCESS_LEVELS, type AccessLevel } from "#core/access/level.ts";
import type { EnumValue, JsonSchemaSource } from "./blueprint.ts";

/** One difference between two blueprints, from the view of the device's users: clients, people, stored history. */
export interface BlueprintChange {
  readonly kind: ChangeKind;
  /** JSON pointer: into the new manifest, or into the old one for what was removed or renamed. */
  readonly path: string;
  /** Something that worked with the old blueprint may stop working with the new one. */
  readonly breaking: boolean;
  /** Plain words, one sentence. */
  readonly message: string;
}

/** `text` changes only what people read: names, descriptions, icons, colours, order of groups. */
type ChangeKind = "added" | "removed" | "renamed" | "retyped" | "access" | "changed" | "text";

/** What a change is about: its name in a sentence and its place in the manifest. */
export interface Thing {
  readonly name: string;
  readonly path: string;
}

export function thing(name: string, ...steps: readonly string[]): Thing {
  const path = steps.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
  return { name, path };
}

export function part({ path }: Thing, name: string, ...steps: readonly string[]): Thing {
  return { name, path: path + thing(name, ...steps).path };
}

/**
 * What changed in each field of T, in the order in which it is shown. With it the compiler asks for a comparison of every field, also of one that
 * is new. The id is the key by which two entries are compared.
 */
export type FieldChanges<T> = { readonly [Name in Exclude<keyof T, "id">]: readonly BlueprintChange[] };

export function everyChange<T>(fields: FieldChanges<T>): readonly BlueprintChange[] {
  return Object.values<readonly BlueprintChange[]>(fields).flat();
}

type Pair<T> = readonly [old: T, next: T];

/** A list with the change, or an empty one when both are the same. */
export function compareText(
  about: Thing,
  label: string,
  [old, next]: Pair<string | undefined>,
): readonly BlueprintChange[] {
  if ((old ?? "") === (next ?? "")) return [];
  const message = describeTextChange(`${about.name}: ${label}`, old ?? "", next ?? "");
  return [{ kind: "text", path: about.path, breaking: false, message }];
}

function describeTextChange(what: string, old: string, next: string): string {
  if (old === "") return `${what} added.`;
  if (next === "") return `${what} removed.`;
  // Repeating a whole paragraph inside a sentence would not help.
  const isShort = old.length <= 60 && next.length <= 60;
  return isShort ? `${what} changed from ${quote(old)} to ${quote(next)}.` : `${what} reworded.`;
}

export function compareAccess(about: Thing, verb: string, [old, next]: Pair<AccessLevel>): readonly BlueprintChange[] {
  if (old === next) return [];
  const isHigher = ACCESS_LEVELS.indexOf(next) > ACCESS_LEVELS.indexOf(old);
  const message = `${about.name}: ${verb} now needs ${next}, before ${old}.`;
  return [{ kind: "access", path: about.path, breaking: isHigher, message }];
}

/** A unit gives a number its meaning: a different one makes old charts, limits and automations wrong. */
export function compareUnit(about: Thing, [old, next]: Pair<string | undefined>): readonly BlueprintChange[] {
  if (old === next) return [];
  const path = about.path;
  if (old === undefined)
    return [{ kind: "changed", path, breaking: false, message: `${about.name}: unit ${next} added.` }];
  const message = next === undefined ? `unit ${old} removed` : `unit changed from ${old} to ${next}`;
  return [{ kind: "changed", path, breaking: true, message: `${about.name}: ${message}.` }];
}

/** A value outside an enum is refused, so fewer values break and more do not. */
export function compareEnum(
  about: Thing,
  [old, next]: Pair<readonly EnumValue[] | undefined>,
): readonly BlueprintChange[] {
  const changed = (breaking: boolean, words: string): BlueprintChange => ({
    kind: "changed",
    path: about.path,
    breaking,
    message: `${about.name}: ${words}.`,
  });
  if (old === undefined && next === undefined) return [];
  if (old === undefined) return [changed(true, `only the values ${list(next)} are allowed now`)];
  if (next === undefined) return [changed(false, "any value is allowed now, not only those of an enum")];
  const removed = old.filter((one) => !next.some((other) => other.value === one.value));
  const added = next.filter((one) => !old.some((other) => other.value === one.value));
  const changes: BlueprintChange[] = [];
  if (removed.length > 0) changes.push(changed(true, `${list(removed)} no longer allowed`));
  if (added.length > 0) changes.push(changed(false, `${list(added)} newly allowed`));
  const isRestyled = old.some((one) => {
    const other = next.find(({ value }) => value === one.value);
    return other !== undefined && describeEnumValue(one) !== describeEnumValue(other);
  });
  if (isRestyled) {
    const message = `${about.name}: names, descriptions or colours of its values changed.`;
    changes.push({ kind: "text", path: about.path, breaking: false, message });
  }
  return changes;
}

function describeEnumValue({ displayName, description, color }: EnumValue): string {
  return JSON.stringify([displayName, description, color]);
}

function list(values: readonly EnumValue[] | undefined): string {
  return (values ?? []).map(({ value }) => String(value)).join(", ");
}

export function compareSchema(
  about: Thing,
  [old, next]: Pair<JsonSchemaSource | undefined>,
): readonly BlueprintChange[] {
  const before = old?.text ?? old?.file;
  const after = next?.text ?? next?.file;
  if (before === after) return [];
  const breaking = after !== undefined;
  const words = before === undefined ? "is checked by a JSON schema now" : "JSON schema changed";
  const message = `${about.name}: ${breaking ? words : "is no longer checked by a JSON schema"}.`;
  return [{ kind: "changed", path: about.path, breaking, message }];
}

/** Names that stop working and names that start to. `taken` are all names that the new blueprint answers to. */
export function compareAliases(
  about: Thing,
  [old, next]: Pair<readonly string[]>,
  taken: ReadonlySet<string>,
): readonly BlueprintChange[] {
  const gone = old.filter((alias) => !taken.has(alias));
  const added = next.filter((alias) => !old.includes(alias));
  const change = (words: string, breaking: boolean): BlueprintChange => ({
    kind: "changed",
    path: about.path,
    breaking,
    message: `${about.name}: ${words}.`,
  });
  return [
    ...(gone.length > 0 ? [change(`no longer answers to ${gone.join(", ")}`, true)] : []),
    ...(added.length > 0 ? [change(`also answers to ${added.join(", ")}`, false)] : []),
  ];
}

function quote(text: string): string {
  return `"${text}"`;
}
