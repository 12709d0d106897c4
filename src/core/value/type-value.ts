import type { ValueType } from "#core/blueprint/blueprint.ts";

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["on", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["off", false],
  ["0", false],
]);

/** A text as a value of the declared type. What cannot be read as one stays a text, for the check to say so. */
export function typeValue(type: ValueType, text: string): unknown {
  switch (type) {
    case "string":
      return text;
    case "boolean":
      return BOOLEANS.get(text.trim().toLowerCase()) ?? text;
    case "integer":
    case "float":
      return NUMBER.test(text.trim()) ? Number(text) : text;
    case "array_of_strings":
      return parseJson(text, Array.isArray) ?? splitList(text);
    case "json":
      return parseJson(text, () => true);
  }
}

/** Undefined when the text is no JSON of the wanted kind. */
export function parseJson(text: string, isWanted: (value: unknown) => boolean): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isWanted(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function splitList(text: string): readonly string[] {
  return text.trim() === "" ? [] : text.split(",").map((part) => part.trim());
}
