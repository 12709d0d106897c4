import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { afterFetch } from "./fetch-schedule.ts";
import type { FetchState } from "./price-source.ts";

const NEW: FetchState = {
  nextAt: instant(0),
  failures: 0,
  succeededAt: undefined,
  rows: undefined,
  failedAt: undefined,
  error: undefined,
};
const HOUR = 3_600_000;

test("failures make the pause longer, up to six hours, and a success starts over", () => {
  let state = NEW;
  const pauses: number[] = [];
  for (let n = 0; n < 12; n++) {
    const at = state.nextAt;
    state = afterFetch(state, { at, everyMs: HOUR, rows: undefined, error: "answered 500" }, 0);
    pauses.push((state.nextAt - at) / 60_000);
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360]);
  const at = state.nextAt;
  const done = afterFetch(state, { at, everyMs: HOUR, rows: 48, error: undefined }, 0);
  expect(done).toMatchObject({ failures: 0, succeededAt: at, rows: 48, nextAt: at + HOUR, error: "answered 500" });
});

test("fetches spread over a tenth of the time", () => {
  const fetched = { at: instant(0), everyMs: HOUR, rows: 1, error: undefined };
  expect([0, 0.999].map((chance) => Math.round(afterFetch(NEW, fetched, chance).nextAt / 60_000))).toEqual([60, 66]);
});
