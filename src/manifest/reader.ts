// Readers of documents that people write: scenarios and register maps. A reader is one description with three uses: it gives
// a value its type, says in words what does not fit, and is the JSON Schema for editors.
import type { JsonValue } from "#core/blueprint/blueprint.ts";
import type { Position } from "#core/blueprint/issue.ts";
import type { JsonSchema } from "#core/blueprint/json-schema.ts";
import { parseDuration, toMilliseconds } from "#core/time/duration.ts";
import { parseInstant } from "#core/time/instant.ts";
import type { Finding, Reporter } from "./reporter.ts";
import { entryTrail, hasKey, itemTrail, type Node, type ScalarNode, type Trail } from "./tree.ts";
import { choices, kindOf, nameOf, quote } from "./words.ts";

export interface ReadContext {
  readonly reporter: Reporter;
  readonly positionOf: (offset: number) => Position;
}

export interface Reader<T> {
  readonly schema: JsonSchema;
  /** Undefined when something is wrong, and then it has been reported. */
  read(context: ReadContext, trail: Trail): T | undefined;
}

/** A value, and its place in the document. */
export interface Placed<T> {
  readonly place: Position;
  readonly value: T;
}

/** What cannot be read as YAML at all is reported before `read` is called. */
export function reader<T>(schema: JsonSchema, read: Reader<T>["read"]): Reader<T> {
  return {
    schema,
    read: (context, trail) => {
      const { node } = trail;
      if (node.kind === "broken") return context.reporter.atSpan(trail, node.problem);
      if (node.kind === "map") for (const problem of node.problems) context.reporter.atSpan(trail, problem);
      return read(context, trail);
    },
  };
}

/** A single value that `parse` takes. `wanted` says in messages what that is. */
export function scalar<T>(schema: JsonSchema, wanted: string, parse: (node: ScalarNode) => T | undefined): Reader<T> {
  return reader(schema, (context, trail) => {
    const value = trail.node.kind === "scalar" ? parse(trail.node) : undefined;
    return value === undefined ? wrong(context, trail, wanted) : value;
  });
}

export const text: Reader<string> = scalar({ type: "string" }, "a text", ({ value }) =>
  typeof value === "string" ? value : undefined,
);

export const flag: Reader<boolean> = scalar({ type: "boolean" }, "true or false", ({ value }) =>
  typeof value === "boolean" ? value : undefined,
);

export const number: Reader<number> = scalar({ type: "number" }, "a number", ({ value }) =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined,
);

export function integer(minimum: number, maximum: number): Reader<number> {
  const wanted = `a whole number from ${minimum} to ${maximum}`;
  return scalar({ type: "integer", minimum, maximum }, wanted, ({ value }) =>
    typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum ? value : undefined,
  );
}

export const moment: Reader<number> = scalar(
  { type: "string", format: "date-time", examples: ["2026-06-21T10:00:00Z"] },
  "a moment such as 2026-06-21T10:00:00Z",
  (node) => parseInstant(node.text),
);

/** Everything that happens meanwhile is remembered, so a longer time would not end well. */
const LONGEST_MS = 7 * 24 * 3_600_000;

/** Milliseconds. `5s`, `1m30s`; a bare number would leave open whether it means seconds. */
export const duration: Reader<number> = reader(
  { type: "string", pattern: "^(\\d+(\\.\\d+)?(ms|s|m|h|d))+$", examples: ["5s", "200ms", "1m30s"] },
  (context, trail) => {
    const value = trail.node.kind === "scalar" ? trail.node.value : null;
    if (value === 0) return 0;
    const parsed = typeof value === "string" ? parseDuration(value) : undefined;
    if (parsed !== undefined && toMilliseconds(parsed) <= LONGEST_MS) return toMilliseconds(parsed);
    const hint = typeof value === "number" ? ` Did you mean ${value}s?` : "";
    const rule =
      parsed === undefined
        ? `a duration such as 5s, 200ms or 1m30s, and is ${kindOf(trail.node)}.${hint}`
        : "seven days at most. To reach another date, set the clock.";
    return context.reporter.atValue(trail, { code: "bad_duration", message: `${nameOf(trail)} must be ${rule}` });
  },
);

