import { expect, test } from "vitest";
import { jsonSchemaProblem } from "./json-schema-problem.ts";

test.each([
  "{}",
  '{"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": true}, "required": ["a"]}',
  '{"items": [{"type": "string"}], "anyOf": [{}, {"minimum": 1}]}',
  '{"$defs": {"x": {"enum": [1, "a"]}}, "x-own": {"whatever": 1}, "const": {"type": "nothing"}}',
])("%s is a JSON schema", (text) => {
  expect(jsonSchemaProblem(text)).toBeUndefined();
});

test.each([
  ["{", "it is no JSON"],
  ["[]", "must be an object"],
  ['{"type": "objekt"}', 'type cannot be "objekt"'],
  ['{"properties": {"a": {"type": 5}}}', "properties.type cannot be 5"],
  ['{"properties": []}', "properties must be an object of schemas"],
  ['{"required": "a"}', "required must be a list of texts"],
  ['{"minimum": "1"}', "minimum must be a number"],
  ['{"pattern": 1}', "pattern must be a text"],
  ['{"anyOf": {}}', "anyOf must be a list of schemas"],
  ['{"items": 5}', "items must be an object"],
  ['{"enum": {}}', "enum must be a list"],
  [`${'{"not":'.repeat(100)}{}${"}".repeat(100)}`, "nested too deeply"],
])("%s is none: %s", (text, problem) => {
  expect(jsonSchemaProblem(text)).toContain(problem);
});
