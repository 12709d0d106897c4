import fc from "fast-check";
import { expect, test } from "vitest";
import { NUMBER_ROOM, writeNumber, writeTriple, writeWhole } from "./write-number.ts";

type Write = (bytes: DataView, at: number, value: number) => number;

/** What the functions do, without tricks: the text of a number, letter by letter. */
const plain =
  (textOf: (value: number) => string): Write =>
  (bytes, at, value) =>
    writeText(bytes, at, textOf(value));

function writeText(bytes: DataView, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) bytes.setUint8(at + i, text.charCodeAt(i));
  return at + text.length;
}

/** What a function writes behind a byte that it must leave alone. */
function written(write: Write, value: number): string {
  const bytes = new DataView(new ArrayBuffer(1 + NUMBER_ROOM));
  bytes.setUint8(0, 0x21);
  return Buffer.from(bytes.buffer, 0, write(bytes, 1, value)).toString("latin1");
}

const whole = fc.oneof(fc.nat(), fc.integer({ min: 0, max: 2 ** 53 - 1 }), fc.nat({ max: 1e9 }));
const number = fc.oneof(
  fc.double(),
  fc.float(),
  fc.integer(),
  fc.tuple(fc.maxSafeInteger(), fc.nat({ max: 12 })).map(([digits, places]) => digits / 10 ** places),
);

test.each([
  { fast: writeNumber, twin: plain(String), values: number },
  { fast: writeWhole, twin: plain(String), values: whole },
  { fast: writeTriple, twin: plain((value) => String(value).padStart(3, "0")), values: fc.nat({ max: 999 }) },
])("$fast.name writes what its plain twin writes", ({ fast, twin, values }) => {
  fc.assert(
    fc.property(values, (value) => {
      expect(written(fast, value)).toBe(written(twin, value));
    }),
    { numRuns: 5_000 },
  );
});
