import { expect, test } from "vitest";
import { renderAnswerAsCsv, renderCsv } from "./csv.ts";

test("cells are quoted where they must be, and an absent one is empty", () => {
  expect(
    renderCsv(
      ["name", "n"],
      [
        ['a "b"', 1],
        ["c,d", null],
        ["e\nf", undefined],
      ],
    ),
  ).toBe('name,n\n"a ""b""",1\n"c,d",\n"e\nf",');
});

test("an answer with a single object is one row of its fields", () => {
  expect(renderAnswerAsCsv({ site: { id: "1", location: { name: "Hamburg" }, note: null } })).toBe(
    'id,location,note\n1,"{""name"":""Hamburg""}",',
  );
  expect(renderAnswerAsCsv({ a: 1, b: [1, 2] })).toBe('a,b\n1,"[1,2]"');
  expect(renderAnswerAsCsv("x")).toBe("value\nx");
});
