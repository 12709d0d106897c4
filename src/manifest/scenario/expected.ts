// What a scenario expects of one value: `5`, `absent`, `{approx: 5, tolerance: 2%}`.
import type { ExpectedValue } from "#core/scenario/expected-value.ts";
import * as r from "#manifest/reader.ts";
import type { Node, Trail } from "#manifest/tree.ts";
import { quote } from "#manifest/words.ts";

const PART = /^\d+(\.\d+)? ?%$/;
const partOf = (percent: number) => (value: number) => Math.abs(value) * (percent / 100);

/** How far a value may be from the given one. */
const tolerance = r.scalar<(value: number) => number>(
  {
    anyOf: [
      { type: "number", minimum: 0 },
      { type: "string", pattern: PART.source },
    ],
  },
  "a number such as 0.5, or a part such as 2%",
  ({ value }) => {
    if (typeof value === "number" && value >= 0) return () => value;
    return typeof value === "string" && PART.test(value) ? partOf(Number.parseFloat(value)) : undefined;
  },
);

const pattern = r.scalar({ type: "string", format: "regex" }, "a regular expression", ({ value }) =>
  typeof value === "string" && isPattern(value) ? value : undefined,
);

function isPattern(source: string): boolean {
  try {
    new RegExp(source, "u");
    return true;
  } catch {
    return false;
  }
}

const WORDS = {
  equals: r.may(r.anything, "Exactly this value. For texts such as absent, and for objects."),
  approx: r.may(r.number, "A number near this one."),
  tolerance: r.withDefault(tolerance, partOf(1), "How near: a number, or a part such as 2%. Default: 1%."),
  min: r.may(r.number, "At least this."),
  max: r.may(r.number, "At most this."),
  one_of: r.may(r.listOf(r.anything), "One of these."),
  contains: r.may(r.text, "A text that contains this."),
  matches: r.may(pattern, "A text that matches this regular expression."),
  in_order: r.may(r.listOf(r.anything), "These values in this order during the step; others may lie between."),
  is: r.may(r.oneOf(["present", "absent"]), "Whether there is any value at all."),
} satisfies r.Fields;

const WORD_LIST = Object.keys(WORDS);
const words = r.object("expectation", WORDS);

const described = r.reader<ExpectedValue>(words.schema, (context, trail) => {
  const keys = trail.node.kind === "map" ? [...trail.node.entries.keys()] : [];
  if (!keys.some((key) => WORD_LIST.includes(key))) return plainObject(context, trail, keys);
  const given = words.read(context, trail);
  // Two words that belong together count as the first of them.
  const isSecond = (key: string) =>
    (key === "tolerance" && keys.includes("approx")) || (key === "max" && keys.includes("min"));
  const [word = "", other] = keys.filter((key) => WORD_LIST.includes(key) && !isSecond(key));
  if (other !== undefined) {
    const message = `${word} and ${other} do not go together. Keep one of the two.`;
    return context.reporter.atKey(trail, { code: "conflicting_keys", message });
  }
  if (word === "tolerance")
    return context.reporter.atKey(trail, {
      code: "missing_key",
      message: "tolerance needs approx, the number to be near.",
    });
  return given && meaningOf(given);
});

/** An object as value, unless its only key looks like one of the words. */
function plainObject(context: r.ReadContext, trail: Trail, keys: readonly string[]): ExpectedValue | undefined {
  const [key = ""] = keys;
  const meant = keys.length === 1 ? context.reporter.nearest(key, WORD_LIST) : undefined;
  if (meant === undefined) return equal.read(context, trail);
  const message = `An expectation has no key ${quote(key)}. Did you mean ${meant}? An object as value is written {equals: {...}}.`;
  return context.reporter.atKey(trail, { code: "unknown_key", message });
}

const equal = r.mapped(r.anything, (value): ExpectedValue => ({ kind: "equals", value, isExact: false }));

/** Of the one word that is there. Undefined when its value was reported. */
function meaningOf(given: r.ReadFields<typeof WORDS>): ExpectedValue | undefined {
  const { equals, approx, min, max, oneOf: values, contains, matches, inOrder, is } = given;
  if (equals !== undefined) return { kind: "equals", value: equals, isExact: true };
  if (approx !== undefined) return { kind: "approx", value: approx, tolerance: given.tolerance(approx) };
  if (min !== undefined || max !== undefined) return { kind: "range", min, max };
  if (values !== undefined) return { kind: "oneOf", values };
  if (inOrder !== undefined) return { kind: "inOrder", values: inOrder };
  if (contains !== undefined) return { kind: "contains", text: contains };
  if (matches !== undefined) return { kind: "matches", pattern: matches };
  return is && { kind: is };
}

/** A plain value is the expected one, unless `shortForm` says what it means; an object of the words describes it. */
function expectedReader(shortForm: (value: unknown) => ExpectedValue | undefined): r.Reader<ExpectedValue> {
  const plain = r.reader<ExpectedValue>({ type: ["string", "number", "boolean", "array"] }, (context, trail) => {
    const value = scalarOf(trail.node);
    const message = "An expectation is empty. Write a value, or absent where nothing is expected.";
    if (value === null) return context.reporter.atValue(trail, { code: "empty_value", message });
    return shortForm(value) ?? equal.read(context, trail);
  });
  return r.byForm({ scalar: plain, list: plain, map: described, wanted: "a value, or an object such as {min: 1}" });
}

const scalarOf = (node: Node) => (node.kind === "scalar" ? node.value : undefined);

/** A plain value is the expected one. */
export const expectedValue = r.shared(
  "expected",
  expectedReader((value) => (value === "absent" || value === "present" ? { kind: value } : undefined)),
);

/** A plain text is contained in the expected one. */
export const expectedText = r.shared(
  "expected",
  expectedReader((value) => (typeof value === "string" ? { kind: "contains", text: value } : undefined)),
);

/** A text read as JSON. Of an object only the listed fields count. */
export type ExpectedJson =
  | ExpectedValue
  | { readonly kind: "fields"; readonly fields: ReadonlyMap<string, ExpectedValue> };

export const expectedJson = r.byForm<ExpectedJson>({
  scalar: expectedValue,
  list: expectedValue,
  map: r.mapped(r.record(r.anyKey("field"), expectedValue), (fields) => ({ kind: "fields", fields })),
  wanted: "what the JSON holds",
});

/** Reads a flag word: true says yes. */
export const yes = r.scalar<true>({ const: true }, "true, or left out", ({ value }) => value === true || undefined);
