import { expect, test } from "vitest";
import { ApiError } from "#client/errors.ts";
import { readManifest } from "#web/data/manifest.ts";
import { describeRules } from "./describe-field.ts";
import { draftOf, problemsOfAnswer, readDraft } from "./draft.ts";
import { formFields } from "./form-field.ts";
import { readJson, renderJson } from "./json-view.ts";

const fieldsOf = (declared: object) => {
  const { commands, units } = readManifest({ commands: { run: { arguments: declared } } });
  return formFields(commands.get("run")?.arguments ?? new Map(), units);
};

const one = (declaration: object) => fieldsOf({ x: { display_name: "X", ...declaration } });
const read = (declaration: object, text: string | readonly string[], locale: "en" | "de" = "en") => {
  const { values, problems } = readDraft(one(declaration), { x: text }, { locale });
  return problems.get("x") ?? values["x"];
};

test.each([
  [{ type: "string" }, "text"],
  [{ type: "string", sensitive: true }, "secret"],
  [{ type: "integer" }, "number"],
  [{ type: "float" }, "number"],
  [{ type: "boolean" }, "yes or no"],
  [{ type: "array_of_strings" }, "list"],
  [{ type: "array_of_strings", enum: ["a", "b"] }, "choices"],
  [{ type: "integer", enum: [1, 2] }, "choice"],
  [{ type: "json" }, "json"],
  [{ type: "not a type" }, "text"],
])("%j is filled in as %s", (declaration, control) => {
  expect(one(declaration)[0]?.control).toBe(control);
});

test.each([
  [{ type: "string" }, "a b", "a b"],
  [{ type: "string" }, "", undefined],
  [{ type: "integer" }, "7", 7],
  [{ type: "integer" }, "7.5", "Must be a whole number, not 7.5"],
  [{ type: "float", min: 60, max: 100 }, "50", "Must be at least 60, not 50"],
  [{ type: "float" }, "1,234", 'Must be a number, not "1,234"'],
  [{ type: "boolean" }, "false", false],
  [{ type: "boolean", required: true }, "", "Is required"],
  [{ type: "integer", enum: [1, 2] }, "2", 2],
  [{ type: "string", enum: ["eco"] }, "ecco", 'Must be one of eco, not "ecco"; did you mean eco?'],
  [{ type: "array_of_strings" }, [" a ", "", "b"], ["a", "b"]],
  [{ type: "array_of_strings" }, [], undefined],
  [{ type: "array_of_strings", required: true }, [], []],
  [{ type: "json" }, '{"a":1}', { a: 1 }],
  [{ type: "json" }, "{", "Must be JSON; a text needs quotes"],
  [{ type: "string", format: "ipv4" }, "300.1.1.1", "Must be written as ipv4, for example 192.0.2.7"],
  [{ type: "string", sensitive: true, enum: ["a"] }, "b", "Must be one of a"],
])("with %j, the text %j means %j", (declaration, text, expected) => {
  expect(read(declaration, text)).toEqual(expected);
});

test("decimals have a comma in German, and nowhere else", () => {
  expect(read({ type: "float" }, "5,5", "de")).toBe(5.5);
  expect(draftOf(one({ type: "float", default: 5.5 }), {}, "de")["x"]).toBe("5,5");
});

// Every sentence of the service's check has a German one: a sentence that changes there fails here.
test.each([
  [{ type: "integer" }, "a", 'Muss eine ganze Zahl sein, nicht "a"'],
  [{ type: "float", min: 1 }, "0", "Muss mindestens 1 sein, nicht 0"],
  [{ type: "float", max: 1 }, "2", "Darf höchstens 1 sein, nicht 2"],
  [{ type: "string", required: true }, "", "Hier fehlt ein Wert"],
  [{ type: "string", enum: ["eco"] }, "ecco", 'Muss eines von eco sein, nicht "ecco". Meinten Sie eco?'],
  [{ type: "string", format: "date" }, "x", "Muss als date geschrieben sein, zum Beispiel 2026-11-14"],
  [{ type: "boolean" }, "x", 'Muss ja oder nein sein, nicht "x"'],
  [{ type: "json" }, "{", "Muss JSON sein; ein Text braucht Anführungszeichen"],
])("with %j, the text %j is refused in German", (declaration, text, expected) => {
  expect(read(declaration, text, "de")).toBe(expected);
});

