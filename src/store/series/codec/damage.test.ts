import { describe, expect, test } from "vitest";
import { decodeBooleans, encodeBooleans } from "./booleans.ts";
import { countOf, decodeNumbers, encodeNumbers } from "./numbers.ts";
import { decodePresence, encodePresence } from "./presence.ts";
import { decodeTexts, encodeTexts } from "./texts.ts";
import { decodeTimes, encodeTimes } from "./times.ts";

let seed = 99;
const random = (below: number): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};
const numbers = (make: (i: number) => number): Uint8Array =>
  encodeNumbers(
    Float64Array.from({ length: 300 }, (_, i) => make(i)),
    300,
  );
const bits = (make: (i: number) => number): Uint8Array => Uint8Array.from({ length: 300 }, (_, i) => make(i));

const readNumbers = (bytes: Uint8Array) => decodeNumbers(bytes, new Float64Array(400));
const CASES: [string, Uint8Array, (bytes: Uint8Array) => unknown][] = [
  ["constant numbers", numbers(() => 4.2), readNumbers],
  ["decimals", numbers((i) => (random(99) + i) / 10), readNumbers],
  ["decimals with others between", numbers((i) => (i % 50 === 3 ? Math.sqrt(i) : i / 10)), readNumbers],
  ["decimals with spikes", numbers((i) => (i % 50 === 3 ? 1e9 : random(20)) / 10), readNumbers],
  ["wide whole numbers", numbers(() => random(2 ** 32) * 4096), readNumbers],
  ["float32 numbers", numbers(() => Math.fround(random(1000) / 7)), readNumbers],
  ["doubles", numbers(() => 100 + random(1e9) / 7e7), readNumbers],
  ["raw doubles", numbers(() => random(1e9) ** (random(60) - 30)), readNumbers],
  [
    "times",
    encodeTimes(
      Float64Array.from({ length: 300 }, (_, i) => i * 1000 + random(9)),
      300,
    ),
    (bytes) => decodeTimes(bytes, new Float64Array(400)),
  ],
  [
    "booleans as runs",
    encodeBooleans(
      bits((i) => (i > 70 ? 1 : 0)),
      300,
    ),
    (bytes) => decodeBooleans(bytes, new Uint8Array(400)),
  ],
  [
    "booleans as bits",
    encodeBooleans(
      bits(() => random(2)),
      300,
    ),
    (bytes) => decodeBooleans(bytes, new Uint8Array(400)),
  ],
  [
    "presence as marks",
    encodePresence(
      bits((i) => (i % 40 ? 1 : 0)),
      300,
    ),
    (bytes) => decodePresence(bytes, new Uint8Array(400)),
  ],
  ["texts as runs", encodeTexts(Array.from({ length: 300 }, (_, i) => `${i >> 6}é`)), decodeTexts],
  [
    "texts as blocks",
    encodeTexts(Array.from({ length: 300 }, () => ["a", "bé", "\uD800"][random(3)] ?? "")),
    decodeTexts,
  ],
];

/** What was read instead, or the message of the Error; anything else that is thrown fails the test. */
function outcome(read: () => unknown): string {
  try {
    read();
    return "read";
  } catch (error) {
    if (error instanceof Error && /^Damaged (numbers|times|booleans|presence|texts): .+\.$/.test(error.message))
      return error.message;
    throw error;
  }
}

describe.each(CASES)("damaged %s", (_, bytes, read) => {
  test("that are whole are read", () => {
    expect(outcome(() => read(bytes))).toBe("read");
  });

  test("that end early are refused", () => {
    for (let length = 0; length < bytes.length; length++) {
      expect(outcome(() => read(bytes.slice(0, length)))).not.toBe("read");
    }
  });

  test("with bytes added are refused", () => {
    expect(outcome(() => read(Uint8Array.of(...bytes, 0)))).toContain("left over");
  });

  test("with changed bytes are refused or read, never more", () => {
    for (let round = 0; round < 600; round++) {
      const changed = bytes.slice();
      const near = round % 2 === 0 ? Math.min(24, bytes.length) : bytes.length;
      for (let i = random(3); i >= 0; i--) changed[random(near)] = random(256);
      outcome(() => read(changed));
    }
  });
});

test("noise is refused or read, never more", () => {
  for (const [, bytes, read] of CASES) {
    for (let round = 0; round < 200; round++) {
      const noise = Uint8Array.from({ length: random(60) }, () => random(256));
      noise[0] = bytes[0] ?? 0;
      outcome(() => read(noise));
    }
  }
});

test("a count beyond the room is refused before anything is written", () => {
  const out = new Float64Array(2);
  expect(() => decodeNumbers(encodeNumbers(Float64Array.of(1, 1, 1), 3), out)).toThrow(
    "3 values do not fit into the room for 2",
  );
  expect([...out]).toEqual([0, 0]);
});

test.each<[string, () => unknown, string]>([
  ["an unknown format of numbers", () => readNumbers(Uint8Array.of(0x77, 0)), "no format has the number 119"],
  ["an unknown format in countOf", () => countOf(Uint8Array.of(0x77, 0)), "no format has the number 119"],
  ["nothing at all", () => readNumbers(new Uint8Array()), "the bytes end too early"],
  ["an endless count", () => readNumbers(new Uint8Array(40).fill(0xff).fill(0x10, 0, 1)), "a number is too long"],
  ["a trillion texts", () => decodeTexts(Uint8Array.of(0x50, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20)), "do not fit"],
  [
    "a block without values",
    () => decodeTexts(Uint8Array.of(0x51, 0x80, 0x80, 0x80, 0x02, 0)),
    "the bytes end too early",
  ],
  [
    "times that fall",
    () => decodeTimes(Uint8Array.of(0x20, 2, 2, 3, 2, 0x40, 3), new Float64Array(9)),
    "the times do not rise",
  ],
])("%s is named", (_, read, message) => {
  expect(read).toThrow(message);
});
