import { expect, test } from "vitest";
import { listed } from "./row.ts";
import { checkedStatements, storable, storableText } from "./storable.ts";

test.each([[0], [-1], [Date.now()], [253_402_300_799_999_000], [Number.MIN_SAFE_INTEGER]])("%d is stored", (value) => {
  expect(storable([value, "text", null])).toEqual([value, "text", null]);
});

test.each([[1_794_852_768_008.0112], [0.1], [Number.NaN], [Number.POSITIVE_INFINITY], [2 ** 63], [1e300]])(
  "%d is a fault, also beside a text that has to be changed",
  (value) => {
    expect(() => storable([value])).toThrow(`not ${value}`);
    expect(() => storable(["\0", value])).toThrow(`not ${value}`);
  },
);

test.each([
  ["Größe 🔋", "Größe 🔋"],
  ["a\0b", "a\uFFFDb"],
  ["\ud800", "\uFFFD"],
  ["a\udc00\0", "a\uFFFD\uFFFD"],
])("%j is stored as %j, also in a list", (given, stored) => {
  expect(storable([1, given])).toEqual([1, stored]);
  expect(storableText(given)).toBe(stored);
  expect(JSON.parse(listed([given]))).toEqual([stored]);
});

test("every statement has its values checked", () => {
  const bound: unknown[] = [];
  const note = (_: string, ...values: readonly unknown[]) => void bound.push(values);
  const statements = checkedStatements({ get: note, one: note, all: note, run: note } as never);
  for (const name of ["get", "one", "all", "run"] as const) {
    void statements[name]("", "\0", 1);
    expect(() => statements[name]("", 1.5)).toThrow("not 1.5");
  }
  expect(bound).toEqual(Array(4).fill(["\uFFFD", 1]));
});
