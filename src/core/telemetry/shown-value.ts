import type { TelemetryType } from "#core/blueprint/blueprint.ts";

type StoredValue = number | boolean | string;
export type ShownValue = StoredValue | readonly string[];

/** A stored value as callers see it: lists are stored as JSON text. Undefined for a text that holds no list. */
export function shownValue(type: TelemetryType, value: StoredValue): ShownValue | undefined {
  if (type !== "array_of_strings" && type !== "alerts") return value;
  try {
    const list: unknown = JSON.parse(String(value));
    return Array.isArray(list) ? list.map(String) : undefined;
  } catch {
    return undefined;
  }
}
