import { expect, test } from "vitest";
import { randomFrom } from "../../../test/support/random.ts";
import { type LivePoints, MOST_KNOWN_BYTES } from "./live-values.ts";
import { LinkMistake } from "./message-fields.ts";
import { createPointsPacker } from "./pack-points.ts";
import { createPointsUnpacker } from "./unpack-points.ts";

type Value = number | boolean | string;

const points = (deviceId: string, at: number, values: Readonly<Record<string, Value>>): LivePoints => ({
  deviceId,
  at,
  values: new Map(Object.entries(values)),
});

const NUMBERS = [0, -0, 1, -1, 0.1, 230.1, 1e9, 1 / 3, -1e-9, 2 ** 53, -(2 ** 50), 2 ** 50 + 1, 5e-324, 1.7e308];
const VALUES: readonly Value[] = [
  ...NUMBERS,
  ...NUMBERS.map(Math.fround).filter(Number.isFinite),
  true,
  false,
  "",
  "on",
  "\uFEFFé😀",
  "x".repeat(300),
];

test("what is packed is unpacked as it was, value by value, in every order", () => {
  const random = randomFrom(3);
  const some = <Thing>(things: readonly Thing[]): Thing => things[Math.floor(random() * things.length)] as Thing;
  const [packer, unpacker] = [createPointsPacker(), createPointsUnpacker()];
  let count = 0;
  for (let round = 0; round < 500; round++) {
    const messages = Array.from({ length: Math.floor(random() * 4) }, () => {
      const names = ["a", "b", "c", "d", "power", "x".repeat(100)].filter(() => random() < 0.6);
      const at = Math.round((random() - 0.2) * 1e13);
      return points(
        `device ${Math.floor(random() * 5)}`,
        at,
        Object.fromEntries(names.map((name) => [name, some(VALUES)])),
      );
    });
    const unpacked = unpacker.unpack(packer.pack(messages));
    expect(unpacked).toEqual(messages);
    for (const { values } of unpacked) count += values.size;
  }
  expect(count).toBeGreaterThan(1_000);
});

test("a value that has changed a little costs a byte, one that has not a bit, and names travel once", () => {
  const packer = createPointsPacker();
  const sizes = Array.from({ length: 3 }, (_, second) => {
    const values = Object.fromEntries(
      Array.from({ length: 16 }, (_, i) => [`name_${i}`, i < 8 ? (2301 + second) / 10 : i]),
    );
    return packer.pack([points("device", 1_000 * second, values)]).length;
  });
  // The count, device, form, two bytes of time, two of flags, and eight changed values.
  expect(sizes.slice(1)).toEqual([15, 15]);
});

test("both sides start over when they would remember too much", () => {
  const [packer, unpacker] = [createPointsPacker(), createPointsUnpacker()];
  const values = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`attribute ${i}`, i]));
  let before = 0;
  let starts = 0;
  for (let device = 0; device < 300; device++) {
    const message = points(`device ${device}`, device, values);
    expect(unpacker.unpack(packer.pack([message]))).toEqual([message]);
    if (unpacker.knownBytes < before) starts++;
    before = unpacker.knownBytes;
    expect(before).toBeLessThan(1.1 * MOST_KNOWN_BYTES);
  }
  expect(starts).toBeGreaterThan(0);
});

test("bytes that nobody has packed are a mistake of the other side, and cost little", () => {
  const packer = createPointsPacker();
  const first = packer.pack([points("device", 5, { a: 1.5, b: true, c: "text", d: 1 / 3 })]);
  const second = packer.pack([points("device", 6, { a: 1.7, b: false, c: "text", d: 0.1 })]);
  const random = randomFrom(9);
  let mistakes = 0;
  for (let round = 0; round < 3_000; round++) {
    const unpacker = createPointsUnpacker();
    const bytes = Uint8Array.from(round % 2 === 0 ? first : second);
    if (round % 2 === 1) unpacker.unpack(first);
    for (let flips = 0; flips < 3; flips++) bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    try {
      for (const { at, values } of unpacker.unpack(bytes)) {
        expect(Number.isFinite(at)).toBe(true);
        for (const value of values.values()) if (typeof value === "number") expect(Number.isFinite(value)).toBe(true);
      }
    } catch (error) {
      if (!(error instanceof LinkMistake)) throw error;
      mistakes++;
    }
  }
  expect(mistakes).toBeGreaterThan(300);
});

test("points that end anywhere before their last byte, or go on after it, are a mistake", () => {
  const packer = createPointsPacker();
  const messages = [0, 1, 2].map((at) => points("device", at, { a: at, b: "text" }));
  const whole = packer.pack(messages);
  expect(createPointsUnpacker().unpack(whole)).toEqual(messages);
  for (let end = 0; end < whole.length; end++) {
    expect(() => createPointsUnpacker().unpack(whole.subarray(0, end)), `${end} bytes`).toThrow(LinkMistake);
  }
  expect(() => createPointsUnpacker().unpack(Uint8Array.of(...whole, 0))).toThrow("1 bytes are left over");
});

test("a side that wants more texts remembered than both may is refused", () => {
  const [packer, unpacker] = [createPointsPacker(), createPointsUnpacker()];
  // One text is the name.
  for (let n = 1; n < 4_096; n++) unpacker.unpack(packer.pack([points("device", n, { state: `text ${n}` })]));
  const bytes = packer.pack([points("device", 5_000, { state: "zz" })]);
  const at = Buffer.from(bytes).indexOf("zz") - 2;
  expect([bytes[at], bytes[at + 1]]).toEqual([0, 2]);
  bytes[at] = 1;
  expect(() => unpacker.unpack(bytes)).toThrow("too many known texts");
});

test("few bytes cannot stand for very many points", () => {
  const packer = createPointsPacker();
  const unpacker = createPointsUnpacker();
  const values = Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => [`a${i}`, i]));
  unpacker.unpack(packer.pack([points("device", 0, values)]));
  const same = packer.pack(Array.from({ length: 60 }, (_, at) => points("device", at, values)));
  expect(() => unpacker.unpack(same)).toThrow("more than 100000 points");
});
