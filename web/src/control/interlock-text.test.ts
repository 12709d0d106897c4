import { expect, test } from "vitest";
import { parseInterlock } from "#core/interlock/parse-interlock.ts";
import { draftText, KINDS, placeProblems, readText } from "./interlock-text.ts";

const NAMES = { device: "room", control: "rate", attribute: "temperature" };

test.each(KINDS)("a new interlock of kind %s begins with a document without mistakes", (kind) => {
  const { document, problems } = readText(draftText(kind, NAMES));
  expect(problems).toEqual([]);
  expect(parseInterlock(document).problems).toEqual([]);
  expect(document?.kind).toBe(kind);
});

test("a problem stands where its value is, or where the missing one belongs", () => {
  const text = draftText("condition", NAMES);
  const found = placeProblems(text, [
    { code: "unknown_control", pointer: "/limits/0/control", message: "is no control" },
    { code: "wrong_value", pointer: "/limits/0/min", message: "must be a number" },
  ]);
  expect(found.map(({ line, message }) => [line, message])).toEqual([
    [4, "/limits/0/control is no control"],
    [4, "/limits/0/min must be a number"],
  ]);
  expect(text.slice(found[0]?.from, found[0]?.to)).toBe("rate");
});

test("a text that is no document says where it breaks off", () => {
  const { document, problems } = readText("kind: condition\nlimits: [");
  expect(document).toBeUndefined();
  expect(problems[0]?.line).toBeGreaterThan(0);
});