export function oneOf<const V extends readonly string[]>(values: V): Reader<V[number]> {
  return reader({ enum: values }, (context, trail) => {
    const word = text.read(context, trail);
    if (word === undefined || values.includes(word)) return word;
    const { words } = choices(context.reporter, word, values);
    return context.reporter.atValue(trail, {
      code: "unknown_value",
      message: `${nameOf(trail)} cannot be ${quote(word)}. ${words}`,
    });
  });
}

/** Anything at all, as it would stand in JSON. */
export const anything: Reader<JsonValue> = reader({}, (_, { node }) => plainOf(node));

/** Broken parts are null; their problems have already been reported. */
function plainOf(node: Node): JsonValue {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "list") return node.items.map(plainOf);
  if (node.kind === "broken") return null;
  return Object.fromEntries([...node.entries].map(([key, entry]) => [key, plainOf(entry.value)]));
}

/** What `one` reads, changed into something else. */
export function mapped<A, B>(one: Reader<A>, change: (value: A, place: Position) => B): Reader<B> {
  return reader(one.schema, (context, trail) => {
    const value = one.read(context, trail);
    return value === undefined ? undefined : change(value, placeOf(context, trail));
  });
}

export function placed<T>(one: Reader<T>): Reader<Placed<T>> {
  return mapped(one, (value, place) => ({ place, value }));
}

/** The position of the key, or of an item of a list. */
export function placeOf({ positionOf }: ReadContext, { entry, node }: Trail): Position {
  return positionOf(entry?.keyStart ?? node.start);
}

/** The same, written once in the JSON Schema: see `definitionsOf`. */
export function shared<T>(name: string, one: Reader<T>): Reader<T> & { readonly definition: JsonSchema } {
  return { schema: { $ref: `#/$defs/${name}` }, read: one.read, definition: { [name]: one.schema } };
}

/** What a JSON Schema with shared readers needs beside it. */
export function definitionsOf(all: readonly { readonly definition: JsonSchema }[]): JsonSchema {
  return { $defs: Object.assign({}, ...all.map(({ definition }) => definition)) };
}

/** One word that means something of its own, or whatever `other` reads. */
export function wordOr<const W extends string | boolean, M, T>(word: W, meaning: M, other: Reader<T>): Reader<M | T> {
  return reader({ anyOf: [{ const: word }, other.schema] }, (context, trail) =>
    trail.node.kind === "scalar" && trail.node.value === word ? meaning : other.read(context, trail),
  );
}

interface Forms<T> {
  readonly scalar?: Reader<T>;
  readonly list?: Reader<T>;
  readonly map?: Reader<T>;
  /** For messages. */
  readonly wanted: string;
}

/** Chooses the reader by what is written: a text or number, a list, or an object. */
export function byForm<T>(forms: Forms<T>): Reader<T> {
  const schemas = [forms.scalar, forms.list, forms.map].flatMap((one) => one?.schema ?? []);
  return reader({ anyOf: schemas }, (context, trail) => {
    const { kind } = trail.node;
    const one = kind === "broken" ? undefined : forms[kind];
    return one === undefined ? wrong(context, trail, forms.wanted) : one.read(context, trail);
  });
}

export function listOf<T>(item: Reader<T>, what = "a list"): Reader<readonly T[]> {
  return reader({ type: "array", items: item.schema }, (context, trail) => {
    if (trail.node.kind !== "list") return wrong(context, trail, what);
    const read = trail.node.items.map((one, index) => item.read(context, itemTrail(trail, index, one)));
    return read.filter((value) => value !== undefined);
  });
}

/** A single one is read as a list with one item. */
export function oneOrMore<T>(item: Reader<T>): Reader<readonly T[]> {
  const list = listOf(item);
  const one = mapped(item, (value): readonly T[] => [value]);
  return reader({ anyOf: [one.schema, list.schema] }, (context, trail) =>
    (trail.node.kind === "list" ? list : one).read(context, trail),
  );
}

