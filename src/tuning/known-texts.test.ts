import fc from "fast-check";
import { expect, test } from "vitest";
import { KnownTexts } from "./known-texts.ts";

test("a text comes out as it went in, known or not, whatever bytes came before", () => {
  const texts = new KnownTexts();
  const word = fc.oneof(
    fc.constantFrom("", "on", "no", "idle", "ÿ", "\ufffd", "läuft", "🔋", "a".repeat(64), "a".repeat(65)),
    fc.string({ unit: "binary", maxLength: 80 }),
  );
  const bytes = fc.oneof(
    word.map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 80 }).map((some) => Buffer.from(some)),
  );
  const property = fc.property(fc.array(fc.tuple(bytes, bytes)), (pairs) => {
    for (const [before, text] of pairs) {
      const batch = Buffer.concat([before, text, before]);
      const [from, to] = [before.length, before.length + text.length];
      expect(texts.read(batch, from, to)).toBe(text.toString("utf8"));
      expect(texts.read(batch, from, to)).toBe(text.toString("utf8"));
    }
  });
  fc.assert(property, { numRuns: 500 });
});

test("more texts than there is room for come out right too", () => {
  const texts = new KnownTexts();
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 10_000; i++) {
      const bytes = Buffer.from(`state ${i}`);
      expect(texts.read(bytes, 0, bytes.length)).toBe(`state ${i}`);
    }
  }
});

test("a text is not taken for another whose characters are its bytes", () => {
  const texts = new KnownTexts();
  for (let i = 0; i < 20_000; i++) {
    const bytes = Buffer.from(`ä${i}`);
    const lookalike = Buffer.from(bytes.toString("latin1"));
    expect(texts.read(lookalike, 0, lookalike.length)).toBe(`Ã¤${i}`);
    expect(texts.read(bytes, 0, bytes.length)).toBe(`ä${i}`);
  }
});
