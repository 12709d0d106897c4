import fc from "fast-check";
import { expect, test } from "vitest";
import { CsvReader, MAX_ROW_LENGTH, readHeaderCell } from "./read-csv.ts";
import { CsvBytes } from "./render/csv-bytes.ts";

function rowsOf(...pieces: readonly string[]) {
  const reader = new CsvReader();
  const rows = pieces.flatMap((piece) => [...reader.push(piece)]);
  const last = reader.end();
  return (last === undefined ? rows : [...rows, last]).map(({ cells, line }) => `${line}:${cells.join("|")}`);
}

test.each([
  ["", ""],
  ["a,b\n1,2\n", "1:a|b 2:1|2"],
  ["a,b\r\n1,2", "1:a|b 2:1|2"],
  ["a\n\nb\n", "1:a 3:b"],
  ["1,,\n", "1:1||"],
  [",\n", "1:|"],
  ['"a,b",c\n', "1:a,b|c"],
  ['"say ""hi""",x\n', '1:say "hi"|x'],
  ['"x\ny",1\nz\n', "1:x\ny|1 3:z"],
  ['1,"",\n', "1:1||"],
  ['a"b,c\n', '1:a"b|c'],
  ['a""b,c\nd\n', '1:a""b|c 2:d'],
  ['"a"b,c\n', "1:ab|c"],
  ['"open,1\n2', '1:"open|1\n2'],
])("%j has the rows %j", (text, rows) => {
  expect(rowsOf(text).join(" ")).toBe(rows);
});

test("what was written is read, in whatever pieces it comes", () => {
  const cell = fc.string({ unit: fc.constantFrom("a", "1", ",", '"', "\n", "\r", " ", "é") });
  const table = fc.array(fc.tuple(fc.constant("0"), cell, cell), { maxLength: 5 });
  fc.assert(
    fc.property(table, fc.array(fc.nat(20)), (rows, cuts) => {
      const csv = new CsvBytes();
      for (const row of rows) {
        for (const [i, text] of row.entries()) {
          if (i > 0) csv.comma();
          csv.text(text);
        }
        csv.newline();
      }
      let text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(csv.take());
      const pieces = cuts.map((cut) => {
        const piece = text.slice(0, cut);
        text = text.slice(cut);
        return piece;
      });
      const reader = new CsvReader();
      const read = [...pieces, text].flatMap((piece) => [...reader.push(piece)]);
      expect(read.map(({ cells }) => cells)).toEqual(rows);
    }),
  );
});

test("a row without an end is refused before it fills the memory", () => {
  const reader = new CsvReader();
  expect(() => [...reader.push(`"${"x".repeat(MAX_ROW_LENGTH)}`)]).toThrow(RangeError);
});

test.each([`1,"${"x".repeat(MAX_ROW_LENGTH)}"\n`, `${"x".repeat(MAX_ROW_LENGTH + 1)}\n2\n`])(
  "a row that is too long is refused also where its end is known",
  (text) => {
    expect(() => [...new CsvReader().push(text)]).toThrow(RangeError);
  },
);

// Looking at a row from its start with each piece would take hours here.
test("a long row may come letter by letter", () => {
  const reader = new CsvReader();
  const letters = 400_000;
  for (const start of '1,"') expect([...reader.push(start)]).toEqual([]);
  for (let i = 0; i < letters; i++) for (const row of reader.push("x")) expect(row).toBeUndefined();
  expect([...reader.push('"\n')]).toMatchObject([{ cells: ["1", "x".repeat(letters)], line: 1 }]);
});

test.each([
  ['1,"a', true],
  ['1,"a""', true],
  ['1,"a\n2,b\n', true],
  ['1,"a"', undefined],
  ['1,a"', undefined],
  ["1,a", undefined],
])("whether the last row of %j ends inside quotes: %s", (text, isUnclosed) => {
  const reader = new CsvReader();
  expect([...reader.push(text)]).toEqual([]);
  expect(reader.end()?.isUnclosed).toBe(isUnclosed);
});

test("two quotes are the empty text, and nothing is none", () => {
  const [row] = new CsvReader().push('"",,"a","" ,"",\n');
  expect([row?.cells, [...(row?.emptyTexts ?? [])]]).toEqual([
    ["", "", "a", " ", "", ""],
    [0, 4],
  ]);
});

test("a header cell is its pairs", () => {
  expect([...readHeaderCell("telemetry=power device=a=b x =y granularity=1m")]).toEqual([
    ["telemetry", "power"],
    ["device", "a=b"],
    ["granularity", "1m"],
  ]);
});