/** How the keys of a record are read. */
interface Key<K> {
  /** What the keys are, for messages: "peer". */
  readonly keys: string;
  /** Undefined when the key is wrong, and then it has been reported. */
  read(context: ReadContext, trail: Trail): K | undefined;
}

export function anyKey(keys: string): Key<string> {
  return { keys, read: (_, { step }) => String(step) };
}

/** Keys that `parse` takes. `rule` says in messages which ones those are. */
export function keyOf<K>(keys: string, rule: string, parse: (key: string) => K | undefined): Key<K> {
  return {
    keys,
    read: (context, trail) => {
      const key = parse(String(trail.step));
      const message = `${quote(String(trail.step))} is no ${keys}. ${rule}`;
      return key === undefined ? context.reporter.atKey(trail, { code: "bad_id", message }) : key;
    },
  };
}

/** Names that are declared somewhere. The type of a method, so that `known` may want to know more than readers do. */
type Known = { known(context: ReadContext): Iterable<string> }["known"];

export function nameKey(keys: string, known: Known): Key<string> {
  return {
    keys,
    read: (context, trail) => {
      const problem = nameProblem(context.reporter, { what: keys, word: String(trail.step), known: known(context) });
      return problem === undefined ? String(trail.step) : context.reporter.atKey(trail, problem);
    },
  };
}

export function nameIn(what: string, known: Known): Reader<string> {
  return reader(text.schema, (context, trail) => {
    const word = text.read(context, trail);
    const problem =
      word === undefined ? undefined : nameProblem(context.reporter, { what, word, known: known(context) });
    return problem === undefined ? word : context.reporter.atValue(trail, problem);
  });
}

interface Name {
  readonly what: string;
  readonly word: string;
  readonly known: Iterable<string>;
}

function nameProblem(reporter: Reporter, { what, word, known }: Name): Finding | undefined {
  const names = [...known];
  if (names.includes(word)) return undefined;
  const { words } = choices(reporter, word, names);
  const message = `There is no ${what} ${quote(word)}. ${words || `No ${what} is declared.`}`;
  return { code: "unknown_value", message };
}

/** An object whose keys are names. What lies below a key finds it as the `step` of its trail. */
export function record<K, T>(key: Key<K>, value: Reader<T>): Reader<ReadonlyMap<K, T>> {
  return reader({ type: "object", additionalProperties: value.schema }, (context, trail) => {
    if (trail.node.kind !== "map") return wrong(context, trail, `an object, with a key for each ${key.keys}`);
    const read = new Map<K, T>();
    for (const entry of trail.node.entries.values()) {
      const inner = entryTrail(trail, entry);
      const name = key.read(context, inner);
      const content = name === undefined ? undefined : value.read(context, inner);
      if (name !== undefined && content !== undefined) read.set(name, content);
    }
    return read;
  });
}

