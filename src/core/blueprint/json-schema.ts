import type { ObjectShape, Shape, TextShape } from "./shape.ts";

export type JsonSchema = { readonly [keyword: string]: unknown };

/** Keys that carry no meaning and may stand at every level. */
const FREE_KEYS = { "^\\.\\w*$": true };
/** Allows the merge key of YAML, which editors see as an ordinary key. */
const MERGE_KEY = { "<<": true };

export function jsonSchemaOf(shape: Shape): JsonSchema {
  switch (shape.kind) {
    case "text":
      return textSchema(shape);
    case "flag":
      return { type: "boolean" };
    case "number":
      return { type: "number" };
    case "scalar":
      return { type: ["string", "number", "boolean"] };
    case "list": {
      const list = { type: "array", items: textSchema(shape.item) };
      return shape.orOne ? { anyOf: [textSchema(shape.item), list] } : list;
    }
    case "enum":
      return {
        anyOf: [
          { type: "array", items: { type: ["string", "number"] } },
          { type: "object", patternProperties: FREE_KEYS, additionalProperties: objectSchema(shape.item) },
        ],
      };
    case "map": {
      const value = objectSchema(shape.value);
      const keys = shape.pattern ? { [shape.pattern.regex.source]: value } : {};
      return {
        type: "object",
        properties: MERGE_KEY,
        patternProperties: { ...FREE_KEYS, ...keys },
        additionalProperties: shape.pattern ? false : value,
      };
    }
    case "object":
      return objectSchema(shape);
  }
}

function objectSchema(shape: ObjectShape): JsonSchema {
  const fields = [...shape.byName];
  const needed = fields.filter(([, field]) => field.required).map(([name]) => name);
  return {
    type: "object",
    ...(needed.length > 0 ? { required: needed } : {}),
    properties: Object.fromEntries([
      ...fields.map(([name, field]) => [name, { description: field.description, ...jsonSchemaOf(field.shape) }]),
      ...Object.entries(MERGE_KEY),
    ]),
    patternProperties: FREE_KEYS,
    additionalProperties: false,
  };
}

function textSchema(shape: TextShape): JsonSchema {
  return {
    type: "string",
    ...(shape.oneOf ? { enum: shape.oneOf } : {}),
    ...(shape.pattern ? { pattern: shape.pattern.regex.source } : {}),
    ...(shape.maxLength === undefined ? {} : { maxLength: shape.maxLength }),
  };
}
