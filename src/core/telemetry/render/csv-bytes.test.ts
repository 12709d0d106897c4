import fc from "fast-check";
import { expect, test } from "vitest";
import { CsvBytes } from "./csv-bytes.ts";

const decoder = new TextDecoder();

function written(write: (csv: CsvBytes) => void): string {
  const csv = new CsvBytes(0);
  write(csv);
  const { length } = csv;
  const bytes = csv.take();
  expect(bytes.length).toBe(length);
  return decoder.decode(bytes);
}

test.each([
  0,
  -0,
  1,
  -1,
  9,
  10,
  99,
  100,
  999,
  1000,
  -1000,
  999999,
  1e6,
  1e9,
  1e9 - 1,
  2 ** 31,
  -(2 ** 31),
  2 ** 32,
  2 ** 53,
  2 ** 53 - 1,
  -(2 ** 53),
  1e15,
  1e20,
  1e21,
  1e22,
  0.1,
  -0.1,
  0.5,
  0.05,
  0.001,
  0.000001,
  0.0000011,
  1e-7,
  9.99e-7,
  0.123456789,
  0.1234567891,
  999999.999999999,
  1000000.000001,
  1e6 + 1e-9,
  123456789.123456,
  999999999.999999,
  1e9 + 0.001,
  999999999999.999,
  1e12 + 0.5,
  4503599627370495.5,
  0.1 + 0.2,
  1 / 3,
  5e-324,
  Number.MAX_VALUE,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  1700000000.12,
  100.1,
  1.005,
  64.1,
  8.41,
  0.3,
  2.675,
])("%d is written as String() writes it", (value) => {
  expect(written((csv) => csv.number(value))).toBe(String(value));
});

let seed = 12345;
function random(): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
}
const cell = new DataView(new ArrayBuffer(8));

test.each<[string, () => number]>([
  [
    "decimals of up to nine places",
    () => Math.round((random() - 0.5) * 10 ** Math.floor(random() * 16)) / 10 ** Math.floor(random() * 10),
  ],
  [
    "parsed decimals",
    () => Number(`${Math.floor(random() * 10 ** Math.floor(random() * 13))}.${Math.floor(random() * 1e9)}`),
  ],
  [
    "neighbours of decimals",
    () => (Math.round(random() * 1e6) / 1000) * (1 + (Math.floor(random() * 3) - 1) * 2 ** -52),
  ],
  ["means of decimals", () => Math.round(random() * 1e5) / 10 / Math.ceil(random() * 60)],
  ["whole numbers", () => Math.round((random() - 0.5) * 2 ** Math.floor(random() * 66))],
  ["float32 values", () => Math.fround((random() - 0.5) * 10 ** Math.floor(random() * 12 - 4))],
  ["doubles of every size that String() writes without an exponent", () => random() * 10 ** (random() * 22 - 6)],
  [
    "doubles near powers of two",
    () => 2 ** Math.floor(random() * 70 - 20) * (1 + Math.floor(random() * 9 - 4) * 2 ** -53),
  ],
  [
    "doubles near powers of ten",
    () => 10 ** Math.floor(random() * 22 - 6) * (1 + Math.floor(random() * 19 - 9) * 2 ** -53),
  ],
  ["doubles around one", () => random() + random() * 2 ** -32],
  [
    "doubles of any bits",
    () => {
      cell.setUint32(0, random() * 2 ** 32);
      cell.setUint32(4, random() * 2 ** 32);
      return cell.getFloat64(0);
    },
  ],
])("250,000 %s are written as String() writes them", (_, make) => {
  const csv = new CsvBytes();
  for (let round = 0; round < 250; round++) {
    const values = Array.from({ length: 1000 }, make);
    for (const value of values) {
      csv.number(value);
      csv.comma();
    }
    expect(decoder.decode(csv.take())).toBe(`${values.join(",")},`);
  }
});

