import { expect, test } from "vitest";
import { newPlant } from "#demo/plant/plant.ts";
import { DAY_MS } from "#demo/plant/site.ts";
import { createLivePlant } from "./live-plant.ts";

const SITE = { seed: 1, latitude: 40, longitude: 0 };
const NOON = Date.parse("2026-06-01T12:00:00Z");

test("time passes only by advance, and orders count from then on", () => {
  const live = createLivePlant(SITE, newPlant(SITE, NOON));
  expect(live.advance(NOON + 1_000).inverter.acPower).toBeGreaterThan(1_000);
  expect(live.change((now) => ({ ...now, inverter: { ...now.inverter, isOn: false } }))).toBe(true);
  expect(live.advance(NOON + 2_000).inverter.acPower).toBe(0);
  expect(live.now().at).toBe(NOON + 2_000);
  expect(live.change(() => undefined)).toBe(false);
});

test("what it remembers is enough to go on", () => {
  const live = createLivePlant(SITE, newPlant(SITE, NOON));
  live.advance(NOON + 90_000);
  const again = createLivePlant(SITE, live.memory());
  expect(again.advance(NOON + 120_000)).toEqual(live.advance(NOON + 120_000));
});

test("a clock that goes back a little is waited for, a calendar that was wrong is not", () => {
  const live = createLivePlant(SITE, newPlant(SITE, NOON));
  expect(live.advance(NOON - 60_000).at).toBe(NOON);
  expect(live.advance(NOON - DAY_MS).at).toBe(NOON - DAY_MS);
});

test("a year of standstill is caught up", () => {
  const live = createLivePlant(SITE, newPlant(SITE, NOON));
  const before = live.now().inverter.yieldTotal;
  expect(live.advance(NOON + 365 * DAY_MS).inverter.yieldTotal).toBeGreaterThan(before + 20_000);
});
