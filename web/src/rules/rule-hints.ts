// What can be written at a place of a rule: keys and words of the language by its JSON Schema, and names of the site. Pure.
import type { JsonSchema } from "#core/blueprint/json-schema.ts";
import type { Explanation, Hints } from "#web/editor/manifest-hints.ts";
import { placeAt } from "#web/editor/place-in-yaml.ts";
import { findDevice, type RuleNames, wordOf } from "./rule-names.ts";

type Hint = Hints["hints"][number];
type Schema = Readonly<Record<string, unknown>>;
type Language = { readonly schema: JsonSchema | undefined; readonly names: RuleNames };

const MOST_HINTS = 300;

export function ruleHints(text: string, offset: number, { schema, names }: Language): Hints | undefined {
  if (schema === undefined) return undefined;
  const place = placeAt(unlisted(text), offset);
  if (place === undefined) return undefined;
  const root: Schema = schema;
  if (place.kind === "key") {
    const siblings = place.indent === undefined ? place.siblings : keysOfItem(text, offset);
    const hints = keyHints(objectsAt(root, place.path, siblings), siblings);
    return hints.length === 0 ? undefined : { from: place.from, hints };
  }
  const name = place.path.at(-1) ?? "";
  const hints = [
    ...siteHints(name, { names, device: siblingValue(text, offset, "device") }),
    ...wordHints(schemasAt(root, place.path)),
  ];
  const unique = [...new Map(hints.map((hint) => [hint.label, hint])).values()].slice(0, MOST_HINTS);
  return unique.length === 0 ? undefined : { from: place.from, hints: unique };
}

/** What the key at a place means. */
export function explainRule(text: string, offset: number, { schema }: Language): Explanation | undefined {
  const from = offset - (/\w*$/.exec(text.slice(Math.max(offset - 80, 0), offset))?.[0].length ?? 0);
  const to = offset + (/^\w*/.exec(text.slice(offset, offset + 80))?.[0].length ?? 0);
  const word = text.slice(from, to);
  if (schema === undefined || word === "" || !/^\s*:/.test(text.slice(to, to + 5))) return undefined;
  const place = placeAt(unlisted(text), to);
  if (place?.kind !== "key") return undefined;
  const siblings = place.indent === undefined ? place.siblings : keysOfItem(text, offset);
  const first = objectsAt(schema, place.path, siblings)
    .map((one) => propertyOf(one, word))
    .find((one) => one !== undefined);
  return first && { from, to, title: word, detail: kindOf(schema, first), text: String(first["description"] ?? "") };
}

/** A dash before an item counts as indentation: its keys are in line with those below it. */
const unlisted = (text: string): string => text.replaceAll(/^( *)-(?= |$)/gm, "$1 ");

