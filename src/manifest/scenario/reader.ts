// Readers of a scenario's parts. A reader says what it reads twice from one description: to people who get it wrong, and
// as JSON Schema to their editors.
import type { Blueprint, JsonValue } from "#core/blueprint/blueprint.ts";
import type { Position } from "#core/blueprint/issue.ts";
import type { JsonSchema } from "#core/blueprint/json-schema.ts";
import type { WordOrder } from "#core/scenario/register-value.ts";
import type { PeerKind, Placed } from "#core/scenario/scenario.ts";
import { parseDuration, toMilliseconds } from "#core/time/duration.ts";
import { parseInstant } from "#core/time/instant.ts";
import type { Reporter } from "#manifest/reporter.ts";
import { entryTrail, itemTrail, type Node, type Trail } from "#manifest/tree.ts";
import { choices, kindOf, quote, short } from "#manifest/words.ts";

export interface ScenarioContext {
  readonly reporter: Reporter;
  readonly blueprint: Blueprint;
  /** Known before anything else is read, so that steps can be held against them. */
  readonly peers: ReadonlyMap<string, PeerHint>;
  readonly positionOf: (offset: number) => Position;
}

/** What a peer's declaration says for all steps that name the peer. */
export interface PeerHint {
  readonly kind: PeerKind;
  /** Of a Modbus peer. */
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
}

export function must<T>(reader: Reader<T>, description: string): Field<T, true> {
  return { reader, required: true, description };
}

export function may<T>(reader: Reader<T>, description: string): Field<T, false> {
  return { reader, required: false, description };
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

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

export function integer(least: number, most: number): Reader<number> {
  return {
    schema: { type: "integer", minimum: least, maximum: most },
    read: (context, trail) => {
      const value = number.read(context, trail);
      if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) return value;
      return wrong(context, trail, `a whole number from ${least} to ${most}`);
    },
  };
}

