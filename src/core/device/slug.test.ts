import fc from "fast-check";
import { expect, test } from "vitest";
import { isSlug, slugOf } from "./slug.ts";

test.each([
  ["Roof inverter", "roof-inverter"],
  ["  Wärmepumpe #2  ", "warmepumpe-2"],
  ["電池", "device"],
  ["", "device"],
  ["constructor", "constructor"],
  ["019a8c00-0000-7000-8000-000000000001", "device-019a8c00-0000-7000-8000-000000000001"],
])("the slug of %j is %s", (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

test("the second device of a name gets a number", () => {
  expect(slugOf("Roof inverter", 2)).toBe("roof-inverter-2");
});

test("whatever the name, the slug is one", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.integer({ min: 1, max: 100_000 }),
      (name, ordinal) => {
        expect(isSlug(slugOf(name, ordinal))).toBe(true);
      },
    ),
  );
});

test.each(["", "-a", "a-", "a b", "ä", "a/b", "x".repeat(65), "019a8c00-0000-7000-8000-000000000001"])(
  "%j is no slug",
  (text) => {
    expect(isSlug(text)).toBe(false);
  },
);
