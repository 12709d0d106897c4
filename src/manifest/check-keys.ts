import type { Fix } from "#core/blueprint/issue.ts";
import { BLUEPRINT_SPECS } from "#core/blueprint/schema.ts";
import type { ObjectShape, Shape } from "#core/blueprint/shape.ts";
import { quoteLike, renameKey, titleOf } from "./edits.ts";
import type { Reporter } from "./reporter.ts";
import type { MapNode, Trail } from "./tree.ts";
import { choices, nameOf, quote, short } from "./words.ts";

/** What people write who come from other formats, where no letters are wrong but the word is. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ["name", "display_name"],
  ["title", "display_name"],
  ["label", "display_name"],
  ["opts", "options"],
  ["args", "arguments"],
  ["params", "parameters"],
  ["mobile_quick_access", "quick_access"],
  ["values", "enum"],
  ["minimum", "min"],
  ["maximum", "max"],
  ["secret", "sensitive"],
  ["scale", "auto_scale"],
]);

export function reportUnknownKey(reporter: Reporter, shape: ObjectShape, trail: Trail): void {
  if (trail.entry === undefined || trail.parent?.node.kind !== "map" || reporter.skips("unknown_key")) return;
  const { entry } = trail;
  const taken = trail.parent.node.entries;
  const free = [...shape.byName.keys()].filter((name) => !taken.has(name));
  const other = OTHER_WORDS.get(entry.key);
  const { nearest, words } =
    other !== undefined && free.includes(other)
      ? { nearest: other, words: `Did you mean ${other}?` }
      : choices(reporter, entry.key, free);
  const owner = trail.parent.parent === undefined ? "A manifest" : `A ${shape.what}`;
  const message = `${owner} has no key ${quote(entry.key)}. ${words}`;
  const fix = nearest === undefined ? undefined : renameKey(reporter.text, entry, nearest);
  reporter.atKey(trail, { code: "unknown_key", message, fix });
}

interface Missing {
  readonly name: string;
  readonly trail: Trail;
  readonly map: MapNode;
}

export function missingKey(reporter: Reporter, shape: ObjectShape, { name, trail, map }: Missing): void {
  if (reporter.skips("missing_key")) return;
  const what = trail.parent === undefined ? "The manifest" : `The ${shape.what} ${short(String(trail.step))}`;
  const description = shape.byName.get(name)?.description ?? "";
  const fix = insertKey(reporter.text, { name, trail, map });
  reporter.atKey(trail, { code: "missing_key", message: `${what} has no ${name}. ${description}`, fix });
}

/** A first value for keys where one can be guessed. */
function insertKey(text: string, { name, trail, map }: Missing): Fix | undefined {
  const value = firstValue(name, trail);
  const [first] = map.entries.values();
  if (value === undefined || first === undefined) return undefined;
  const { keyStart: start } = first;
  if (start < map.start || start >= map.end) return undefined;
  const indent = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  const isFlow = text[map.start] === "{";
  if (!isFlow && indent.trim() !== "") return undefined;
  const like = isFlow ? text.slice(start, first.keyEnd) : "";
  const source = `${quoteLike(name, like)}: ${quoteLike(value, like)}`;
  const edit = { start, end: start, text: isFlow ? `${source}, ` : `${source}\n${indent}` };
  return { title: `Add ${name}`, edits: [edit] };
}

function firstValue(name: string, trail: Trail): string | undefined {
  if (name === "blueprint_spec") return BLUEPRINT_SPECS.at(-1);
  if (name !== "display_name" || trail.parent === undefined) return undefined;
  return titleOf(String(trail.step)) || undefined;
}

export function reportEmpty(reporter: Reporter, shape: Shape, trail: Trail): undefined {
  if (reporter.skips("empty_value")) return undefined;
  const { node, entry } = trail;
  const container = shape.kind === "object" || shape.kind === "map" || shape.kind === "enum";
  const advice = container ? "Put something below it, or remove the line." : "Give it a value, or remove the line.";
  const written = reporter.text.slice(node.start, node.end);
  const empty = shape.kind === "map" ? " {}" : shape.kind === "list" ? " []" : undefined;
  const fix =
    empty !== undefined && entry && written === ""
      ? {
          title: `Write${empty}`,
          edits: [
            { start: colonEnd(reporter.text, entry.keyEnd), end: colonEnd(reporter.text, entry.keyEnd), text: empty },
          ],
        }
      : undefined;
  reporter.atValue(trail, { code: "empty_value", message: `${nameOf(trail)} is empty. ${advice}`, fix });
  return undefined;
}

const colonEnd = (text: string, from: number): number => text.indexOf(":", from) + 1;
