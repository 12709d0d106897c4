// Readers composed of other readers: lists, objects, maps by name.
import type { JsonSchema } from "#core/blueprint/json-schema.ts";
import { entryTrail, itemTrail, type Trail } from "#manifest/tree.ts";
import { choices, quote } from "#manifest/words.ts";
import {
  type Field,
  type Fields,
  type Reader,
  type ReadFields,
  reportBroken,
  type ScenarioContext,
  text,
  unknownKey,
  withArticle,
  wrong,
} from "./reader.ts";

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

/** A single one is read as a list with one item. */
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
          read[camelCase(entry.key)] = value === undefined ? field.fallback : value;
          if (value === undefined && field.required && field.fallback === undefined) isWhole = false;
        }
      }
      for (const [name, field] of byName) {
        if (!field.required || node.entries.has(name)) continue;
        if (field.fallback !== undefined) {
          read[camelCase(name)] = field.fallback;
          continue;
        }
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
  const needed = list.filter(([, field]) => field.required && field.fallback === undefined).map(([name]) => name);
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

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
