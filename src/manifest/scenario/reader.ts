// Readers of a scenario's parts. Each reader has one description, used twice: in error messages for people, and as JSON
// Schema for their editors.
import type { Blueprint, JsonValue } from "#core/blueprint/blueprint.ts";
import type { Position } from "#core/blueprint/issue.ts";
import type { JsonSchema } from "#core/blueprint/json-schema.ts";
import type { WordOrder } from "#core/modbus/register-value.ts";
import type { PeerKind, Placed } from "#core/scenario/scenario.ts";
import { parseDuration, toMilliseconds } from "#core/time/duration.ts";
import { parseInstant } from "#core/time/instant.ts";
import type { Reporter } from "#manifest/reporter.ts";
import type { Node, Trail } from "#manifest/tree.ts";
import { choices, kindOf, quote, short } from "#manifest/words.ts";

export interface ScenarioContext {
  readonly reporter: Reporter;
  readonly blueprint: Blueprint;
  /** Known before anything else is read, so that steps can be checked against them. */
  readonly peers: ReadonlyMap<string, PeerHint>;
  readonly positionOf: (offset: number) => Position;
}

/** What a peer's declaration says for all steps that name the peer. */
export interface PeerHint {
  readonly kind: PeerKind;
  /** For a Modbus peer. */
  readonly words: WordOrder;
  readonly unit: number;
}

export interface Reader<T> {
  readonly schema: JsonSchema;
  /** Undefined when something is wrong, and then it has been reported. */
  read(context: ScenarioContext, trail: Trail): T | undefined;
}

export interface Field<T, R extends boolean = boolean> {
  readonly reader: Reader<T>;
  readonly required: R;
  readonly description: string;
  /** The value of a field that is left out. */
  readonly fallback?: T;
}

export function must<T>(reader: Reader<T>, description: string): Field<T, true> {
  return { reader, required: true, description };
}

export function may<T>(reader: Reader<T>, description: string): Field<T, false> {
  return { reader, required: false, description };
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

/** Has a value also when it is left out. */
export function withDefault<T>(reader: Reader<T>, fallback: T, description: string): Field<T, true> {
  return { reader, required: true, description, fallback };
}

type CamelCase<N> = N extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : N;

export type ReadFields<F> = {
  readonly [N in keyof F as CamelCase<N> & string]: F[N] extends Field<infer T, infer R>
    ? R extends true
      ? T
      : T | undefined
    : never;
};

export const text: Reader<string> = {
  schema: { type: "string" },
  read: (context, trail) => {
    const { node } = trail;
    if (node.kind === "scalar" && typeof node.value === "string") return node.value;
    return wrong(context, trail, "a text");
  },
};

export const flag: Reader<boolean> = {
  schema: { type: "boolean" },
  read: (context, trail) => {
    const { node } = trail;
    if (node.kind === "scalar" && typeof node.value === "boolean") return node.value;
    return wrong(context, trail, "true or false");
  },
};

export const number: Reader<number> = {
  schema: { type: "number" },
  read: (context, trail) => {
    const { node } = trail;
    if (node.kind === "scalar" && typeof node.value === "number" && Number.isFinite(node.value)) return node.value;
    return wrong(context, trail, "a number");
  },
};

/** What `reader` reads, if it passes. `wanted` says in messages what does. */
export function checked<T>(reader: Reader<T>, passes: (value: T) => boolean, wanted: string): Reader<T> {
  return {
    schema: reader.schema,
    read: (context, trail) => {
      const value = reader.read(context, trail);
      return value === undefined || passes(value) ? value : wrong(context, trail, wanted);
    },
  };
}

export function integer(least: number, most: number): Reader<number> {
  const isInside = (value: number) => Number.isInteger(value) && value >= least && value <= most;
  return {
    ...checked(number, isInside, `a whole number from ${least} to ${most}`),
    schema: { type: "integer", minimum: least, maximum: most },
  };
}

/** One word that means something of its own, or whatever `other` reads. */
export function wordOr<const W extends string | boolean, M, T>(
  { word, meaning }: { readonly word: W; readonly meaning: M },
  other: Reader<T>,
): Reader<M | T> {
  return {
    schema: { anyOf: [{ const: word }, other.schema] },
    read: (context, trail) =>
      trail.node.kind === "scalar" && trail.node.value === word ? meaning : other.read(context, trail),
  };
}

/** Everything that happens meanwhile is remembered, so a longer time would not end well. */
const LONGEST_MS = 7 * 24 * 3_600_000;

/** `5s`, `1m30s`; a bare number would leave open whether it means seconds. */
export const duration: Reader<number> = {
  schema: { type: "string", pattern: "^(\\d+(\\.\\d+)?(ms|s|m|h|d))+$", examples: ["5s", "200ms", "1m30s"] },
  read: (context, trail) => {
    const { node } = trail;
    const parsed = node.kind === "scalar" && typeof node.value === "string" ? parseDuration(node.value) : undefined;
    if (parsed !== undefined && toMilliseconds(parsed) <= LONGEST_MS) return toMilliseconds(parsed);
    if (node.kind === "scalar" && node.value === 0) return 0;
    if (parsed !== undefined) {
      const message = `${nameOf(trail)} must be seven days at most. To reach another date, set the clock.`;
      context.reporter.atValue(trail, { code: "bad_duration", message });
      return undefined;
    }
    const hint = node.kind === "scalar" && typeof node.value === "number" ? ` Did you mean ${node.value}s?` : "";
    const message = `${nameOf(trail)} must be a duration such as 5s, 200ms or 1m30s, and is ${kindOf(node)}.${hint}`;
    context.reporter.atValue(trail, { code: "bad_duration", message });
    return undefined;
  },
};

export const moment: Reader<number> = {
  schema: { type: "string", format: "date-time", examples: ["2026-06-21T10:00:00Z"] },
  read: (context, trail) => {
    const source = trail.node.kind === "scalar" ? trail.node.text : "";
    return parseInstant(source) ?? wrong(context, trail, "a moment such as 2026-06-21T10:00:00Z");
  },
};

export function oneOf<const V extends readonly string[]>(values: V): Reader<V[number]> {
  return {
    schema: { enum: values },
    read: (context, trail) => {
      const value = text.read(context, trail);
      if (value === undefined || values.includes(value)) return value;
      return unknownWord(context, trail, { word: value, known: values });
    },
  };
}

/** Anything at all, as it would stand in JSON. */
export const anything: Reader<JsonValue> = {
  schema: {},
  read: (context, trail) => {
    const { node } = trail;
    if (reportBroken(context, trail)) return undefined;
    return plainOf(node);
  },
};

/** Broken parts are null; their problems have already been reported. */
function plainOf(node: Node): JsonValue {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return node.items.map(plainOf);
    case "map":
      return Object.fromEntries([...node.entries].map(([key, entry]) => [key, plainOf(entry.value)]));
    case "broken":
      return null;
  }
}

