import { expect, test } from "vitest";
import { renderCsv } from "./csv.ts";

test("cells with commas, quotes and line ends are quoted", () => {
  expect(
    renderCsv(
      ["a", "b"],
      [
        ["x,y", 'say "hi"'],
        ["two\nlines", undefined],
      ],
    ),
  ).toBe('a,b\r\n"x,y","say ""hi"""\r\n"two\nlines",\r\n');
});

test("no text is a formula of a spreadsheet; numbers stay numbers", () => {
  expect(renderCsv(["a"], [['=cmd|"/c"'], ["@x"], [-5]])).toBe('a\r\n"\'=cmd|""/c"""\r\n\'@x\r\n-5\r\n');
});
