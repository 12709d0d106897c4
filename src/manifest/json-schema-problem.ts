const DEEPEST = 64;
const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

const SCHEMAS = [
  "additionalProperties",
  "not",
  "contains",
  "propertyNames",
  "if",
  "then",
  "else",
  "unevaluatedProperties",
  "unevaluatedItems",
];
const LISTS_OF_SCHEMAS = ["allOf", "anyOf", "oneOf", "prefixItems"];
const MAPS_OF_SCHEMAS = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const NUMBERS = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
];
const TEXTS = ["pattern", "format", "title", "description", "$ref", "$id", "$schema", "$comment"];

/**
 * Describes what is wrong with the text of a JSON schema; undefined when nothing is. Only the form is checked, because
 * compiling is expensive.
 */
export function jsonSchemaProblem(text: string): string | undefined {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (problem) {
    return `it is no JSON (${problem instanceof Error ? problem.message : "unreadable"})`;
  }
  return problemOf(schema, { path: "", depth: 0 });
}

interface Place {
  readonly path: string;
  readonly depth: number;
}

function problemOf(schema: unknown, { path, depth }: Place): string | undefined {
  if (typeof schema === "boolean") return undefined;
  const where = path === "" ? "a JSON schema" : path;
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return `${where} must be an object`;
  if (depth > DEEPEST) return "it is nested too deeply";
  for (const [keyword, value] of Object.entries(schema)) {
    const place = { path: path === "" ? keyword : `${path}.${keyword}`, depth: depth + 1 };
    const problem = keywordProblem(keyword, value, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function keywordProblem(keyword: string, value: unknown, place: Place): string | undefined {
  const { path } = place;
  if (keyword === "type") {
    const types = Array.isArray(value) ? value : [value];
    const unknown = types.find((type) => typeof type !== "string" || !TYPES.has(type));
    return unknown === undefined ? undefined : `${path} cannot be ${JSON.stringify(unknown)}`;
  }
  if (keyword === "required" && !(Array.isArray(value) && value.every((name) => typeof name === "string"))) {
    return `${path} must be a list of texts`;
  }
  if (keyword === "enum" && !Array.isArray(value)) return `${path} must be a list`;
  if (NUMBERS.includes(keyword) && typeof value !== "number") return `${path} must be a number`;
  if (TEXTS.includes(keyword) && typeof value !== "string") return `${path} must be a text`;
  if (SCHEMAS.includes(keyword)) return problemOf(value, place);
  if (keyword === "items") return Array.isArray(value) ? firstProblem(value, place) : problemOf(value, place);
  if (LISTS_OF_SCHEMAS.includes(keyword)) {
    return Array.isArray(value) ? firstProblem(value, place) : `${path} must be a list of schemas`;
  }
  if (MAPS_OF_SCHEMAS.includes(keyword)) {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return `${path} must be an object of schemas`;
    return firstProblem(Object.values(value), place);
  }
  return undefined;
}

function firstProblem(schemas: readonly unknown[], place: Place): string | undefined {
  for (const schema of schemas) {
    const problem = problemOf(schema, place);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
