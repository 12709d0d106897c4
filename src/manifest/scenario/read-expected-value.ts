import type { ExpectedValue } from "#core/scenario/expected-value.ts";
import type { Trail } from "#manifest/tree.ts";
import { quote } from "#manifest/words.ts";
import {
  anything,
  type Field,
  type Fields,
  flag,
  may,
  number,
  oneOf,
  type Reader,
  type ScenarioContext,
  text,
  unknownKey,
  wrong,
} from "./reader.ts";
import { byForm, listOf, objectSchema } from "./reader-shapes.ts";

/** Without a tolerance a number is near enough within one part in a hundred. */
const DEFAULT_TOLERANCE = 0.01;

const tolerance: Reader<number | string> = {
  schema: {
    anyOf: [
      { type: "number", minimum: 0 },
      { type: "string", pattern: "^\\d+(\\.\\d+)? ?%$" },
    ],
  },
  read: (context, trail) => {
    const { node } = trail;
    if (node.kind === "scalar" && typeof node.value === "number" && node.value >= 0) return node.value;
    if (node.kind === "scalar" && typeof node.value === "string" && /^\d+(\.\d+)? ?%$/.test(node.value)) {
      return node.value;
    }
    return wrong(context, trail, "a number such as 0.5, or a part such as 2%");
  },
};

const pattern: Reader<string> = {
  schema: { type: "string", format: "regex" },
  read: (context, trail) => {
    const source = text.read(context, trail);
    if (source === undefined) return undefined;
    try {
      new RegExp(source, "u");
      return source;
    } catch {
      return wrong(context, trail, "a regular expression");
    }
  },
};

const WORDS = {
  equals: may(anything, "Exactly this value. For texts such as absent, and for objects."),
  approx: may(number, "A number near this one."),
  tolerance: may(tolerance, "How near: a number, or a part such as 2%. Default: 1%."),
  min: may(number, "At least this."),
  max: may(number, "At most this."),
  one_of: may(listOf(anything), "One of these."),
  contains: may(text, "A text that contains this."),
  matches: may(pattern, "A text that matches this regular expression."),
  in_order: may(listOf(anything), "These values in this order during the step; others may lie between."),
  is: may(oneOf(["present", "absent"]), "Whether there is any value at all."),
} satisfies Fields;

const WORD_LIST = Object.keys(WORDS);

/** A plain value is the expected one; an object of these words describes it. */
export const expectedValue: Reader<ExpectedValue> = expectedReader((node) =>
  node.kind === "scalar" && node.value === "absent"
    ? { kind: "absent" }
    : node.kind === "scalar" && node.value === "present"
      ? { kind: "present" }
      : undefined,
);

/** A plain text is contained in the expected one. */
export const expectedText: Reader<ExpectedValue> = expectedReader((node) =>
  node.kind === "scalar" && typeof node.value === "string" ? { kind: "contains", text: node.value } : undefined,
);

function expectedReader(shortForm: (node: Trail["node"]) => ExpectedValue | undefined): Reader<ExpectedValue> {
  const plain: Reader<ExpectedValue> = {
    schema: { type: ["string", "number", "boolean", "array"] },
    read: (context, trail) => {
      const short = shortForm(trail.node);
      if (short !== undefined) return short;
      if (trail.node.kind === "scalar" && trail.node.value === null) {
        const message = "An expectation is empty. Write a value, or absent where nothing is expected.";
        context.reporter.atValue(trail, { code: "empty_value", message });
        return undefined;
      }
      const value = anything.read(context, trail);
      return value === undefined ? undefined : { kind: "equals", value, isExact: false };
    },
  };
  const described: Reader<ExpectedValue> = {
    schema: objectSchema(Object.entries<Field<unknown>>(WORDS)),
    read: readWords,
  };
  return byForm({ scalar: plain, list: plain, map: described, wanted: "a value, or an object such as {min: 1}" });
}

