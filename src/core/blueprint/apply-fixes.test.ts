import { expect, test } from "vitest";
import { applyFixes } from "./apply-fixes.ts";

const edit = (start: number, end: number, text: string) => ({ fix: { title: "", edits: [{ start, end, text }] } });
/** Offers its fixes to the first text only. */
const once =
  (first: string, ...fixes: ReturnType<typeof edit>[]) =>
  (text: string) =>
    text === first ? fixes : [];

test.each([
  ["nothing to do", [], "abcdef", 0],
  ["one", [edit(0, 1, "X")], "Xbcdef", 1],
  ["several in any order", [edit(4, 5, "Y"), edit(0, 2, "")], "cdYf", 2],
  ["an insertion", [edit(3, 3, "--")], "abc--def", 1],
  ["of two that touch the first", [edit(0, 3, "X"), edit(2, 4, "Y")], "Xdef", 1],
  ["of two insertions at one place the first", [edit(1, 1, "X"), edit(1, 1, "Y")], "aXbcdef", 1],
])("%s", (_, fixes, expected, count) => {
  expect(applyFixes("abcdef", once("abcdef", ...fixes))).toEqual({ text: expected, count });
});

test("rounds go on while fixes are offered, and end for a fix that never helps", () => {
  const shorten = (text: string) => (text.length > 3 ? [edit(0, 1, "")] : []);
  expect(applyFixes("abcdef", shorten)).toEqual({ text: "def", count: 3 });
  expect(applyFixes("a", () => [edit(0, 0, "x")]).count).toBe(10);
  expect(applyFixes("a", () => [edit(0, 1, "a")]).count).toBe(0);
});
