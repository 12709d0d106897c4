import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileJsonSchema, compileJsonSchemas } from "./compile-json-schema.ts";

const compile = (schema: unknown) => compileJsonSchema(JSON.stringify(schema));
const problemOf = (schema: unknown) => {
  const compiled = compile(schema);
  return "problem" in compiled ? compiled.problem : undefined;
};
const faultsOf = (schema: unknown, value: unknown) => {
  const compiled = compile(schema);
  if ("problem" in compiled) throw new Error(compiled.problem);
  return compiled.check(value).map(({ pointer, message }) => `${pointer} ${message}`);
};

describe("what a schema says of a value", () => {
  const schedule = {
    type: "array",
    items: {
      type: "object",
      required: ["start"],
      additionalProperties: false,
      properties: { start: { type: "string", format: "time" }, mode: { enum: ["eco", "boost"] }, v: { const: 1 } },
    },
  };
  test.each<readonly [string, unknown, readonly string[]]>([
    ["a good value", [{ start: "10:00:00Z" }], []],
    ["a missing field", [{}], ['/0 lacks the field "start"']],
    ["an unknown field", [{ start: "10:00:00Z", x: 1 }], ['/0 has an unknown field "x"']],
    ["a wrong choice", [{ start: "10:00:00Z", mode: "max" }], ['/0/mode must be one of "eco", "boost"']],
    ["a wrong constant", [{ start: "10:00:00Z", v: 2 }], ["/0/v must be 1"]],
    ["a wrong format", [{ start: "ten" }], ['/0/start must match format "time"']],
    ["a wrong type", {}, [" must be array"]],
    ["two at once", [{}, { start: 5 }], ['/0 lacks the field "start"', "/1/start must be string"]],
  ])("%s", (_, value, expected) => {
    expect(faultsOf(schedule, value)).toEqual(expected);
  });

  test("the two drafts read the same word each in their own way", () => {
    const pair = { items: [{ type: "string" }, { type: "number" }] };
    expect(faultsOf({ $schema: "http://json-schema.org/draft-07/schema#", ...pair }, ["a", "b"])).toEqual([
      "/1 must be number",
    ]);
    expect(problemOf(pair)).toContain("it is no JSON schema");
    const tuple = { $schema: "https://json-schema.org/draft/2020-12/schema", prefixItems: pair.items };
    expect(faultsOf(tuple, ["a", "b"])).toEqual(["/1 must be number"]);
  });

  test("names such as constructor are ordinary names", () => {
    expect(faultsOf({ required: ["constructor", "toString"] }, {})).toHaveLength(2);
    expect(faultsOf({ required: ["constructor"] }, { constructor: 1 })).toEqual([]);
  });

  test("a schema may refer to its own parts, also in a circle", () => {
    const tree = {
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
      $ref: "#/$defs/node",
    };
    expect(faultsOf(tree, { next: { next: 5 } })).toEqual(["/next/next must be object"]);
  });

  test("two schemas with one $id do not meet", () => {
    expect(faultsOf({ $id: "https://example.com/a", type: "string" }, 1)).toHaveLength(1);
    expect(faultsOf({ $id: "https://example.com/a", type: "number" }, 1)).toEqual([]);
  });

  test("a long list of faults is cut", () => {
    expect(faultsOf({ items: { type: "string" } }, Array(1000).fill(0))).toHaveLength(20);
  });
});

describe("schemas that are refused", () => {
  const deep = (levels: number): unknown => (levels === 0 ? {} : { not: deep(levels - 1) });
  test.each<readonly [string, string, RegExp]>([
    ["no JSON", "{", /^it is not JSON: /],
    ["a list", "[]", /^a schema is an object$/],
    ["a text", '"string"', /^a schema is an object$/],
    ["another draft", '{"$schema":"http://json-schema.org/draft-04/schema#"}', /neither draft 2020-12 nor draft-07/],
    ["a $schema that is no text", '{"$schema":7}', /neither draft 2020-12 nor draft-07/],
    ["a wrong keyword value", '{"type":"strng"}', /^it is no JSON schema: \/type /],
    ["a remote reference", '{"$ref":"https://example.com/a.json"}', /references stay inside the schema/],
    ["a file reference", '{"$ref":"other.json"}', /references stay inside the schema/],
    ["a missing part", '{"$ref":"#/$defs/a"}', /references stay inside the schema/],
    ["a broken pattern", '{"pattern":"("}', /./],
    ["an asynchronous check", '{"$async":true,"type":"string"}', /\$async/],
    ["a meta-schema's name", '{"$id":"https://json-schema.org/draft/2020-12/schema","$ref":"#/$defs/x"}', /./],
    ["too much text", `{"description":"${"x".repeat(70_000)}"}`, /larger than 65536 bytes/],
    ["too many levels", JSON.stringify(deep(100)), /more than 64 levels/],
    ["a pile of brackets", "[".repeat(60_000), /./],
    ["sixty thousand closed brackets", "[".repeat(30_000) + "]".repeat(30_000), /more than 64 levels/],
  ])("%s", (_, text, expected) => {
    const compiled = compileJsonSchema(text);
    expect("problem" in compiled ? compiled.problem : "accepted").toMatch(expected);
    expect("problem" in compiled).toBe(true);
  });

  test("$data is not read from the value", () => {
    expect(problemOf({ properties: { a: { minimum: { $data: "1/b" } } } })).toContain("it is no JSON schema");
  });
});

