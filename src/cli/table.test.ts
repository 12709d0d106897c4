import { expect, test } from "vitest";
import { renderRecord, renderTable } from "./table.ts";

const COLUMNS = {
  NAME: (row: { name: string; n?: number | null }) => row.name,
  N: (row: { n?: number | null }) => row.n,
};

test("columns are as wide as their widest cell, and lines have no spaces at the end", () => {
  expect(
    renderTable(
      COLUMNS,
      [
        { name: "电池", n: 1 },
        { name: "battery", n: 22 },
      ],
      false,
    ),
  ).toBe(["NAME     N", "电池     1", "battery  22"].join("\n"));
});

test("an absent value is a dash", () => {
  expect(renderTable(COLUMNS, [{ name: "", n: null }, { name: "x" }], false)).toBe("NAME  N\n-     -\nx     -");
});

test("a table may have very many rows", () => {
  const rows = Array.from({ length: 300_000 }, (_, n) => ({ name: "x", n }));
  expect(renderTable(COLUMNS, rows, false).split("\n")).toHaveLength(300_001);
});

test("a table of nothing is its heading", () => {
  expect(renderTable(COLUMNS, [], false)).toBe("NAME  N");
});

test("text from the server cannot drive the terminal", () => {
  expect(renderTable(COLUMNS, [{ name: "a\u001b[2J\nb", n: 1 }], true).split("\n")).toHaveLength(2);
  expect(renderRecord({ name: "\u001b[2J" }, false)).toBe("name  \\u001b[2J");
});

test("a record aligns its values", () => {
  expect(renderRecord({ id: "1", timezone: "UTC", none: null }, false)).toBe("id        1\ntimezone  UTC\nnone      -");
});
