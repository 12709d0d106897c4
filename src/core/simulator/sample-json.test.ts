import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compileJsonSchema } from "#service/blueprint/compile-json-schema.ts";
import { sampleJson } from "./sample-json.ts";

const file = (name: string) =>
  readFileSync(new URL(`../../../examples/blueprints/battery/schemas/${name}.json`, import.meta.url), "utf8");

test.each([
  file("module-layout"),
  file("schedule"),
  '{"type": "object", "required": ["a"], "properties": {"a": {"type": "integer", "minimum": 3}, "b": {"enum": ["x"]}}}',
  '{"type": "array", "minItems": 2, "items": {"type": "number", "exclusiveMinimum": 0, "maximum": 1}}',
  '{"oneOf": [{"type": "string", "minLength": 9}, {"type": "null"}]}',
  '{"allOf": [{"required": ["a"]}, {"properties": {"a": {"const": 5}}}], "type": "object"}',
  '{"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}}}',
  '{"type": "string", "format": "date-time"}',
  '{"type": "string", "pattern": "^\\\\d{2}:\\\\d{2}$"}',
  '{"type": ["null", "integer"], "multipleOf": 5, "minimum": 7}',
  "{}",
])("a value made from %s fits it", (schema) => {
  const compiled = compileJsonSchema(schema);
  if (!("check" in compiled)) throw new Error(compiled.problem);
  const value = sampleJson(schema);
  expect([value, compiled.check(JSON.parse(JSON.stringify(value)))]).toEqual([value, []]);
});

test.each([undefined, "not json", "[]", '"text"'])("without a schema (%s) it is an empty object", (schema) => {
  expect(sampleJson(schema)).toEqual({});
});

test("a schema without an end comes to one", () => {
  const endless = '{"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}}';
  expect(JSON.stringify(sampleJson(endless)).length).toBeLessThan(1_000);
});
