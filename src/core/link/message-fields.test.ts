import { expect, test } from "vitest";
import { count, list, moment, number, object, optionalMoment, optionalText, text, texts } from "./message-fields.ts";

const LONG = "x".repeat(1_000);

test.each([
  [text, "", ""],
  [text, LONG, LONG],
  [optionalText, undefined, undefined],
  [optionalText, "x", "x"],
  [texts, [], []],
  [texts, ["a", LONG], ["a", LONG]],
  [list, [1], [1]],
  [number, -0.5, -0.5],
  [count, 0, 0],
  [count, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  [moment, 8.64e15, 8.64e15],
  [moment, -8.64e15, -8.64e15],
  [optionalMoment, undefined, undefined],
])("%o takes %j", (read, value, expected) => {
  expect(read({ it: value }, "it")).toEqual(expected);
});

test.each([
  [text, 1, "it is no text"],
  [text, `${LONG}x`, "it has more than 1000 characters"],
  [text, undefined, "it is no text"],
  [optionalText, null, "it is no text"],
  [texts, [1], "it is no list of texts"],
  [texts, ["a", `${LONG}x`], "it is no list of texts"],
  [texts, "a", "it is no list"],
  [list, {}, "it is no list"],
  [number, "1", "it is no number"],
  [number, Number.POSITIVE_INFINITY, "it is no number"],
  [count, -1, "it is no count"],
  [count, 0.5, "it is no count"],
  [count, 2 ** 53, "it is no count"],
  [moment, 8.65e15, "it is no time"],
  [moment, -8.65e15, "it is no time"],
  [optionalMoment, null, "it is no number"],
])("%o refuses %j", (read, value, why) => {
  expect(() => read({ it: value }, "it")).toThrow(why);
});

test.each([[], null, "x", undefined])("%j is no object", (value) => {
  expect(() => object(value, "it")).toThrow("it is no object");
});