test("a form shows defaults, and values before them", () => {
  const fields = fieldsOf({
    mode: { type: "string", default: "eco" },
    on: { type: "boolean", default: true },
    plan: { type: "json" },
    tags: { type: "array_of_strings" },
  });
  expect({ ...draftOf(fields, { mode: "fast", plan: { a: 1 } }, "en") }).toEqual({
    mode: "fast",
    on: "true",
    plan: '{\n  "a": 1\n}',
    tags: [],
  });
});

test("a stored secret may stay empty, also where it is required", () => {
  const fields = one({ type: "string", required: true, sensitive: true });
  const stored = new Set(["x"]);
  expect(readDraft(fields, { x: "" }, { locale: "en", stored }).problems.size).toBe(0);
  expect(readDraft(fields, { x: "" }, { locale: "en" }).problems.get("x")).toBe("Is required");
});

test("names of objects are no values", () => {
  const fields = fieldsOf({ constructor: { type: "string" }, toString: { type: "string", required: true } });
  const { values, problems } = readDraft(fields, draftOf(fields, {}, "en"), { locale: "en" });
  expect([Object.keys(values), [...problems.keys()]]).toEqual([[], ["toString"]]);
});

test("a form and its JSON say the same", () => {
  const fields = fieldsOf({ power: { type: "float", max: 10 }, mode: { type: "string" } });
  const { values } = readDraft(fields, { power: "5", mode: "eco" }, { locale: "en" });
  expect(readJson(fields, renderJson(values), "en")).toEqual({ values, problems: new Map(), unknown: [] });
  expect(readJson(fields, "[1]", "en")).toBeUndefined();
  expect(readJson(fields, "", "en")?.values).toEqual({});
  const wrong = readJson(fields, '{"power": 12, "pwoer": 1}', "en");
  expect([wrong?.unknown, wrong?.problems.get("power"), wrong?.problems.get("pwoer")]).toEqual([
    ["pwoer"],
    "Must be at most 10, not 12",
    'There is no "pwoer"; did you mean power?',
  ]);
});

test("a refusal is shown at the fields that it names, or as a whole", () => {
  const fields = fieldsOf({ plan: { type: "json" } });
  const context = { place: "/arguments/", fields, locale: "en" } as const;
  const refusal = (pointer: string) =>
    new ApiError(400, [{ code: "invalid_arguments", message: "plan must have power", details: { pointer } }]);
  expect(problemsOfAnswer(refusal("/arguments/plan"), context)).toEqual(new Map([["plan", "Must have power"]]));
  expect(problemsOfAnswer(refusal("/name"), context)).toBeUndefined();
  expect(problemsOfAnswer(new Error("no answer"), context)).toBeUndefined();
});

test.each([
  [{ type: "float", unit: "kW", min: 0, max: 10, default: 5 }, "0 kW to 10 kW, default 5 kW"],
  [{ type: "integer", min: 1, max: 65535 }, "whole number, 1 to 65535"],
  [{ type: "integer", min: 1 }, "whole number, at least 1"],
  [{ type: "string", format: "ipv4" }, "for example 192.0.2.7"],
  [{ type: "string", sensitive: true, default: "secret" }, undefined],
  [{ type: "boolean", default: true }, "default yes"],
  [{ type: "string" }, undefined],
])("the rules of %j are described as %s", (declaration, expected) => {
  const [field] = one(declaration);
  expect(field && describeRules(field, "en")).toBe(expected);
});