function readWords(context: ScenarioContext, trail: Trail): ExpectedValue | undefined {
  if (trail.node.kind !== "map") return undefined;
  const { entries } = trail.node;
  const keys = [...entries.keys()];
  if (!keys.some((key) => WORD_LIST.includes(key))) return plainObject(context, trail, keys);
  const value = <T>(name: string, reader: Reader<T>): T | undefined => {
    const entry = entries.get(name);
    return entry && reader.read(context, { parent: trail, step: name, node: entry.value, entry });
  };
  for (const [name, entry] of entries) {
    if (WORD_LIST.includes(name)) continue;
    unknownKey(
      context,
      { parent: trail, step: name, node: entry.value, entry },
      { what: "expectation", known: WORD_LIST },
    );
  }
  // Two words that belong together count as the first of them.
  const main = keys.filter(
    (key) =>
      WORD_LIST.includes(key) &&
      !(key === "tolerance" && keys.includes("approx")) &&
      !(key === "max" && keys.includes("min")),
  );
  const [word = "", second] = main;
  if (second !== undefined) {
    const message = `${word} and ${second} do not go together. Keep one of the two.`;
    context.reporter.atKey(trail, { code: "conflicting_keys", message });
    return undefined;
  }
  if (word === "tolerance") {
    context.reporter.atKey(trail, { code: "missing_key", message: "tolerance needs approx, the number to be near." });
    return undefined;
  }
  return build(word, value);
}

function plainObject(context: ScenarioContext, trail: Trail, keys: readonly string[]): ExpectedValue | undefined {
  const [slip] = keys.flatMap((key) => {
    const meant = context.reporter.nearest(key, WORD_LIST);
    return meant === undefined ? [] : [{ key, meant }];
  });
  if (slip !== undefined && keys.length === 1) {
    const message = `An expectation has no key ${quote(slip.key)}. Did you mean ${slip.meant}? An object as value is written {equals: {...}}.`;
    context.reporter.atKey(trail, { code: "unknown_key", message });
    return undefined;
  }
  const value = anything.read(context, trail);
  return value === undefined ? undefined : { kind: "equals", value, isExact: false };
}

type Value = <T>(name: string, reader: Reader<T>) => T | undefined;

function build(word: string, value: Value): ExpectedValue | undefined {
  switch (word) {
    case "equals": {
      const wanted = value("equals", WORDS.equals.reader);
      return wanted === undefined ? undefined : { kind: "equals", value: wanted, isExact: true };
    }
    case "approx": {
      const wanted = value("approx", WORDS.approx.reader);
      const near = value("tolerance", WORDS.tolerance.reader);
      return wanted === undefined ? undefined : { kind: "approx", value: wanted, tolerance: absolute(wanted, near) };
    }
    case "min":
    case "max":
      return { kind: "range", min: value("min", number), max: value("max", number) };
    case "one_of": {
      const values = value("one_of", WORDS.one_of.reader);
      return values && { kind: "oneOf", values };
    }
    case "in_order": {
      const values = value("in_order", WORDS.in_order.reader);
      return values && { kind: "inOrder", values };
    }
    case "contains": {
      const wanted = value("contains", text);
      return wanted === undefined ? undefined : { kind: "contains", text: wanted };
    }
    case "matches": {
      const source = value("matches", pattern);
      return source === undefined ? undefined : { kind: "matches", pattern: source };
    }
    default: {
      const is = value("is", WORDS.is.reader);
      return is && { kind: is };
    }
  }
}

function absolute(value: number, near: number | string | undefined): number {
  if (typeof near === "number") return near;
  const part = near === undefined ? DEFAULT_TOLERANCE : Number.parseFloat(near) / 100;
  return Math.abs(value) * part;
}

/** Reads a flag word: true says yes. */
export const yes: Reader<true> = {
  schema: { const: true },
  read: (context, trail) => {
    const value = flag.read(context, trail);
    return value === true ? true : value === undefined ? undefined : wrong(context, trail, "true, or left out");
  },
};
