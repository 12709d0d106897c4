import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeTexts, encodeTexts } from "./texts.ts";

function roundTrip(given: readonly string[]): Uint8Array {
  const bytes = encodeTexts(given);
  expect(decodeTexts(bytes)).toEqual(given);
  return bytes;
}

test.each([
  [[]],
  [[""]],
  [["a", "a", "b", "a"]],
  [["\uFEFFmark", "zero\0inside"]],
  [["\uD800", "a\uDC00b", "\uDC00\uD800"]],
  [["°C", "日本", "😀", "é"]],
  [["__proto__", "constructor", "toString"]],
])("%j come back", (texts) => {
  roundTrip(texts);
});

test("any texts come back", () => {
  const unit = fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 })
    .map((units) => String.fromCharCode(...units));
  const text = fc.oneof(fc.string({ unit: "binary" }), unit, fc.constantFrom("RUN", "STOP", "FAULT"));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 400, size: "max" }), (texts) => void roundTrip(texts)),
    { numRuns: 200 },
  );
});

test.each<[string, number, (i: number) => string]>([
  ["3600 times the same", 16, () => "RUNNING"],
  [
    "a state that changes every ten minutes",
    60,
    (i) => ["RUN", "STOP", "FAULT", "IDLE"][Math.floor(i / 600) % 4] ?? "",
  ],
  ["four states in turn", 1100, (i) => ["RUN", "STOP", "FAULT", "IDLE"][i % 4] ?? ""],
  ["3600 different words of four letters", 3600 * 5 + 200, (i) => String(1000 + i)],
])("%s take at most %i bytes", (_, most, make) => {
  expect(roundTrip(Array.from({ length: 3600 }, (_, i) => make(i))).length).toBeLessThanOrEqual(most);
});