/** The keys of the object of which a key is being written, in lines of their own. */
function keysOfItem(text: string, offset: number): ReadonlySet<string> {
  const lines = text.split("\n");
  const at = text.slice(0, offset).split("\n").length - 1;
  const columnOf = (line: string) => /^ *(?:- *)?/.exec(line)?.[0].length ?? 0;
  const isItem = (line: string) => /^ *-(?: |$)/.test(line);
  const isBlank = (line: string) => /^\s*(?:#.*)?$/.test(line);
  const column = columnOf(lines[at] ?? "");
  const keys = new Set<string>();
  const take = (line: string) => {
    const key = columnOf(line) === column ? /^([\w-]+) *:/.exec(line.slice(column))?.[1] : undefined;
    if (key !== undefined) keys.add(key);
  };
  for (let index = at - 1; index >= 0 && !isItem(lines[index + 1] ?? ""); index -= 1) {
    const line = lines[index] ?? "";
    if (isBlank(line)) continue;
    if (columnOf(line) < column) break;
    take(line);
  }
  for (const line of lines.slice(at + 1)) {
    if (isBlank(line)) continue;
    if (columnOf(line) < column || (columnOf(line) === column && isItem(line))) break;
    take(line);
  }
  return keys;
}

/** The value of another key of the same object: in the same braces, or in the lines of the item. */
function siblingValue(text: string, offset: number, key: string): string | undefined {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", offset);
  const line = text.slice(start, end < 0 ? text.length : end);
  const open = line.lastIndexOf("{", offset - start - 1);
  if (open >= 0 && !line.slice(open, offset - start).includes("}")) {
    const close = line.indexOf("}", offset - start);
    return valueIn(line.slice(open + 1, close < 0 ? line.length : close), key);
  }
  const lines = text.split("\n");
  const at = text.slice(0, offset).split("\n").length - 1;
  let first = at;
  while (first > 0 && !/^ *-(?: |$)/.test(lines[first] ?? "") && /^[ ]/.test(lines[first] ?? "")) first -= 1;
  const column = /^ *(?:- *)?/.exec(lines[first] ?? "")?.[0].length ?? 0;
  let last = at;
  while (last + 1 < lines.length && (/^ */.exec(lines[last + 1] ?? "")?.[0].length ?? 0) >= Math.max(column, 1))
    last += 1;
  return valueIn(lines.slice(first, last + 1).join("\n"), key);
}

function valueIn(text: string, key: string): string | undefined {
  const found = new RegExp(`(?:^|[\\s{,])${key}: *(?:"([^"\\n]*)"|'([^'\\n]*)'|([^\\s,}#]+))`, "m").exec(text);
  return found?.[1] ?? found?.[2] ?? found?.[3];
}

/** What may stand at a place: references followed, choices side by side. Lists are what their items are. */
function expand(root: Schema, schema: unknown, depth = 0): readonly Schema[] {
  if (typeof schema !== "object" || schema === null || depth > 12) return [];
  const one = schema as Schema;
  const reference = one["$ref"];
  if (typeof reference === "string") {
    const definitions = root["$defs"] as Schema | undefined;
    return expand(root, definitions?.[reference.split("/").at(-1) ?? ""], depth + 1);
  }
  if (Array.isArray(one["anyOf"])) return one["anyOf"].flatMap((inner) => expand(root, inner, depth + 1));
  if (one["type"] === "array") return expand(root, one["items"], depth + 1);
  return [one];
}

function propertyOf(schema: Schema, key: string): Schema | undefined {
  const properties = schema["properties"] as Schema | undefined;
  const found = properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
  return typeof found === "object" && found !== null ? (found as Schema) : undefined;
}

function schemasAt(root: Schema, path: readonly string[]): readonly Schema[] {
  let schemas = expand(root, root);
  for (const step of path) schemas = schemas.flatMap((one) => expand(root, propertyOf(one, step)));
  return schemas;
}

/** Of several forms, those that have all the keys that are there. */
function objectsAt(root: Schema, path: readonly string[], keys: ReadonlySet<string>): readonly Schema[] {
  return schemasAt(root, path).filter(
    (one) => one["properties"] !== undefined && [...keys].every((key) => propertyOf(one, key) !== undefined),
  );
}

function keyHints(objects: readonly Schema[], siblings: ReadonlySet<string>): readonly Hint[] {
  const hints = new Map<string, Hint & { readonly isNeeded: boolean }>();
  for (const object of objects) {
    const needed = new Set(Array.isArray(object["required"]) ? object["required"] : []);
    for (const [key, property] of Object.entries(object["properties"] as Schema)) {
      if (siblings.has(key) || hints.has(key) || typeof property !== "object" || property === null) continue;
      const isNeeded = needed.has(key);
      const info = String((property as Schema)["description"] ?? "");
      hints.set(key, { label: key, detail: isNeeded ? "required" : "", info, apply: `${key}: `, isNeeded });
    }
  }
  return [...hints.values()]
    .toSorted((one, other) => Number(other.isNeeded) - Number(one.isNeeded))
    .map(({ isNeeded: _, ...hint }) => hint);
}

const hint = (label: string, detail = "", info = ""): Hint => ({ label, detail, info, apply: quoted(label) });

/** Words that YAML reads as something else, and signs that mean something to it. */
function quoted(value: string): string {
  return /^[A-Za-z][\w./+-]*$/.test(value) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(value)
    ? value
    : JSON.stringify(value);
}

function wordHints(schemas: readonly Schema[]): readonly Hint[] {
  return schemas.flatMap((schema): readonly Hint[] => {
    const info = String(schema["description"] ?? "");
    if (schema["type"] === "boolean")
      return ["true", "false"].map((label) => ({ ...hint(label, "", info), apply: label }));
    const words = [schema["enum"], schema["const"] === undefined ? undefined : [schema["const"]], schema["examples"]];
    return words
      .flatMap((list) => (Array.isArray(list) ? list.filter((one) => typeof one === "string") : []))
      .map((label) => hint(label, "", info));
  });
}

function kindOf(root: Schema, property: Schema): string {
  const kinds = expand(root, property).map((one) =>
    Array.isArray(one["enum"]) ? one["enum"].join(" | ") : String(one["type"] ?? ""),
  );
  return [...new Set(kinds.filter((kind) => kind !== ""))].slice(0, 3).join(", ");
}

type Asked = { readonly names: RuleNames; readonly device: string | undefined };

function siteHints(key: string, { names, device }: Asked): readonly Hint[] {
  const known = device === undefined ? undefined : findDevice(names, device);
  const devices = known === undefined ? names.devices : [known];
  const of = (one: { readonly name: string }) => (known === undefined ? one.name : "");
  switch (key) {
    case "device":
      return names.devices.map((one) => hint(wordOf(one), one.name));
    case "attribute":
      return devices.flatMap((one) =>
        one.attributes.map(({ name, display_name, unit }) =>
          hint(name, [display_name, unit, of(one)].filter(Boolean).join(" · ")),
        ),
      );
    case "claim":
    case "control":
      return devices.flatMap((one) =>
        one.controls.map(({ name, unit }) => hint(name, [unit, of(one)].filter(Boolean).join(" · "))),
      );
    case "execute":
    case "command":
      return devices.flatMap((one) =>
        one.commands.map(({ name, display_name }) => hint(name, [display_name, of(one)].filter(Boolean).join(" · "))),
      );
    case "alert":
      return [
        ...devices.flatMap((one) => one.alerts.map(({ id, display_name }) => hint(id, display_name))),
        hint("any"),
      ];
    case "variable":
    case "set":
      return names.variables.map(({ name, value }) => hint(name, String(value).slice(0, 40)));
    case "calendar":
    case "except":
      return names.calendars.map((name) => hint(name));
    default:
      return [];
  }
}
