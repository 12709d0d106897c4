import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import type { TelemetryPoints } from "#service/ports/telemetry-store.ts";
import { createDefineFirst } from "./define-first.ts";
import { SeriesIndex } from "./series-index.ts";
import type { SeriesName } from "./shared-store.ts";

const message = (deviceId: string, values: Record<string, number>): TelemetryPoints => ({
  deviceId,
  at: instant(0),
  values: new Map(Object.entries(values)),
});

function setUp() {
  const index = new SeriesIndex([]);
  const appended: string[] = [];
  const defining: { wanted: readonly SeriesName[]; done: PromiseWithResolvers<void> }[] = [];
  let last = 0;
  const append = createDefineFirst({
    index,
    async define(wanted) {
      const done = Promise.withResolvers<void>();
      defining.push({ wanted, done });
      await done.promise;
      return wanted.map((one) => ({ ...one, device: 1, series: ++last }));
    },
    async append(messages) {
      appended.push(messages.map(({ values }) => [...values.keys()].join("+")).join());
    },
  });
  return { append, appended, defining };
}

test("messages wait for the numbers of their series, and later ones behind them", async () => {
  const { append, appended, defining } = setUp();
  const first = append([message("a", { x: 1 })]);
  expect(appended).toEqual([]);
  defining[0]?.done.resolve();
  await first;
  const all = [
    append([message("a", { x: 1, y: 2 })]),
    append([message("a", { x: 3 })]),
    append([message("a", { z: 1 })]),
  ];
  expect(appended).toEqual(["x"]);
  defining[1]?.done.resolve();
  await all[0];
  expect(appended).toEqual(["x", "x+y"]);
  // What came meanwhile is defined together.
  expect(defining[2]?.wanted.map(({ attribute }) => attribute)).toEqual(["z"]);
  defining[2]?.done.resolve();
  await Promise.all(all);
  expect(appended).toEqual(["x", "x+y", "x", "z"]);
  await append([message("a", { x: 4 })]);
  expect(defining).toHaveLength(3);
});

test("a definition that fails refuses its messages only", async () => {
  const { append, appended, defining } = setUp();
  const first = append([message("a", { x: 1 })]);
  defining[0]?.done.reject(new Error("no database"));
  await expect(first).rejects.toThrow("no database");
  const again = append([message("a", { x: 2 })]);
  defining[1]?.done.resolve();
  await again;
  expect(appended).toEqual(["x"]);
});
