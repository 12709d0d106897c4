import { expect, test } from "vitest";
import { jsonTable } from "./json-table.ts";

test("a list of objects has a row for each, and a column for each name", () => {
  expect(
    jsonTable([
      { position: 1, serial: "M-1" },
      { position: 2, note: null, inner: { a: 1 } },
    ]),
  ).toEqual({
    kind: "rows",
    columns: ["position", "serial", "note", "inner"],
    rows: [
      ["1", "M-1", "", ""],
      ["2", "", "null", '{"a":1}'],
    ],
    cut: 0,
  });
});

test("an object has a pair for each name, those of the language too", () => {
  expect(jsonTable(JSON.parse('{"a":[1,2],"constructor":"x","__proto__":"y"}'))).toEqual({
    kind: "pairs",
    pairs: [
      ["a", "[1,2]"],
      ["constructor", "x"],
      ["__proto__", "y"],
    ],
    cut: 0,
  });
});

test.each([[[1, 2]], [[]], [{}], [[{ a: 1 }, 2]], ["text"], [null], [5]])("%j is no table", (value) => {
  expect(jsonTable(value)).toBeUndefined();
});

test("what is too long for a page is cut, and says how much", () => {
  const long = jsonTable(Array.from({ length: 150 }, (_, index) => ({ index, text: "x".repeat(1000) })));
  expect(long).toMatchObject({ kind: "rows", cut: 50 });
  expect(long?.kind === "rows" && long.rows[0]?.[1]?.length).toBe(201);
  const wide = jsonTable([Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`c${index}`, index]))]);
  expect(wide?.kind === "rows" && wide.columns.length).toBe(12);
});
