import { expect, test } from "vitest";
import { codeFrame, styleFor } from "./code-frame.ts";

/** The place is the text between » and «. */
function frame(marked: string): string {
  const before = marked.slice(0, marked.indexOf("»"));
  const inside = marked.slice(before.length + 1, marked.indexOf("«"));
  const position = (text: string) => ({ line: text.split("\n").length, column: text.length - text.lastIndexOf("\n") });
  const lines = marked.replace(/[»«]/g, "").split("\n");
  return codeFrame(lines, { start: position(before), end: position(before + inside) }, styleFor(false));
}

test.each([
  ["one word", "a: 1\n»b«: 2\nc: 3", ["1 | a: 1", "2 | b: 2", "  | ^"]],
  ["at most two lines before", "a\nb\nc\nd: »x«", ["2 | b", "3 | c", "4 | d: x", "  |    ^"]],
  ["nothing to underline", "a: »«", ["1 | a:", "  |    ^"]],
  ["several lines", "a: »b\nc«", ["1 | a: b", "  |    ^"]],
  ["wide letters", "电池: »x«", ["1 | 电池: x", "  |       ^"]],
  ["tabs", "\t»x«", ["1 |   x", "  |   ^"]],
  ["windows line ends", "»a«: 1\r\nb", ["1 | a: 1", "  | ^"]],
  ["line numbers of two digits", `${"\n".repeat(9)}»a«`, [" 8 |", " 9 |", "10 | a", "   | ^"]],
])("%s", (_, marked, expected) => {
  expect(frame(marked).split("\n")).toEqual(expected);
});

test("a long line is cut around its place", () => {
  const [line = "", marks = ""] = frame(`${"x".repeat(300)}»y«${"z".repeat(300)}`).split("\n");
  expect(line.length).toBeLessThan(120);
  expect(line[marks.indexOf("^")]).toBe("y");
});

test("nothing in the document drives the terminal", () => {
  const framed = frame("»\u001b[31mred\u0007«");
  expect(framed).not.toContain("\u001b");
  expect(framed).not.toContain("\u0007");
});
