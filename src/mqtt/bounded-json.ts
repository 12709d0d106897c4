// JSON from a device. Its depth is bounded before it is parsed, and the NaN and Infinity that some libraries write are
// accepted.
import { randomUUID } from "node:crypto";
import { endOfString, jsonExcess } from "#core/text/json-excess.ts";

const LIMITS = { depth: 32, values: 100_000 };
const OBJECT = /^\s*\{/;
const utf8 = new TextDecoder("utf-8", { fatal: true });
const EMPTY = /^\s*$/;

/** The caller owns the map and may change it. */
export type ReadObject = { readonly members: Map<string, unknown> } | { readonly problem: string };

/** Reads one JSON object. Every member name is an ordinary name, `__proto__` included. */
export function readJsonObject(bytes: Uint8Array): ReadObject {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { problem: "is not UTF-8 text" };
  }
  if (EMPTY.test(text)) return { problem: "is empty" };
  const excess = jsonExcess(text, LIMITS);
  if (excess !== undefined) return { problem: `is ${excess}` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    value = parseWithNonFinite(text);
    if (value === undefined) return { problem: `is not JSON: ${explain(error)}` };
  }
  return OBJECT.test(text)
    ? { members: membersOf(value as Record<string, unknown>) }
    : { problem: "is not a JSON object" };
}

function membersOf(object: Readonly<Record<string, unknown>>): Map<string, unknown> {
  const members = new Map<string, unknown>();
  for (const name of Object.keys(object)) members.set(name, object[name]);
  return members;
}

const NON_FINITE: ReadonlyMap<string, number> = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);
const WORD = /-?Infinity|NaN/g;
const MARK = `${randomUUID()}:`;

/**
 * Marks NaN and Infinity so that one bad number does not cost the whole message and can be left out by name later.
 * Undefined when the text is still no JSON.
 */
function parseWithNonFinite(text: string): unknown {
  if (!/NaN|Infinity/.test(text)) return undefined;
  try {
    return JSON.parse(markNonFinite(text), (_name, value: unknown) =>
      typeof value === "string" && value.startsWith(MARK) ? NON_FINITE.get(value.slice(MARK.length)) : value,
    );
  } catch {
    return undefined;
  }
}

/**
 * Turns each such word outside strings into a marked string. Looks at every character once, even when a string is not
 * closed.
 */
function markNonFinite(text: string): string {
  const parts: string[] = [];
  let from = 0;
  while (from < text.length) {
    const quote = text.indexOf('"', from);
    const opens = quote < 0 ? text.length : quote;
    parts.push(text.slice(from, opens).replaceAll(WORD, (word) => JSON.stringify(MARK + word)));
    from = opens < text.length ? endOfString(text, opens) + 1 : opens;
    parts.push(text.slice(opens, from));
  }
  return parts.join("");
}

/** The engine's message, unless it quotes the text: the text may hold a secret. */
function explain(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  if (message.startsWith("Unexpected end")) return "it ends too early";
  const [, what, position] = /^((?!Unexpected token).*?) in JSON at (position \d+)/.exec(message) ?? [];
  return what === undefined ? "unexpected character" : `${what} at ${position}`;
}