/** The position of the key, or of an item of a list. */
export function placeOf(context: ScenarioContext, { entry, node }: Trail): Position {
  return context.positionOf(entry?.keyStart ?? node.start);
}

export function mapReader<A, B>(reader: Reader<A>, change: (value: A, place: Position) => B): Reader<B> {
  return {
    schema: reader.schema,
    read: (context, trail) => {
      const value = reader.read(context, trail);
      return value === undefined ? undefined : change(value, placeOf(context, trail));
    },
  };
}

export function placed<T>(reader: Reader<T>): Reader<Placed<T>> {
  return mapReader(reader, (value, place) => ({ place, value }));
}

export function wrong(context: ScenarioContext, trail: Trail, wanted: string): undefined {
  if (reportBroken(context, trail)) return undefined;
  const name = trail.parent === undefined ? `The ${context.reporter.what}` : nameOf(trail);
  const message = `${name} must be ${wanted}, and is ${kindOf(trail.node)}.`;
  context.reporter.atValue(trail, { code: "wrong_type", message });
  return undefined;
}

function unknownWord(
  context: ScenarioContext,
  trail: Trail,
  { word, known }: { readonly word: string; readonly known: readonly string[] },
): undefined {
  const { words } = choices(context.reporter, word, known);
  context.reporter.atValue(trail, {
    code: "unknown_value",
    message: `${nameOf(trail)} cannot be ${quote(word)}. ${words}`,
  });
  return undefined;
}

export function unknownKey(
  context: ScenarioContext,
  trail: Trail,
  { what, known }: { readonly what: string; readonly known: readonly string[] },
): void {
  const taken = trail.parent?.node.kind === "map" ? trail.parent.node.entries : new Map();
  const free = known.filter((name) => !taken.has(name));
  const { words } = choices(context.reporter, String(trail.step), free);
  const message = `${withArticle(what)} has no key ${quote(String(trail.step))}. ${words}`;
  context.reporter.atKey(trail, { code: "unknown_key", message });
}

export function nameOf(trail: Trail): string {
  if (trail.parent === undefined) return "The scenario";
  if (typeof trail.step === "number") return `item ${trail.step + 1} of ${nameOf(trail.parent)}`;
  return short(trail.step);
}

/** Whatever could not be read as YAML, or was given twice. True when there is nothing to go on with. */
export function reportBroken({ reporter }: ScenarioContext, trail: Trail): boolean {
  const { node } = trail;
  if (node.kind === "map") for (const problem of node.problems) reporter.atSpan(trail, problem);
  if (node.kind === "broken") reporter.atSpan(trail, node.problem);
  return node.kind === "broken";
}

export function withArticle(what: string): string {
  return `${/^[aeiou]/.test(what) ? "An" : "A"} ${what}`;
}
