import type { JsonValue, TelemetryType, ValueType } from "#core/blueprint/blueprint.ts";
import type { Raw } from "#core/blueprint/shape.ts";
import { flagOf } from "./read-scalar.ts";

type Declared = ValueType | TelemetryType;

/** `converted` when the document writes it as another type than the declared one. */
interface Reading<V> {
  readonly value: V;
  readonly converted: boolean;
}

/** The numbers of YAML. A text that looks like one can be read as one. */
const NUMBER = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|0x[\da-fA-F]+|0o[0-7]+)$/;

/** The default as the declared type, undefined when it cannot be read so. */
export function readDefault(type: Declared, raw: Raw): Reading<JsonValue> | undefined {
  if (type === "json") return readJsonDefault(raw);
  if (type === "array_of_strings" || type === "alerts") return readStrings(raw);
  return readPlain(type, raw);
}

/** An enum value in the declared type. For a list type it is one element. */
export function readEnumValue(type: Declared, raw: Raw): Reading<string | number | boolean> | undefined {
  if (type === "json") return { value: raw.value, converted: false };
  if (type === "array_of_strings" || type === "alerts") return readPlain("string", raw);
  return readPlain(type, raw);
}

function readPlain(
  type: "string" | "boolean" | "integer" | "float",
  { value, text }: Raw,
): Reading<string | number | boolean> | undefined {
  switch (type) {
    case "string":
      return { value: text, converted: typeof value !== "string" };
    case "boolean": {
      if (typeof value === "boolean") return { value, converted: false };
      const flag = typeof value === "string" ? flagOf(text) : undefined;
      return flag === undefined ? undefined : { value: flag, converted: true };
    }
    case "integer":
    case "float": {
      const converted = typeof value === "string";
      const number = converted && NUMBER.test(text) ? Number(text) : value;
      if (typeof number !== "number" || !Number.isFinite(number)) return undefined;
      // Beyond 2^53 the number would silently be another one.
      return type === "integer" && !Number.isSafeInteger(number) ? undefined : { value: number, converted };
    }
  }
}

function readJsonDefault({ value, text }: Raw): Reading<JsonValue> | undefined {
  if (typeof value === "string") return readJson(text);
  return typeof value === "boolean" || Number.isFinite(value) ? { value, converted: false } : undefined;
}

/** A list cannot stand in the manifest, so its JSON text is the proper way to write it: no conversion to complain about. */
function readStrings({ value, text }: Raw): Reading<JsonValue> | undefined {
  if (typeof value !== "string") return undefined;
  const list = readJson(text)?.value;
  const isStrings = Array.isArray(list) && list.every((item) => typeof item === "string");
  return isStrings ? { value: list, converted: false } : undefined;
}

function readJson(text: string): Reading<JsonValue> | undefined {
  try {
    return { value: JSON.parse(text), converted: false };
  } catch {
    return undefined;
  }
}
