// Checks one value against its declared type and enum. Used for arguments and configuration from callers, and for
// properties and telemetry from devices.
import type { EnumValue, TelemetryType, ValueType } from "#core/blueprint/blueprint.ts";
import { nearestOf } from "#core/text/nearest.ts";

export interface DeclaredValue {
  readonly type: ValueType | TelemetryType;
  readonly enum: readonly EnumValue[] | undefined;
}

const NAMES: Readonly<Record<DeclaredValue["type"], string>> = {
  boolean: "true or false",
  string: "a text",
  integer: "a whole number",
  float: "a number",
  array_of_strings: "a list of texts",
  alerts: "a list of alert ids",
  json: "any JSON value",
};

interface Wording {
  /** Whether to say what was meant, which costs more than the check. */
  readonly withHint?: boolean;
  /** False when readers of the text may not read the value: then it only names the kind of value. */
  readonly isShown?: boolean;
}

/**
 * Describes what is wrong with the value; undefined when nothing is. `2.0` is a whole number; NaN and infinities are no
 * numbers.
 */
export function valueProblem(
  { type, enum: allowed }: DeclaredValue,
  value: unknown,
  { withHint = true, isShown = true }: Wording = {},
): string | undefined {
  const describe = isShown ? describeValue : describeKind;
  if (!isOfType(type, value)) return `must be ${NAMES[type]}, not ${describe(value)}`;
  if (allowed === undefined) return undefined;
  const isList = type !== "json" && Array.isArray(value);
  const outside = isList ? firstOutside(allowed, value) : isAmong(allowed, value, type) ? undefined : value;
  if (outside === undefined) return undefined;
  const words = allowed.map((item) => String(item.value));
  if (!isShown) return `must be one of ${listWords(words)}, and is not`;
  const close = withHint && typeof outside === "string" ? nearestOf(outside, words) : undefined;
  const hint = close === undefined ? "" : `; did you mean ${close}?`;
  return `must be one of ${listWords(words)}, not ${describe(outside)}${hint}`;
}

function listWords(words: readonly string[]): string {
  return `${words.slice(0, 20).join(", ")}${words.length > 20 ? ", ..." : ""}`;
}

function isAmong(allowed: readonly EnumValue[], value: unknown, type: DeclaredValue["type"]): boolean {
  if (allowed.some((item) => item.value === value)) return true;
  if (type !== "json" || typeof value === "string") return false;
  // An enum holds texts and numbers only: other JSON values stand in it as JSON text.
  const text = canonical(value);
  return allowed.some((item) => typeof item.value === "string" && canonical(readJson(item.value)) === text);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Its JSON text, whatever the order of its names. */
function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_name, item: unknown) =>
    typeof item === "object" && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

/** Lists and enums may both be long. */
function firstOutside(allowed: readonly EnumValue[], values: readonly unknown[]): unknown {
  const known = new Set<unknown>(allowed.map((item) => item.value));
  return values.find((one) => !known.has(one));
}

function isOfType(type: DeclaredValue["type"], value: unknown): boolean {
  switch (type) {
    case "boolean":
      return typeof value === "boolean";
    case "string":
      return typeof value === "string";
    case "integer":
      return Number.isSafeInteger(value);
    case "float":
      return Number.isFinite(value);
    case "array_of_strings":
    case "alerts":
      return Array.isArray(value) && value.every((item) => typeof item === "string");
    case "json":
      return value !== undefined;
  }
}

function describeKind(value: unknown): string {
  if (typeof value === "string") return "a text";
  if (typeof value === "boolean") return "true or false";
  return typeof value === "number" && Number.isFinite(value) ? "such a number" : describeValue(value);
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
