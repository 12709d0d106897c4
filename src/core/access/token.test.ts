import fc from "fast-check";
import { expect, test } from "vitest";
import { crc32 } from "#core/text/crc32.ts";
import { formatToken, SECRET_BYTES, tokenIdOf } from "./token.ts";

const secret = fc.uint8Array({ minLength: SECRET_BYTES, maxLength: SECRET_BYTES });

test("the checksum is the well-known CRC-32", () => {
  expect(crc32("123456789")).toBe(0xcbf43926);
});

test("a token's text gives its id back and has one fixed length", () => {
  fc.assert(
    fc.property(fc.uuid(), secret, (id, bytes) => {
      const text = formatToken(id, bytes);
      expect(text).toMatch(/^bb_[0-9A-Za-z]{71}$/);
      expect(tokenIdOf(text)).toBe(id);
    }),
  );
});

test("different secrets make different tokens", () => {
  fc.assert(
    fc.property(fc.uuid(), secret, secret, (id, a, b) => {
      expect(formatToken(id, a) === formatToken(id, b)).toBe(Buffer.from(a).equals(Buffer.from(b)));
    }),
  );
});

test("a token with any one character changed is not a token", () => {
  const text = formatToken("019a8c00-0000-7000-8000-000000000001", new Uint8Array(SECRET_BYTES).fill(7));
  for (let i = 0; i < text.length; i++) {
    const changed = text.slice(0, i) + (text[i] === "0" ? "1" : "0") + text.slice(i + 1);
    expect(tokenIdOf(changed), changed).toBeUndefined();
  }
});

test.each(["", "bb_", "hello", "BB_", `bb_${"z".repeat(71)}`, "x".repeat(100_000), "bb_\0", "constructor"])(
  "%# is not a token",
  (text) => {
    expect(tokenIdOf(text)).toBeUndefined();
  },
);
