import { expect, test } from "vitest";
import { type DeclaredValue, valueProblem } from "./value-problem.ts";

const of = (type: DeclaredValue["type"], allowed?: readonly (string | number | boolean)[]): DeclaredValue => ({
  type,
  enum: allowed?.map((value) => ({ value, displayName: undefined, description: undefined, color: undefined })) as
    | DeclaredValue["enum"]
    | undefined,
});

test.each<readonly [DeclaredValue["type"], unknown]>([
  ["boolean", false],
  ["string", ""],
  ["integer", 2.0],
  ["integer", -0],
  ["integer", Number.MAX_SAFE_INTEGER],
  ["float", 1e-300],
  ["float", 3],
  ["array_of_strings", []],
  ["array_of_strings", ["a", "a"]],
  ["alerts", ["overheat"]],
  ["json", null],
  ["json", [{ a: 1 }]],
])("%s takes %j", (type, value) => {
  expect(valueProblem(of(type), value)).toBeUndefined();
});

test.each<readonly [DeclaredValue["type"], unknown, string]>([
  ["boolean", 0, "must be true or false, not 0"],
  ["string", null, "must be a text, not null"],
  ["integer", 1.5, "must be a whole number, not 1.5"],
  ["integer", 2 ** 53, "must be a whole number, not 9007199254740992"],
  ["integer", "1", 'must be a whole number, not "1"'],
  ["float", Number.NaN, "must be a number, not NaN"],
  ["float", Number.POSITIVE_INFINITY, "must be a number, not Infinity"],
  ["float", true, "must be a number, not true"],
  ["array_of_strings", [1], "must be a list of texts, not a list"],
  ["array_of_strings", {}, "must be a list of texts, not an object"],
  ["alerts", "overheat", 'must be a list of alert ids, not "overheat"'],
  ["json", undefined, "must be any JSON value, not undefined"],
  ["string", 5n, "must be a text, not 5"],
])("%s refuses %s: %s", (type, value, problem) => {
  expect(valueProblem(of(type), value)).toBe(problem);
});

test("an enum takes its values only, exactly, and names the nearest", () => {
  const mode = of("string", ["auto", "manual"]);
  expect(valueProblem(mode, "auto")).toBeUndefined();
  expect(valueProblem(mode, "manul")).toBe('must be one of auto, manual, not "manul"; did you mean manual?');
  expect(valueProblem(mode, "AUTO")).toContain("must be one of auto, manual");
  expect(valueProblem(of("integer", [1, 5]), 5.0)).toBeUndefined();
  expect(valueProblem(of("integer", [1, 5]), 2)).toBe("must be one of 1, 5, not 2");
  expect(valueProblem(of("array_of_strings", ["a", "b"]), ["b", "a"])).toBeUndefined();
  expect(valueProblem(of("array_of_strings", ["a", "b"]), ["a", "c"])).toContain('not "c"');
});

test("an enum holds for json too: what stands in it as JSON text is meant as JSON", () => {
  const json = of("json", ["auto", 5, '{"a": [1], "b": null}', "true"]);
  for (const value of ["auto", 5, true, { b: null, a: [1] }]) expect(valueProblem(json, value)).toBeUndefined();
  for (const value of ["manual", 6, false, null, ["auto"], { a: [1] }, {}]) {
    expect(valueProblem(json, value)).toMatch(/^must be one of auto, 5/);
  }
});

test("a long enum and a long value are cut in the message", () => {
  const long = of(
    "string",
    Array.from({ length: 30 }, (_, n) => `value${n}`),
  );
  const problem = valueProblem(long, "x".repeat(500)) ?? "";
  expect(problem).toContain("value19, ...");
  expect(problem.length).toBeLessThan(400);
});
