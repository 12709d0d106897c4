import { expect, test } from "vitest";
import { createSeal, SEAL_KEY_BYTES } from "./seal.ts";

const seal = createSeal(new Uint8Array(SEAL_KEY_BYTES).fill(1));
const other = createSeal(new Uint8Array(SEAL_KEY_BYTES).fill(2));

test.each(["", "4711", "Größe 🔋", "x".repeat(100_000), "\0"])("what was sealed is opened again", (text) => {
  expect(seal.open(seal.seal(text, "here"), "here")).toBe(text);
});

test("the same text is sealed differently each time, and does not show", () => {
  const [a, b] = [seal.seal("canary-canary", "here"), seal.seal("canary-canary", "here")];
  expect(Buffer.from(a).equals(b)).toBe(false);
  expect(Buffer.from(a).includes("canary")).toBe(false);
});

test("nobody opens it elsewhere, with another key, or changed in any byte", () => {
  const sealed = seal.seal("secret", "here");
  expect(() => seal.open(sealed, "there")).toThrow();
  expect(() => other.open(sealed, "here")).toThrow();
  for (let at = 0; at < sealed.length; at++) {
    const changed = Uint8Array.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => seal.open(changed, "here")).toThrow();
  }
  for (const length of [0, 11, 12, 27, sealed.length - 1]) {
    expect(() => seal.open(sealed.subarray(0, length), "here")).toThrow();
  }
});

test("a fingerprint is the same for the same text and place, and another for another key", () => {
  const print = (one: typeof seal, text: string, context: string) =>
    Buffer.from(one.fingerprint(text, context)).toString("hex");
  expect(print(seal, "a", "here")).toBe(print(seal, "a", "here"));
  const all = [
    print(seal, "a", "here"),
    print(seal, "b", "here"),
    print(seal, "a", "there"),
    print(other, "a", "here"),
  ];
  expect(new Set([...all, print(seal, "here\0a", "")]).size).toBe(5);
});

test("a key of another length is refused", () => {
  for (const length of [0, 16, 31, 33]) expect(() => createSeal(new Uint8Array(length))).toThrow("32 bytes");
});
