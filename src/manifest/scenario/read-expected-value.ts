import type { ExpectedValue } from "#core/scenario/expected-value.ts";
import type { Trail } from "#manifest/tree.ts";
import { quote } from "#manifest/words.ts";
import {
  anything,
  checked,
  type Fields,
  flag,
  mapReader,
  may,
  number,
  oneOf,
  type Reader,
  type ReadFields,
  type ScenarioContext,
  text,
  wrong,
} from "./reader.ts";
import { byForm, listOf, object } from "./reader-shapes.ts";

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
    const value = trail.node.kind === "scalar" ? trail.node.value : null;
    if (typeof value === "number" && value >= 0) return value;
    if (typeof value === "string" && /^\d+(\.\d+)? ?%$/.test(value)) return value;
    return wrong(context, trail, "a number such as 0.5, or a part such as 2%");
  },
};

const pattern: Reader<string> = {
  ...checked(text, isPattern, "a regular expression"),
  schema: { type: "string", format: "regex" },
};

function isPattern(source: string): boolean {
  try {
    new RegExp(source, "u");
    return true;
  } catch {
    return false;
  }
}

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
const words = object("expectation", WORDS);

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
  const described: Reader<ExpectedValue> = { schema: words.schema, read: readWords };
  return byForm({ scalar: plain, list: plain, map: described, wanted: "a value, or an object such as {min: 1}" });
}

function readWords(context: ScenarioContext, trail: Trail): ExpectedValue | undefined {
  const keys = trail.node.kind === "map" ? [...trail.node.entries.keys()] : [];
  if (!keys.some((key) => WORD_LIST.includes(key))) return plainObject(context, trail, keys);
  const given = words.read(context, trail);
  // Two words that belong together count as the first of them.
  const [word = "", second] = keys.filter(
    (key) =>
      WORD_LIST.includes(key) &&
      !(key === "tolerance" && keys.includes("approx")) &&
      !(key === "max" && keys.includes("min")),
  );
  if (second !== undefined) {
    const message = `${word} and ${second} do not go together. Keep one of the two.`;
    context.reporter.atKey(trail, { code: "conflicting_keys", message });
    return undefined;
  }
  if (word === "tolerance") {
    context.reporter.atKey(trail, { code: "missing_key", message: "tolerance needs approx, the number to be near." });
    return undefined;
  }
  return given && meaningOf(given);
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

/** Of the one word that is there. Undefined when its value was reported. */
function meaningOf(given: ReadFields<typeof WORDS>): ExpectedValue | undefined {
  const { equals, approx, min, max, oneOf: values, contains, matches, inOrder, is } = given;
  if (equals !== undefined) return { kind: "equals", value: equals, isExact: true };
  if (approx !== undefined) return { kind: "approx", value: approx, tolerance: absolute(approx, given.tolerance) };
  if (min !== undefined || max !== undefined) return { kind: "range", min, max };
  if (values !== undefined) return { kind: "oneOf", values };
  if (inOrder !== undefined) return { kind: "inOrder", values: inOrder };
  if (contains !== undefined) return { kind: "contains", text: contains };
  if (matches !== undefined) return { kind: "matches", pattern: matches };
  return is && { kind: is };
}

function absolute(value: number, near: number | string | undefined): number {
  if (typeof near === "number") return near;
  const part = near === undefined ? DEFAULT_TOLERANCE : Number.parseFloat(near) / 100;
  return Math.abs(value) * part;
}

/** Reads a flag word: true says yes. */
export const yes: Reader<true> = {
  ...mapReader(checked(flag, Boolean, "true, or left out"), () => true as const),
  schema: { const: true },
};
