import type { Random } from "./random.ts";

/** A manifest before it is text. Objects are maps, so that every key is possible and keeps its place. */
export type Value = string | number | boolean | null | readonly Value[] | Tree;
const isList = (value: Value): value is readonly Value[] => Array.isArray(value);
export type Tree = Map<string, Value>;

export interface RenderOptions {
  readonly random: Random;
  /** Entries that are written twice, as JSON pointers. */
  readonly twice?: ReadonlySet<string>;
}

/** As YAML in a random mixture of styles. */
export function renderYaml(tree: Tree, options: RenderOptions): string {
  return block(tree, { ...options, indent: "", path: "" });
}

export function renderJson(tree: Tree, { random, twice }: RenderOptions): string {
  const gap = random.pick(["", "  ", "\t"]);
  return json(tree, { gap, indent: "", path: "", twice: twice ?? new Set() });
}

interface JsonPlace {
  readonly gap: string;
  readonly indent: string;
  readonly path: string;
  readonly twice: ReadonlySet<string>;
}

function json(value: Value, place: JsonPlace): string {
  const inner = { ...place, indent: place.indent + place.gap };
  const wrap = (open: string, parts: readonly string[], close: string) => {
    if (parts.length === 0) return open + close;
    if (place.gap === "") return open + parts.join(",") + close;
    return `${open}\n${parts.map((part) => inner.indent + part).join(",\n")}\n${place.indent}${close}`;
  };
  if (value instanceof Map) {
    const parts = [...value].flatMap(([key, item]) => {
      const path = `${place.path}/${key}`;
      const part = `${JSON.stringify(key)}: ${json(item, { ...inner, path })}`;
      return place.twice.has(path) ? [part, part] : [part];
    });
    return wrap("{", parts, "}");
  }
  if (isList(value))
    return wrap(
      "[",
      value.map((item) => json(item, inner)),
      "]",
    );
  return JSON.stringify(value);
}

interface Place extends RenderOptions {
  readonly indent: string;
  readonly path: string;
}

function block(tree: Tree, place: Place): string {
  const { random, indent } = place;
  let text = "";
  for (const [key, value] of tree) {
    const path = `${place.path}/${key}`;
    if (random.chance(0.03)) text += `${indent}# ${random.pick(["a comment", "key: value", '"'])}\n`;
    if (random.chance(0.03)) text += "\n";
    const line = `${indent}${scalar(key, random)}:${after(value, { ...place, path })}`;
    text += place.twice?.has(path) ? line + line : line;
  }
  return text;
}

/** What stands behind the colon, up to the end of the entry. */
function after(value: Value, place: Place): string {
  const { random, indent } = place;
  const isSmall = !(value instanceof Map) || value.size < 5;
  const hasTwice = [...(place.twice ?? [])].some((path) => path.startsWith(place.path));
  if (value instanceof Map) {
    if (value.size === 0 || (isSmall && !hasTwice && random.chance(0.2))) return ` ${flow(value, random)}\n`;
    return `\n${block(value, { ...place, indent: `${indent}${random.pick(["  ", "    "])}` })}`;
  }
  if (isList(value)) {
    if (value.length === 0 || random.chance(0.4)) return ` ${flow(value, random)}\n`;
    const dash = `${indent}${random.pick(["", "  "])}- `;
    return `\n${value.map((item) => `${dash}${flow(item, random)}\n`).join("")}`;
  }
  if (value === null) return random.pick(["\n", " ~\n", " null\n"]);
  if (typeof value === "string" && random.chance(0.2) && /^[a-z][a-z ]*[a-z]$/.test(value)) {
    return `${random.pick([" |-", " >-"])}\n${indent}  ${value}\n`;
  }
  return ` ${scalar(value, random)}${random.chance(0.03) ? " # why" : ""}\n`;
}

function flow(value: Value, random: Random): string {
  if (value instanceof Map) {
    return `{${[...value].map(([key, item]) => `${scalar(key, random)}: ${flow(item, random)}`).join(", ")}}`;
  }
  if (isList(value)) return `[${value.map((item) => flow(item, random)).join(", ")}]`;
  return value === null ? "null" : scalar(value, random);
}

function scalar(value: string | number | boolean, random: Random): string {
  if (typeof value !== "string") return String(value);
  const isPlain =
    /^[A-Za-z.][\w./-]*( [\w./-]+)*$/.test(value) && !/^(true|false|null|\.nan|\.inf|yes|no|on|off)$/i.test(value);
  if (isPlain && random.chance(0.8)) return value;
  return random.chance(0.5) && !/[\\\n\t]/.test(value) ? `'${value.replaceAll("'", "''")}'` : JSON.stringify(value);
}
