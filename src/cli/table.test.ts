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
      { colour: false },
    ),
  ).toBe(["NAME     N", "电池     1", "battery  22"].join("\n"));
});

test("an absent value is a dash", () => {
  expect(renderTable(COLUMNS, [{ name: "", n: null }, { name: "x" }], { colour: false })).toBe(
    "NAME  N\n-     -\nx     -",
  );
});

test("a table may have very many rows", () => {
  const rows = Array.from({ length: 300_000 }, (_, n) => ({ name: "x", n }));
  expect(renderTable(COLUMNS, rows, { colour: false }).split("\n")).toHaveLength(300_001);
});

test("a table of nothing is its heading", () => {
  expect(renderTable(COLUMNS, [], { colour: false })).toBe("NAME  N");
});

test("text from the server cannot drive the terminal", () => {
  expect(renderTable(COLUMNS, [{ name: "a\u001b[2J\nb", n: 1 }], { colour: true }).split("\n")).toHaveLength(2);
  expect(renderRecord({ name: "\u001b[2J" }, false)).toBe("name  \\u001b[2J");
});

test("a record aligns its values", () => {
  expect(renderRecord({ id: "1", timezone: "UTC", none: null }, false)).toBe("id        1\ntimezone  UTC\nnone      -");
});

test("on a terminal the widest columns are cut until a line fits", () => {
  const rows = [{ name: "a name that is much too long for it", n: 1 }];
  expect(renderTable(COLUMNS, rows, { colour: false, width: 20 })).toBe(
    `${"NAME".padEnd(17)}  N\na name that is m\u2026  1`,
  );
  expect(renderTable(COLUMNS, rows, { colour: false, width: 80 })).toContain("too long for it");
  // Nothing useful would be left.
  expect(renderTable(COLUMNS, rows, { colour: false, width: 8 })).toContain("too long for it");
});