describe("patterns that would never end", () => {
  const hopeless = `${"a".repeat(60)}!`;
  test.each<readonly [string, unknown, unknown]>([
    ["nested repeats", { pattern: "^(a+)+$" }, hopeless],
    ["overlapping choices", { pattern: "^(a|aa)*$" }, hopeless],
    ["a back reference", { pattern: "^(a*)*\\1$" }, hopeless],
    ["a look ahead", { pattern: "^(?=(a+)+$)a" }, hopeless],
    ["pattern of property names", { patternProperties: { "^(a+)+$": {} } }, { [hopeless]: 1 }],
    ["names of properties", { propertyNames: { pattern: "^(a|a?)+$" } }, { [hopeless]: 1 }],
  ])("%s are stopped at the deadline", (_, schema, value) => {
    expect(faultsOf(schema, value)).toEqual([" could not be checked against its schema within 100 ms"]);
  });

  test("a check that was stopped does not spoil the next one", async () => {
    const compiled = compile({ pattern: "^(a+)+$" });
    if ("problem" in compiled) throw new Error(compiled.problem);
    expect(compiled.check(hopeless)).toHaveLength(1);
    // The deadline is one of the clock: on a busy machine even a quick check may miss it once.
    await expect.poll(() => compiled.check("aaa")).toEqual([]);
    await expect.poll(() => compiled.check("b")).toMatchObject([{ message: 'must match pattern "^(a+)+$"' }]);
  });

  test("references that multiply are stopped too", () => {
    const $defs: Record<string, unknown> = { d0: { type: "string" } };
    for (let level = 1; level <= 30; level++) {
      const $ref = `#/$defs/d${level - 1}`;
      $defs[`d${level}`] = { anyOf: [{ $ref }, { $ref }] };
    }
    expect(faultsOf({ $defs, $ref: "#/$defs/d30" }, 5)).toEqual([
      " could not be checked against its schema within 100 ms",
    ]);
  });

  test("a schema that never ends to compile ends all of its blueprint, and the ones before it work", () => {
    const slow = (salt: number) => {
      const allOf = Array.from({ length: 1900 }, (_, index) => ({ properties: { [`a${salt}${index}`]: {} } }));
      return JSON.stringify({ allOf, unevaluatedProperties: false });
    };
    const [first, ...others] = compileJsonSchemas([
      '{"type":"string"}',
      slow(1),
      slow(2),
      slow(3),
      '{"type":"string"}',
    ]);
    expect(first !== undefined && "check" in first && first.check(1)).toHaveLength(1);
    const problems = others.map((one) => ("problem" in one ? one.problem : "compiled"));
    expect(problems).toContain("it takes too long to compile");
    expect(problems.at(-1)).toBe("it was not compiled, because another one takes too long");
  });

  test("a pattern too large to run is a fault, not a crash", () => {
    const schema = { pattern: `^(?:${"(?:a{1,1000}){1,1000}".repeat(20)})$` };
    expect("problem" in compile(schema) || faultsOf(schema, "aaa").length > 0).toBe(true);
  });

  test("a value nested without end is a fault, not a crash", () => {
    const schema = { $defs: { n: { items: { $ref: "#/$defs/n" } } }, $ref: "#/$defs/n" };
    expect(faultsOf(schema, JSON.parse("[".repeat(200_000) + "]".repeat(200_000)))).toHaveLength(1);
  });
});

test("random JSON is compiled or refused, never thrown at", () => {
  const keyword = fc.constantFrom(
    "type",
    "items",
    "$ref",
    "pattern",
    "enum",
    "properties",
    "required",
    "allOf",
    "not",
    "$id",
  );
  const schema = fc.letrec((tie) => ({
    node: fc.oneof({ maxDepth: 4 }, fc.jsonValue({ maxDepth: 1 }), fc.dictionary(keyword, tie("node"), { maxKeys: 4 })),
  })).node;
  fc.assert(
    fc.property(schema, fc.jsonValue({ maxDepth: 2 }), (candidate, value) => {
      const compiled = compile(candidate);
      if ("check" in compiled) expect(Array.isArray(compiled.check(value))).toBe(true);
    }),
    { numRuns: 200 },
  );
});