/** `5s`, `1m30s`; a bare number would leave open whether it means seconds. */
export const duration: Reader<number> = {
  schema: { type: "string", pattern: "^(\\d+(\\.\\d+)?(ms|s|m|h|d))+$", examples: ["5s", "200ms", "1m30s"] },
  read: (context, trail) => {
    const { node } = trail;
    const parsed = node.kind === "scalar" && typeof node.value === "string" ? parseDuration(node.value) : undefined;
    if (parsed !== undefined) return toMilliseconds(parsed);
    if (node.kind === "scalar" && node.value === 0) return 0;
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

/** Broken parts are null; whoever cares has reported them. */
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

export function listOf<T>(item: Reader<T>, what = "a list"): Reader<readonly T[]> {
  return {
    schema: { type: "array", items: item.schema },
    read: (context, trail) => {
      const { node } = trail;
      if (reportBroken(context, trail)) return undefined;
      if (node.kind !== "list") return wrong(context, trail, what);
      return node.items.flatMap((one, index) => {
        const value = item.read(context, itemTrail(trail, index, one));
        return value === undefined ? [] : [value];
      });
    },
  };
}

/** One alone stands for a list of one. */
export function oneOrMore<T>(item: Reader<T>): Reader<readonly T[]> {
  const list = listOf(item);
  return {
    schema: { anyOf: [item.schema, list.schema] },
    read: (context, trail) => {
      if (trail.node.kind === "list") return list.read(context, trail);
      const value = item.read(context, trail);
      return value === undefined ? undefined : [value];
    },
  };
}

export function placed<T>(reader: Reader<T>): Reader<Placed<T>> {
  return {
    schema: reader.schema,
    read: (context, trail) => {
      const value = reader.read(context, trail);
      return value === undefined ? undefined : { place: placeOf(context, trail), value };
    },
  };
}

/** Where the key stands, or an item of a list. */
export function placeOf(context: ScenarioContext, { entry, node }: Trail): Position {
  return context.positionOf(entry?.keyStart ?? node.start);
}

interface RecordOptions<K, T> {
  /** What the keys are, for messages: "peer". */
  readonly keys: string;
  /** Undefined when the key is wrong, and then it has been reported. */
  readonly key: (context: ScenarioContext, trail: Trail) => K | undefined;
  /** What lies below a key may depend on it. */
  readonly value: (context: ScenarioContext, key: K) => Reader<T>;
  readonly schema: JsonSchema;
}

/** An object whose keys are names. */
export function recordOf<K, T>({ keys, key, value, schema }: RecordOptions<K, T>): Reader<ReadonlyMap<K, T>> {
  return {
    schema: { type: "object", additionalProperties: schema },
    read: (context, trail) => {
      const { node } = trail;
      if (reportBroken(context, trail)) return undefined;
      if (node.kind !== "map") return wrong(context, trail, `an object, with a key for each ${keys}`);
      const read = new Map<K, T>();
      for (const entry of node.entries.values()) {
        const inner = entryTrail(trail, entry);
        const name = key(context, inner);
        if (name === undefined) continue;
        const content = value(context, name).read(context, inner);
        if (content !== undefined) read.set(name, content);
      }
      return read;
    },
  };
}

/** Keys that may be any text. */
export function textRecord<T>(keys: string, value: Reader<T>): Reader<ReadonlyMap<string, T>> {
  return recordOf({ keys, key: (_, { step }) => String(step), value: () => value, schema: value.schema });
}

/** Keys that the manifest or the scenario declares. */
export function namedRecord<T>(
  keys: string,
  known: (context: ScenarioContext) => Iterable<string>,
  value: Reader<T>,
): Reader<ReadonlyMap<string, T>> {
  return recordOf({ keys, key: knownKey(keys, known), value: () => value, schema: value.schema });
}

export function knownKey(what: string, known: (context: ScenarioContext) => Iterable<string>) {
  return (context: ScenarioContext, trail: Trail): string | undefined => {
    const word = String(trail.step);
    const names = [...known(context)];
    if (names.includes(word)) return word;
    const { words } = choices(context.reporter, word, names);
    const message = `There is no ${what} ${quote(word)}. ${words || `No ${what} is declared.`}`;
    context.reporter.atKey(trail, { code: "unknown_value", message });
    return undefined;
  };
}

/** A text that names something the manifest declares. */
export function nameIn(what: string, known: (context: ScenarioContext) => Iterable<string>): Reader<string> {
  return {
    schema: { type: "string" },
    read: (context, trail) => {
      const word = text.read(context, trail);
      if (word === undefined) return undefined;
      const names = [...known(context)];
      if (names.includes(word)) return word;
      const { words } = choices(context.reporter, word, names);
      const message = `There is no ${what} ${quote(word)}. ${words || `No ${what} is declared.`}`;
      context.reporter.atValue(trail, { code: "unknown_value", message });
      return undefined;
    },
  };
}

/** Keys with meanings of their own. `what` is for messages: "step". */
export function object<const F extends Fields>(what: string, fields: F): Reader<ReadFields<F>> {
  const byName = new Map<string, Field<unknown>>(Object.entries(fields));
  return {
    schema: objectSchema(byName),
    read: (context, trail) => {
      const { node } = trail;
      if (reportBroken(context, trail)) return undefined;
      if (node.kind !== "map") return wrong(context, trail, "an object, with keys below it");
      const read: Record<string, unknown> = {};
      let isWhole = true;
      for (const entry of node.entries.values()) {
        const inner = entryTrail(trail, entry);
        const field = byName.get(entry.key);
        if (field === undefined) unknownKey(context, inner, { what, known: [...byName.keys()] });
        else {
          const value = field.reader.read(context, inner);
          if (value === undefined && field.required) isWhole = false;
          read[camelCase(entry.key)] = value;
        }
      }
      for (const [name, field] of byName) {
        if (!field.required || node.entries.has(name)) continue;
        isWhole = false;
        const message = `${withArticle(what)} needs ${name}. ${field.description}`;
        context.reporter.atKey(trail, { code: "missing_key", message });
      }
      // Put together by the fields, from which the type is derived.
      return isWhole ? (read as ReadFields<F>) : undefined;
    },
  };
}

export function objectSchema(fields: Iterable<readonly [string, Field<unknown>]>): JsonSchema {
  const list = [...fields];
  const needed = list.filter(([, field]) => field.required).map(([name]) => name);
  return {
    type: "object",
    ...(needed.length > 0 ? { required: needed } : {}),
    properties: Object.fromEntries([
      ...list.map(([name, { description, reader }]) => [name, { description, ...reader.schema }]),
      ["<<", true],
    ]),
    patternProperties: { "^\\.\\w*$": true },
    additionalProperties: false,
  };
}

/** Chooses the reader by what is written: a text or number, a list, or an object. */
export function byForm<T>(forms: {
  readonly scalar?: Reader<T>;
  readonly list?: Reader<T>;
  readonly map?: Reader<T>;
  readonly wanted: string;
}): Reader<T> {
  const known = [forms.scalar, forms.list, forms.map].filter((reader) => reader !== undefined);
  return {
    schema: { anyOf: known.map(({ schema }) => schema) },
    read: (context, trail) => {
      const { kind } = trail.node;
      if (reportBroken(context, trail)) return undefined;
      const reader = kind === "broken" ? undefined : forms[kind];
      return reader === undefined ? wrong(context, trail, forms.wanted) : reader.read(context, trail);
    },
  };
}

export function mapReader<A, B>(reader: Reader<A>, change: (value: A) => B): Reader<B> {
  return {
    schema: reader.schema,
    read: (context, trail) => {
      const value = reader.read(context, trail);
      return value === undefined ? undefined : change(value);
    },
  };
}

export function wrong(context: ScenarioContext, trail: Trail, wanted: string): undefined {
  if (reportBroken(context, trail)) return undefined;
  const message = `${nameOf(trail)} must be ${wanted}, and is ${kindOf(trail.node)}.`;
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
function reportBroken({ reporter }: ScenarioContext, trail: Trail): boolean {
  const { node } = trail;
  if (node.kind === "map") for (const problem of node.problems) reporter.atSpan(trail, problem);
  if (node.kind === "broken") reporter.atSpan(trail, node.problem);
  return node.kind === "broken";
}

function withArticle(what: string): string {
  return `${/^[aeiou]/.test(what) ? "An" : "A"} ${what}`;
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
