// One value against its declared type and enum. Used for arguments and configuration on their way in, and for properties
// and telemetry on theirs.
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

/**
 * What is wrong with the value, or undefined. `2.0` is a whole number; NaN and infinities are no numbers. A hint at what was
 * meant costs more than the check.
 */
export function valueProblem(
  { type, enum: allowed }: DeclaredValue,
  value: unknown,
  withHint = true,
): string | undefined {
  if (!isOfType(type, value)) return `must be ${NAMES[type]}, not ${describe(value)}`;
  if (allowed === undefined || type === "json") return undefined;
  const outside = Array.isArray(value) ? firstOutside(allowed, value) : isAmong(allowed, value) ? undefined : value;
  if (outside === undefined) return undefined;
  const words = allowed.map((item) => String(item.value));
  const close = withHint && typeof outside === "string" ? nearestOf(outside, words) : undefined;
  const hint = close === undefined ? "" : `; did you mean ${close}?`;
  return `must be one of ${words.slice(0, 20).join(", ")}${words.length > 20 ? ", ..." : ""}, not ${describe(outside)}${hint}`;
}

function isAmong(allowed: readonly EnumValue[], value: unknown): boolean {
  return allowed.some((item) => item.value === value);
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

function describe(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
