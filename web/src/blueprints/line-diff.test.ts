import { expect, test } from "vitest";
import { diffLines, hunksOf } from "./line-diff.ts";

const SIGNS = { same: " ", added: "+", removed: "-" } as const;
const shown = (old: string, next: string) =>
  diffLines(old.replaceAll(" ", "\n"), next.replaceAll(" ", "\n"))
    .map(({ kind, text }) => SIGNS[kind] + text)
    .join("");

test.each([
  ["a b c", "a b c", " a b c"],
  ["a b c", "a x c", " a-b+x c"],
  ["a c", "a b c", " a+b c"],
  ["a b c", "a c", " a-b c"],
  ["a b c d", "b c d e", "-a b c d+e"],
  ["a a b", "a b b", " a-a+b b"],
])("from [%s] to [%s]: %s", (old, next, expected) => {
  expect(shown(old, next)).toBe(expected);
});

test("lines keep their numbers in both texts", () => {
  expect(diffLines("a\nb\nc", "a\nc").map(({ old, next }) => [old, next])).toEqual([
    [1, 1],
    [2, undefined],
    [3, 2],
  ]);
});

test("only changes and what is around them is shown", () => {
  const old = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  const next = old.with(20, "other");
  const hunks = hunksOf(diffLines(old.join("\n"), next.join("\n")), 2);
  expect(hunks.map(({ skipped, lines }) => [skipped, lines.length])).toEqual([[18, 6]]);
});

test("texts that differ in very many lines are replaced, not compared", () => {
  const text = (word: string) => Array.from({ length: 2_500 }, (_, index) => `${word} ${index}`).join("\n");
  const kinds = new Set(diffLines(text("a"), text("b")).map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual(["added", "removed"]);
});
