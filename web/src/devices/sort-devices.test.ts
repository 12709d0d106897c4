import { expect, test } from "vitest";
import { pressed, readSort, renderSort, type Sortable, sortDevices } from "./sort-devices.ts";

const UNKNOWN: Omit<Sortable, "name"> = {
  status: undefined,
  value: undefined,
  alerts: 0,
  seen: undefined,
  kind: undefined,
};
const device = (name: string, known: Partial<Sortable> = {}): Sortable => ({ ...UNKNOWN, name, ...known });
const DEVICES = [
  device("c", { value: -5, alerts: 2 }),
  device("a", { value: 10 }),
  device("b"),
  device("d", { value: 0, alerts: 2 }),
];

test.each([
  [undefined, "a b c d"],
  ["-name", "d c b a"],
  ["value", "c d a b"],
  ["-value", "a d c b"],
  ["-alerts", "c d a b"],
  ["-kind", "a b c d"],
])("sorted by %s they are %s", (text, expected) => {
  const sorted = sortDevices(DEVICES, readSort(text), (one) => one);
  expect(sorted.map(({ name }) => name).join(" ")).toBe(expected);
});

test.each(["constructor", "", "-", "--name", "size"])("%j in an address is the usual order", (text) => {
  expect(renderSort(readSort(text))).toBeUndefined();
});

test("a press sorts by a column, and the next one turns it round", () => {
  const first = pressed(readSort(undefined), "value");
  expect(renderSort(first)).toBe("-value");
  expect(renderSort(pressed(first, "value"))).toBe("value");
  expect(renderSort(pressed(first, "status"))).toBe("status");
  expect(renderSort(pressed(readSort("-name"), "name"))).toBeUndefined();
});
