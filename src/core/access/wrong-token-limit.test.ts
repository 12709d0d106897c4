import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { createWrongTokenLimit } from "./wrong-token-limit.ts";

// Three per minute. `a@5` is a wrong token from a, five seconds after the start; the result is the seconds to wait, or -.
test.each([
  ["a@0 a@1 a@2", "- - -"],
  ["a@0 a@1 a@2 a@3", "- - - 57"],
  ["a@0 a@0 a@0 a@0 a@59.001 a@59.999", "- - - 60 1 1"],
  ["a@0 a@0 a@0 a@30.5", "- - - 30"],
  ["a@0 a@0 a@0 a@60", "- - - -"],
  ["a@0 a@0 a@0 a@0 a@60 a@60 a@60 a@60", "- - - 60 - - - 60"],
  // The clock is set back by a day.
  ["a@86400 a@86400 a@86400 a@86401 a@1 a@1 a@1 a@2", "- - - 59 - - - 59"],
  ["a@0 a@0 a@0 b@0 b@0 b@0 a@10 b@20", "- - - - - - 50 40"],
  ["constructor@0 __proto__@0 constructor@0 __proto__@0 constructor@0 __proto__@0 constructor@0", "- - - - - - 60"],
])("wrong tokens at [%s] wait for [%s]", (given, expected) => {
  const limit = createWrongTokenLimit(3);
  const waits = given.split(" ").map((text) => {
    const [source = "", seconds] = text.split("@");
    return limit.note(source, instant(Number(seconds) * 1000)) || "-";
  });
  expect(waits.join(" ")).toBe(expected);
});

test("a limit of 0 lets no wrong token pass without a wait", () => {
  expect(createWrongTokenLimit(0).note("a", instant(0))).toBe(60);
});

test("only so many sources are remembered: the one whose minute began first goes first", () => {
  const limit = createWrongTokenLimit(1, { maxSources: 2 });
  const note = (source: string, seconds: number) => limit.note(source, instant(seconds * 1000));
  expect([note("a", 0), note("b", 1), note("a", 2), note("b", 2)]).toEqual([0, 0, 58, 59]);
  expect([note("c", 3), note("b", 3), note("c", 4)]).toEqual([0, 58, 59]);
  expect([note("a", 4), note("c", 5)]).toEqual([0, 58]);
});