test.each([
  [0, "0.000"],
  [1, "0.001"],
  [-1, "-0.001"],
  [999, "0.999"],
  [1000, "1.000"],
  [-1500, "-1.500"],
  [1700000000120, "1700000000.120"],
  [-62135596800000, "-62135596800.000"],
  [8640000000000000, "8640000000000.000"],
])("a row of %d ms begins with %s", (time, text) => {
  expect(written((csv) => csv.row(time, false))).toBe(text);
  if (time % 1000 === 0) expect(written((csv) => csv.row(time, true))).toBe(String(time / 1000));
});

test("a row begins with its milliseconds as toFixed writes seconds", () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e14, max: 1e14 }), (millis) => {
      const magnitude = Math.abs(millis);
      const text = `${millis < 0 ? "-" : ""}${Math.floor(magnitude / 1000)}.${String(magnitude % 1000).padStart(3, "0")}`;
      expect(written((csv) => csv.row(millis, false))).toBe(text);
    }),
  );
});

test.each([
  ["", '""'],
  ["RUN", "RUN"],
  [" a b ", " a b "],
  ["a,b", '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['"', '""""'],
  ["two\nlines", '"two\nlines"'],
  ["\r", '"\r"'],
  ["°C", "°C"],
  ["日本,😀", '"日本,😀"'],
  ["a\uD800", "a\uFFFD"],
])("the text %j is the field %j", (text, field) => {
  expect(written((csv) => csv.text(text))).toBe(field);
});

test("any text is read back by the rules of RFC 4180", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), (texts) => {
      const csv = written((to) => {
        for (const text of texts) {
          to.text(text);
          to.comma();
        }
      });
      const fields = [...csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*)),/g)].map(
        ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare,
      );
      expect(fields).toEqual(texts);
    }),
  );
});

test("what was taken stays as it was while more is written", () => {
  const csv = new CsvBytes(0);
  csv.number(1.5);
  csv.newline();
  const first = csv.take();
  expect(csv.length).toBe(0);
  csv.text("x".repeat(5000));
  expect(decoder.decode(first)).toBe("1.5\n");
  expect(csv.take().length).toBe(5000);
  expect(csv.take().length).toBe(0);
});

const DAY = 86_400_000;

test.each([
  ["none", 0],
  ["one", 1],
  ["more than are written at once", 40],
])("%s more of a row, each with its own time", (_, count) => {
  const cells = [",", ",on", `,${"x".repeat(50)},1.5`, ",\u007f\u{1f600},", `,${"long ".repeat(5_000)}`];
  const times = [-2_000, 0, 998_000, 999_999_000_000, 1_790_726_400_000, 9_999_999_000_000];
  const steps = [1_000, 60_000, 999_000, 3_600_000, DAY];
  for (const cell of cells) {
    for (const time of times) {
      for (const step of steps) {
        const csv = new CsvBytes(8);
        csv.row(time, true);
        csv.plain(`${cell}\n`);
        csv.repeat(step, count);
        const rows = Array.from({ length: count + 1 }, (_, i) => `${(time + i * step) / 1_000}${cell}\n`);
        expect(decoder.decode(csv.take())).toBe(rows.join(""));
      }
    }
  }
});

test("more of a row whose times have decimals", () => {
  const csv = new CsvBytes();
  csv.row(1_790_726_400_500, false);
  csv.plain(",on\n");
  csv.repeat(250, 3);
  expect(decoder.decode(csv.take())).toBe(
    "1790726400.500,on\n1790726400.750,on\n1790726401.000,on\n1790726401.250,on\n",
  );
});

test("a row can be repeated, then another one, and the first goes on where it was", () => {
  const csv = new CsvBytes();
  csv.row(1_790_726_400_000, true);
  csv.plain(",on\n");
  csv.repeat(60_000, 1);
  csv.repeat(60_000, 1);
  csv.row(1_790_726_580_000, true);
  csv.plain(",off\n");
  csv.repeat(60_000, 1);
  const rows = ["400,on", "460,on", "520,on", "580,off", "640,off"].map((row) => `1790726${row}\n`);
  expect(decoder.decode(csv.take())).toBe(rows.join(""));
});