export interface Field<T, R extends boolean = boolean> {
  readonly reader: Reader<T>;
  readonly required: R;
  readonly description: string;
  /** The value of a field that is left out. */
  readonly fallback?: T;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;

export function must<T>(one: Reader<T>, description: string): Field<T, true> {
  return { reader: one, required: true, description };
}

export function may<T>(one: Reader<T>, description: string): Field<T, false> {
  return { reader: one, required: false, description };
}

/** Has a value also when it is left out. */
export function withDefault<T>(one: Reader<T>, fallback: T, description: string): Field<T, true> {
  return { reader: one, required: true, description, fallback };
}

type CamelCase<N> = N extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : N;

type NeededIn<F> = { [N in keyof F]: F[N] extends Field<unknown, true> ? N : never }[keyof F];
type ValueOf<F> = F extends Field<infer T> ? T : never;

export type ReadFields<F> = {
  readonly [N in NeededIn<F> as CamelCase<N> & string]: ValueOf<F[N]>;
} & {
  readonly [N in Exclude<keyof F, NeededIn<F>> as CamelCase<N> & string]?: ValueOf<F[N]> | undefined;
};

/** What is read where every field is left out. */
export function defaultsOf<F extends Fields>(fields: F): Pick<ReadFields<F>, never> {
  const given = Object.entries(fields).filter(([, { fallback }]) => fallback !== undefined);
  return Object.fromEntries(given.map(([name, { fallback }]) => [camelCase(name), fallback]));
}

/** Keys with meanings of their own. `what` is for messages: "step". */
export function object<const F extends Fields>(what: string, fields: F): Reader<ReadFields<F>> {
  const byName = new Map<string, Field<unknown>>(Object.entries(fields));
  const needed = [...byName].filter(([, { required, fallback }]) => required && fallback === undefined);
  const owner = `${/^[aeiou]/.test(what) ? "An" : "A"} ${what}`;
  return reader(objectSchema(byName, needed), (context, trail) => {
    const { node } = trail;
    if (node.kind !== "map") return wrong(context, trail, "an object, with keys below it");
    const read: Record<string, unknown> = defaultsOf(fields);
    for (const entry of node.entries.values()) {
      const inner = entryTrail(trail, entry);
      const value = byName.get(entry.key)?.reader.read(context, inner);
      if (value !== undefined) read[camelCase(entry.key)] = value;
      if (byName.has(entry.key)) continue;
      const free = [...byName.keys()].filter((name) => !node.entries.has(name));
      const { words } = choices(context.reporter, entry.key, free);
      context.reporter.atKey(inner, {
        code: "unknown_key",
        message: `${owner} has no key ${quote(entry.key)}. ${words}`,
      });
    }
    for (const [name, { description }] of needed) {
      if (node.entries.has(name)) continue;
      context.reporter.atKey(trail, { code: "missing_key", message: `${owner} needs ${name}. ${description}` });
    }
    // Put together by the fields, from which the type is derived.
    return needed.every(([name]) => read[camelCase(name)] !== undefined) ? (read as ReadFields<F>) : undefined;
  });
}

interface ShortForm<N> {
  /** The field that is meant where only its value is written; the others have defaults. */
  readonly field: N;
  /** Also an object that has none of the fields. */
  readonly takesObjects?: boolean;
  readonly wanted: string;
}

/** An object, or only the value of one of its fields. */
export function objectOr<const N extends string, const F extends Readonly<Record<N, Field<unknown>>> & Fields>(
  what: string,
  fields: F,
  { field, takesObjects = false, wanted }: ShortForm<N>,
): Reader<ReadFields<F>> {
  const whole = object(what, fields);
  // Complete, because the other fields have defaults.
  const alone = mapped(
    fields[field].reader,
    (given) => ({ ...defaultsOf(fields), [camelCase(field)]: given }) as ReadFields<F>,
  );
  const map = reader(whole.schema, (context, trail) => {
    const isWhole = !takesObjects || Object.keys(fields).some((name) => hasKey(trail, name));
    return (isWhole ? whole : alone).read(context, trail);
  });
  return byForm({ scalar: alone, map, wanted });
}

type NamedFields = Iterable<readonly [string, Field<unknown>]>;

function objectSchema(fields: NamedFields, needed: readonly (readonly [string, unknown])[]): JsonSchema {
  const properties = Array.from(fields, ([name, one]) => [
    name,
    { description: one.description, ...one.reader.schema },
  ]);
  return {
    type: "object",
    ...(needed.length > 0 ? { required: needed.map(([name]) => name) } : {}),
    properties: { ...Object.fromEntries(properties), "<<": true },
    patternProperties: { "^\\.\\w*$": true },
    additionalProperties: false,
  };
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function wrong(context: ReadContext, trail: Trail, wanted: string): undefined {
  const name = trail.parent === undefined ? `The ${context.reporter.what}` : nameOf(trail);
  const message = `${name} must be ${wanted}, and is ${kindOf(trail.node)}.`;
  return context.reporter.atValue(trail, { code: "wrong_type", message });
}
