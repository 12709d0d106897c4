import { expect, test } from "vitest";
import type { Snapshot } from "#service/ports/telemetry-store.ts";
import { createFakeClock } from "../../../test/support/fake-clock.ts";
import { NOON } from "../../../test/support/records.ts";
import { createTextBudget, MAX_TEXT_PER_HOUR } from "./text-budget.ts";

const most = "x".repeat(MAX_TEXT_PER_HOUR);
const NOTHING: ReadonlyMap<string, Snapshot> = new Map();
const of = (values: object) => new Map(Object.entries(values));

test("new texts of an hour are counted by device, and what is too much is named", () => {
  const budget = createTextBudget(createFakeClock(NOON));
  expect(budget.take("a", of({ note: most, power: 5, running: true }), NOTHING)).toEqual([]);
  expect(budget.take("a", of({ note: "y", power: 6, empty: "" }), NOTHING)).toEqual(["note"]);
  expect(budget.take("b", of({ note: "y" }), NOTHING)).toEqual([]);
});

test("of a message only what is too much is left out, and costs nothing", () => {
  const budget = createTextBudget(createFakeClock(NOON));
  expect(budget.take("a", of({ first: "x", long: most, last: most.slice(1) }), NOTHING)).toEqual(["long"]);
});

test("a text that the attribute has already costs nothing", () => {
  const budget = createTextBudget(createFakeClock(NOON));
  budget.take("a", of({ note: most }), NOTHING);
  expect(budget.take("a", of({ note: most }), new Map([["note", { at: NOON, value: most }]]))).toEqual([]);
});

test("a new hour begins anew", async () => {
  const clock = createFakeClock(NOON);
  const budget = createTextBudget(clock);
  budget.take("a", of({ note: most }), NOTHING);
  await clock.advance(3_600_000 - 1);
  expect(budget.take("a", of({ note: "y" }), NOTHING)).toEqual(["note"]);
  await clock.advance(1);
  expect(budget.take("a", of({ note: "y" }), NOTHING)).toEqual([]);
});
