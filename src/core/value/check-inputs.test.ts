import { expect, test } from "vitest";
import { checkInputs, type DeclaredInput } from "./check-inputs.ts";

const input = (fields: Partial<DeclaredInput> = {}): DeclaredInput => ({
  type: "string",
  enum: undefined,
  required: false,
  min: undefined,
  max: undefined,
  format: undefined,
  default: undefined,
  sensitive: false,
  ...fields,
});
const check = (declared: Readonly<Record<string, DeclaredInput>>, given: object) =>
  checkInputs(new Map(Object.entries(declared)), given as Record<string, unknown>, () => undefined);
const messages = (declared: Readonly<Record<string, DeclaredInput>>, given: object) =>
  check(declared, given).problems.map(({ message }) => message);

test("values come in the order of the declaration, defaults filled in, without a prototype", () => {
  const declared = { a: input({ default: "x" }), b: input(), c: input({ type: "integer", default: 0 }) };
  const { values, problems } = check(declared, { b: "y" });
  expect(problems).toEqual([]);
  expect(Object.entries(values)).toEqual([
    ["a", "x"],
    ["b", "y"],
    ["c", 0],
  ]);
  expect(Object.getPrototypeOf(values)).toBeNull();
});

test("null counts as not given, and what is not given and has no default is left out", () => {
  expect(check({ a: input({ default: "x" }), b: input() }, { a: null, b: null }).values).toEqual({ a: "x" });
  expect(messages({ a: input({ required: true }) }, { a: null })).toEqual(["a is required"]);
});

test("a default satisfies required, and is used as it is declared", () => {
  expect(check({ a: input({ required: true, default: "x" }) }, {}).problems).toEqual([]);
  const limit = { a: input({ type: "integer", max: 5, default: 9 }) };
  for (const given of [{}, { a: null }]) expect(check(limit, given)).toMatchObject({ values: { a: 9 }, problems: [] });
  expect(messages(limit, { a: 9 })).toEqual(["a must be at most 5, not 9"]);
});

test("every problem is reported at once", () => {
  const declared = {
    power: input({ type: "float", min: 0, max: 10 }),
    host: input({ format: "ipv4" }),
    flag: input({ type: "boolean", required: true }),
  };
  expect(messages(declared, { power: 11, host: "x", pwer: 1 })).toEqual([
    'there is no "pwer"; did you mean power?',
    "power must be at most 10, not 11",
    "host must be written as ipv4, for example 192.0.2.7",
    "flag is required",
  ]);
});

test.each([
  [{ min: 0 }, 0, undefined],
  [{ min: 0 }, -0.1, "a must be at least 0, not -0.1"],
  [{ max: 0 }, 0, undefined],
  [{ max: 0 }, 0.1, "a must be at most 0, not 0.1"],
])("bounds %j take %s: %s", (bounds, value, problem) => {
  expect(messages({ a: input({ type: "float", ...bounds }) }, { a: value })[0]).toBe(problem);
});

test("bounds count for numbers only, and a format for texts only", () => {
  const declared = { a: input({ type: "json", min: 5, format: "ipv4" }), b: input({ min: 5 }) };
  expect(messages(declared, { a: 1, b: "x" })).toEqual([]);
  expect(messages(declared, { a: "x" })).toEqual([]);
});

test("names that a prototype knows are names like others", () => {
  const declared = new Map([["constructor", input()]]);
  const given = JSON.parse('{"__proto__": 1, "constructor": "x"}') as Record<string, unknown>;
  const { values, problems } = checkInputs(declared, given, () => undefined);
  expect(values["constructor"]).toBe("x");
  expect(problems.map(({ name }) => name)).toEqual(["__proto__"]);
  expect(check({ constructor: input() }, {}).values).toEqual({});
});

test("problems of a sensitive value do not repeat it, whatever is wrong with it", () => {
  const cases: readonly (readonly [Partial<DeclaredInput>, unknown])[] = [
    [{ type: "integer" }, "s3cret"],
    [{ type: "integer", max: 1 }, 731_731],
    [{ enum: [{ value: "a" }, { value: "s3cres" }] as unknown as DeclaredInput["enum"] }, "s3cret"],
    [{ type: "boolean" }, "s3cret, not s3cret"],
  ];
  for (const [fields, value] of cases) {
    const [message = ""] = messages({ pin: input({ ...fields, sensitive: true }) }, { pin: value });
    expect(message).toMatch(/^pin must be/);
    expect(message).not.toMatch(/s3cret|731/);
  }
});

test("json is checked by its schema, other types are not", () => {
  const asked: string[] = [];
  const declared = new Map([
    ["setup", input({ type: "json" })],
    ["text", input()],
  ]);
  const { problems } = checkInputs(declared, { setup: { a: 1 }, text: "x" }, (name) => {
    asked.push(name);
    return "does not fit";
  });
  expect([asked, problems]).toEqual([["setup"], [{ name: "setup", message: "setup does not fit" }]]);
});

test("an unknown name is cut in the message, and a long list of known ones too", () => {
  const [message = ""] = messages({ alpha: input() }, { ["z".repeat(1_000)]: 1 });
  expect(message).toMatch(/declared: alpha$/);
  expect(message.length).toBeLessThan(200);
  expect(messages({}, { x: 1 })).toEqual(['there is no "x"; none is declared']);
});
