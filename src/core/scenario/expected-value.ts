// What a scenario expects of one value, and whether a value meets it.
import type { JsonValue } from "#core/blueprint/blueprint.ts";

export type ExpectedValue =
  | { readonly kind: "equals"; readonly value: JsonValue; readonly isExact: boolean }
  | { readonly kind: "approx"; readonly value: number; readonly tolerance: number }
  | { readonly kind: "range"; readonly min: number | undefined; readonly max: number | undefined }
  | { readonly kind: "oneOf"; readonly values: readonly JsonValue[] }
  | { readonly kind: "contains"; readonly text: string }
  | { readonly kind: "matches"; readonly pattern: string }
  /** The values of a whole step, one after the other; others may lie between. */
  | { readonly kind: "inOrder"; readonly values: readonly JsonValue[] }
  | { readonly kind: "present" }
  | { readonly kind: "absent" };

/** Numbers that are no integers are the same up to this part: more than float32 rounds, less than anyone means. */
const NOISE = 1e-6;

/** Whether an existing value is the expected one. The caller, which knows all values, judges `absent` and `inOrder`. */
export function isExpected(expected: ExpectedValue, value: unknown): boolean {
  switch (expected.kind) {
    case "equals":
      return isSame(expected.value, value, expected.isExact);
    case "approx":
      return typeof value === "number" && Math.abs(value - expected.value) <= expected.tolerance;
    case "range":
      return (
        typeof value === "number" &&
        value >= (expected.min ?? Number.NEGATIVE_INFINITY) &&
        value <= (expected.max ?? Number.POSITIVE_INFINITY)
      );
    case "oneOf":
      return expected.values.some((one) => isSame(one, value, false));
    case "contains":
      return typeof value === "string" && value.includes(expected.text);
    case "matches":
      return typeof value === "string" && new RegExp(expected.pattern, "u").test(value);
    case "inOrder":
      return expected.values.some((one) => isSame(one, value, false));
    case "present":
      return true;
    case "absent":
      return false;
  }
}

/** The same of a value that may be missing. */
export function isExpectedOrAbsent(expected: ExpectedValue, value: unknown): boolean {
  const isThere = value !== undefined && value !== null;
  return expected.kind === "absent" ? !isThere : isThere && isExpected(expected, value);
}

/** How many of the expected values came, in their order. */
export function countInOrder<T, V>(
  expected: readonly T[],
  values: readonly V[],
  fits: (one: T, value: V) => boolean,
): number {
  let found = 0;
  for (const value of values) {
    const next = expected[found];
    if (next === undefined) break;
    if (fits(next, value)) found += 1;
  }
  return found;
}

/** Objects have the same keys; the order of keys means nothing. */
function isSame(expected: JsonValue, value: unknown, isExact = false): boolean {
  if (typeof expected === "number") {
    if (typeof value !== "number") return typeof value === "bigint" && BigInt(expected) === value;
    if (expected === value) return true;
    if (isExact || (Number.isInteger(expected) && Number.isInteger(value))) return false;
    return Math.abs(expected - value) <= NOISE * Math.max(Math.abs(expected), Math.abs(value));
  }
  if (Array.isArray(expected)) {
    return (
      Array.isArray(value) &&
      value.length === expected.length &&
      expected.every((item: JsonValue, at) => isSame(item, value[at], isExact))
    );
  }
  if (typeof expected === "object" && expected !== null) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    const entries = Object.entries(expected);
    const given = new Map(Object.entries(value));
    return given.size === entries.length && entries.every(([key, item]) => isSame(item, given.get(key), isExact));
  }
  return expected === value;
}

/** For a report: `about 51.2 (±0.1)`. */
export function describeExpected(expected: ExpectedValue): string {
  switch (expected.kind) {
    case "equals":
      return describeValue(expected.value);
    case "approx":
      return `about ${expected.value} (±${Number(expected.tolerance.toPrecision(6))})`;
    case "range":
      if (expected.min === undefined) return `at most ${expected.max}`;
      return expected.max === undefined ? `at least ${expected.min}` : `${expected.min} to ${expected.max}`;
    case "oneOf":
      return `one of ${expected.values.map(describeValue).join(", ")}`;
    case "contains":
      return `a text with ${describeValue(expected.text)}`;
    case "matches":
      return `a text that matches /${expected.pattern}/`;
    case "inOrder":
      return expected.values.map(describeValue).join(", then ");
    case "present":
      return "any value";
    case "absent":
      return "nothing";
  }
}

const LONGEST = 200;

/** A value inside a line of a report: JSON, not too long. */
export function describeValue(value: unknown): string {
  const text = typeof value === "bigint" || typeof value === "number" ? String(value) : JSON.stringify(value);
  if (text === undefined) return "nothing";
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}
