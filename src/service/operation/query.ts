// Query parameters: one description provides the parser and the entry in the OpenAPI document. An empty value means
// "not given".
import type { Refusal } from "#core/app-error.ts";
import { MistakeList, refuseMistakes } from "#core/mistakes.ts";
import { nearestOf } from "#core/text/nearest.ts";
import { durationProblem, parseDuration } from "#core/time/duration.ts";
import { type FineTime, type Instant, parseBound } from "#core/time/instant.ts";
import type { PageRequest } from "#service/ports/page.ts";

export interface Param<Value> {
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  /** Several values, joined by commas; `map`: such a list for each of several keys. */
  readonly many?: "list" | "map";
  /** The only words that it takes. */
  readonly words?: readonly string[];
  /** Returns the value, or says what is wrong with the text. */
  readonly parse: (text: string) => { readonly value: Value } | { readonly problem: string };
}

export type QuerySpec = Readonly<Record<string, Param<unknown>>>;

export type ParsedQuery<Spec extends QuerySpec> = {
  readonly [Name in keyof Spec]: (Spec[Name] extends Param<infer Value> ? Value : never) | undefined;
};

export function parseQuery<Spec extends QuerySpec>(
  spec: Spec,
  given: Readonly<Record<string, unknown>>,
): ParsedQuery<Spec> {
  const values: Record<string, unknown> = Object.create(null);
  const refusals = new MistakeList<Refusal>();
  for (const [name, text] of Object.entries(given)) {
    const keyed = KEYED.exec(name);
    const known = keyed === null ? name : `${keyed[1]}[]`;
    const param = Object.hasOwn(spec, known) ? spec[known] : undefined;
    if (param === undefined) refusals.add(() => bad(name, unknownParameter(name, Object.keys(spec))));
    else if (keyed !== null && typeof text === "string") {
      const map = (values[known] ?? new Map()) as Map<string, readonly string[]>;
      const items = [...new Set(split(text))];
      if (items.length > 0) values[known] = map.set(keyed[2] ?? "", items);
    } else if (typeof text !== "string") refusals.add(() => bad(name, `${name} is given more than once`));
    else if (text !== "") {
      const parsed = param.parse(text);
      if ("problem" in parsed) refusals.add(() => bad(name, `${name} ${parsed.problem}`));
      else values[name] = parsed.value;
    }
  }
  refuseMistakes(refusals);
  return values as ParsedQuery<Spec>;
}

const KEYED = /^([^[\]]+)\[(.+)\]$/;

/** A parameter written `name[key]=a,b` for any number of keys; its own name ends with []. */
export function mapOf(description: string): Param<ReadonlyMap<string, readonly string[]>> {
  return {
    description,
    schema: { type: "object", additionalProperties: { type: "string", description: "comma-separated" } },
    many: "map",
    parse: () => ({ problem: "is written with a key, such as name[key]=value" }),
  };
}

/** More than any list has. Beyond it, sums with other numbers would not be exact. */
const LARGEST = 999_999_999_999_999;

export function wholeNumber(description: string): Param<number> {
  return {
    description,
    schema: { type: "integer", minimum: 0 },
    parse: (text) =>
      /^\d+$/.test(text)
        ? { value: Math.min(Number(text), LARGEST) }
        : { problem: `must be a whole number, 0 or more, not ${shown(text)}` },
  };
}

/** In a query, a plus that is not written as %2B means a space; before an offset, only a plus can be meant. */
const PLUS_READ_AS_SPACE = / (?=\d\d:\d\d$)/;

/** A bound of records whose times have milliseconds. */
export function dateTime(description: string): Param<Instant> {
  return timeParam(description, (text) => parseBound(text));
}

/** A bound of records whose times have microseconds. */
export function fineDateTime(description: string): Param<FineTime> {
  return timeParam(description, (text) => parseBound(text, 6));
}

