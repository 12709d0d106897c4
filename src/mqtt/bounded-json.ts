// JSON from a device: bounded in depth before it is parsed, and with the NaN and Infinity that some libraries write.
import { randomUUID } from "node:crypto";

const MAX_DEPTH = 32;
const OBJECT = /^\s*\{/;
const utf8 = new TextDecoder("utf-8", { fatal: true });
const EMPTY = /^\s*$/;

/** The members belong to whoever reads them. */
export type ReadObject = { readonly members: Map<string, unknown> } | { readonly problem: string };

/** Reads one JSON object. Member names are ordinary names whatever they are, `__proto__` included. */
export function readJsonObject(bytes: Uint8Array): ReadObject {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { problem: "is not UTF-8 text" };
  }
  if (EMPTY.test(text)) return { problem: "is empty" };
  if (isTooDeep(bytes)) return { problem: `is nested more than ${MAX_DEPTH} levels deep` };
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

/** Brackets outside strings, counted without recursion. In UTF-8 none of these bytes is part of another character. */
function isTooDeep(bytes: Uint8Array): boolean {
  let opened = 0;
  for (const byte of bytes) if (byte === OPEN_BRACE || byte === OPEN_BRACKET) opened++;
  if (opened <= MAX_DEPTH) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const code = bytes[at];
    if (inString) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth -= 1;
  }
  return false;
}

const [QUOTE, BACKSLASH, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [34, 92, 123, 125, 91, 93];

const NON_FINITE: ReadonlyMap<string, number> = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Number.POSITIVE_INFINITY],
  ["-Infinity", Number.NEGATIVE_INFINITY],
]);
/** A string or a word that stands alone. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g;
const MARK = `${randomUUID()}:`;

/** One bad number must not cost the whole message, so that it can be left out by name later. Undefined: no JSON even so. */
function parseWithNonFinite(text: string): unknown {
  if (!/NaN|Infinity/.test(text)) return undefined;
  const marked = text.replaceAll(TOKENS, (token) => (NON_FINITE.has(token) ? JSON.stringify(MARK + token) : token));
  try {
    return JSON.parse(marked, (_name, value: unknown) =>
      typeof value === "string" && value.startsWith(MARK) ? NON_FINITE.get(value.slice(MARK.length)) : value,
    );
  } catch {
    return undefined;
  }
}

/** The engine's message unless it quotes the text, which may hold a secret. */
function explain(error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  if (message.startsWith("Unexpected end")) return "it ends too early";
  const [, what, position] = /^((?!Unexpected token).*?) in JSON at (position \d+)/.exec(message) ?? [];
  return what === undefined ? "unexpected character" : `${what} at ${position}`;
}
