import { expect, test } from "vitest";
import { createByteBudget } from "#core/share/byte-budgets.ts";
import { isLater } from "#core/telemetry/latest-value.ts";
import { instant } from "#core/time/instant.ts";
import { CURRENT_TEXTS_BYTES, CurrentValues } from "./current-values.ts";

const MIB = 1024 * 1024;

function open(maxValues = 1_000) {
  const budget = createByteBudget("texts", CURRENT_TEXTS_BYTES);
  const room = createByteBudget("values", maxValues * 128);
  const values = new CurrentValues(room, budget);
  let at = 0;
  const note = (deviceId: string, attribute: string, value: string | number) => {
    const snapshot = { at: instant(++at), value };
    values.note({ deviceId, attribute }, { snapshot, at, fits: isLater });
  };
  return { room, budget, values, note };
}

test("long texts of one device and of all are bounded; what has no room has no current value", () => {
  const { budget, values, note } = open();
  note("d1", "a", "x".repeat(2 * MIB));
  note("d1", "b", "y".repeat(300));
  note("d1", "c", 5);
  expect([...values.of("d1").keys()]).toEqual(["a", "c"]);
  note("d1", "a", "short");
  note("d1", "b", "y".repeat(300));
  expect([...values.of("d1")].map(([name, { value }]) => [name, String(value).length])).toEqual([
    ["a", 5],
    ["c", 1],
    ["b", 300],
  ]);
  for (let n = 2; n < 40; n++) note(`d${n}`, "a", "x".repeat(2 * MIB));
  expect(budget.used()).toBeLessThanOrEqual(CURRENT_TEXTS_BYTES);
  expect([values.of("d2").size, values.of("d39").size]).toEqual([1, 0]);
  for (let n = 1; n < 40; n++) values.delete(`d${n}`);
  expect([budget.used(), values.of("d2").size]).toEqual([0, 0]);
});

test("an older text takes no room", () => {
  const { budget, values, note } = open();
  note("d1", "a", "x".repeat(1_000));
  values.note(
    { deviceId: "d1", attribute: "a" },
    { snapshot: { at: instant(-5), value: "y".repeat(2_000) }, at: 9, fits: isLater },
  );
  expect([budget.used(), values.of("d1").get("a")?.value]).toEqual([1_000, "x".repeat(1_000)]);
});

test("all values are bounded: what has no room has no current value, and what is known stays", () => {
  const { room, values, note } = open(3);
  for (const attribute of ["a", "b", "c", "d", "a"]) note("d1", attribute, attribute.length);
  note("d2", "a", 1);
  expect([[...values.of("d1").keys()], values.of("d2").size]).toEqual([["a", "b", "c"], 0]);
  // A text that finds no room leaves the room of its value.
  note("d1", "c", "x".repeat(3 * MIB));
  expect([...values.of("d1").keys()]).toEqual(["a", "b"]);
  note("d2", "a", 1);
  expect([values.of("d2").size, room.used()]).toEqual([1, 3 * 128]);
  values.delete("d1");
  values.delete("d2");
  expect(room.used()).toBe(0);
});