function timeParam<Time>(description: string, read: (text: string) => Time | undefined): Param<Time> {
  return {
    description,
    schema: { type: "string", format: "date-time" },
    parse: (text) => {
      const value = read(text.replace(PLUS_READ_AS_SPACE, "+"));
      return value === undefined
        ? { problem: `must be an RFC 3339 date-time such as 2026-11-14T12:00:00Z, not ${shown(text)}` }
        : { value };
    },
  };
}

/** A length of time, in milliseconds. */
export function duration(description: string): Param<number> {
  return {
    description,
    schema: { type: "string", description: "a duration such as 30s or 1.5m" },
    parse: (text) => {
      const value = parseDuration(text);
      return value === undefined
        ? { problem: `${durationProblem(text)}, not ${shown(text)}` }
        : { value: Number(value) / 1e6 };
    },
  };
}

/** The same, up to a longest one. */
export function durationUpTo(maxMs: number, description: string): Param<number> {
  const any = duration(description);
  return {
    ...any,
    parse: (text) => {
      const parsed = any.parse(text);
      return "value" in parsed && parsed.value > maxMs
        ? { problem: `must be at most ${maxMs / 1_000}s, not ${shown(text)}` }
        : parsed;
    },
  };
}

export function anyText(description: string): Param<string> {
  return { description, schema: { type: "string" }, parse: (value) => ({ value }) };
}

/** One of several words, in upper or lower case. */
export function choice<Word extends string>(description: string, words: readonly Word[]): Param<Word> {
  return { description, schema: { type: "string", enum: words }, words, parse: (text) => chosen(text, words) };
}

/** A comma-separated list of any texts. */
export function list(description: string): Param<readonly string[]> {
  return {
    description,
    schema: { type: "string", description: "comma-separated" },
    many: "list",
    parse: (text) => ({ value: split(text) }),
  };
}

/** A comma-separated list of known words, in upper or lower case. */
export function listOf<Word extends string>(description: string, words: readonly Word[]): Param<readonly Word[]> {
  return {
    description: `${description} Any of: ${words.join(", ")}.`,
    schema: { type: "string", description: "comma-separated" },
    many: "list",
    words,
    parse: (text) => {
      const value: Word[] = [];
      for (const part of split(text)) {
        const found = chosen(part, words);
        if ("problem" in found) return found;
        value.push(found.value);
      }
      return { value };
    },
  };
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

export const paging = {
  limit: wholeNumber(
    `The most items to answer with. Default ${DEFAULT_LIMIT}; more than ${MAX_LIMIT} counts as ${MAX_LIMIT}.`,
  ),
  offset: wholeNumber("How many items to skip before the first one."),
};

export function pageOf(query: {
  readonly limit: number | undefined;
  readonly offset: number | undefined;
}): PageRequest {
  return { limit: Math.min(query.limit ?? DEFAULT_LIMIT, MAX_LIMIT), offset: query.offset ?? 0 };
}

function split(text: string): readonly string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function chosen<Word extends string>(text: string, words: readonly Word[]): { value: Word } | { problem: string } {
  const value = words.find((word) => word.toLowerCase() === text.toLowerCase());
  if (value !== undefined) return { value };
  const close = nearestOf(text, words);
  const hint = close === undefined ? "" : `; did you mean ${close}?`;
  return { problem: `must be one of ${words.join(", ")}, not ${shown(text)}${hint}` };
}

function unknownParameter(name: string, known: readonly string[]): string {
  const close = nearestOf(name, known);
  if (close !== undefined) return `there is no query parameter ${shown(name)}; did you mean ${close}?`;
  const others = known.length === 0 ? "this operation takes none" : `this operation takes ${known.join(", ")}`;
  return `there is no query parameter ${shown(name)}; ${others}`;
}

function bad(parameter: string, message: string): Refusal {
  return { code: "invalid_query", message, details: { parameter: parameter.slice(0, 100) } };
}

/** User text in the form that messages use: quoted and short. */
function shown(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}
