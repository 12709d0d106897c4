import { expect, test } from "vitest";
import type { History, Wanted } from "#web/data/history.ts";
import { readManifest } from "#web/data/manifest.ts";
import { chargeColumn, chargeSources, dayPower, meansOf, peakOf, stackDay, useOf, wantedCharge } from "./day-power.ts";
import { instrumentsOf } from "./site-energy.ts";

const W = { type: "float", unit: "W" };
const device = (id: string, manifest: object) => ({
  id,
  name: id,
  manifest: readManifest(manifest),
  resource: { type: "LUA" },
});
const DEVICES = [
  device("sun", { implements: ["energy.inverter.pv"], category: "solar-generators", telemetry: { ac_power: W } }),
  device("meter", { implements: ["energy.grid_meter"], category: "power-meters", telemetry: { grid_power: W } }),
  device("rack", {
    implements: ["energy.battery"],
    category: "battery-systems",
    telemetry: { battery_power: W, battery_soc: { type: "float", unit: "%" } },
  }),
];
const BUCKET = 300_000;
/** Watts of each bucket, as the integral that the service would answer. */
const historyOf = (columns: Readonly<Record<string, readonly (number | undefined)[]>>): History => {
  const length = Math.max(...Object.values(columns).map((column) => column.length));
  return {
    from: 0,
    to: length * BUCKET,
    bucketMs: BUCKET,
    times: Array.from({ length }, (_, index) => index * BUCKET),
    column: ({ device: id, attribute, aggregation }: Wanted) =>
      columns[`${id} ${attribute}`]?.map((watts) =>
        watts === undefined || aggregation === "avg" ? watts : (watts * BUCKET) / 3_600_000,
      ),
  };
};
const instruments = instrumentsOf(DEVICES);
const HISTORY = historyOf({
  "sun ac_power": [0, 3000, 6000, undefined, 900],
  "meter grid_power": [500, -1000, -2000, 400, 100],
  "rack battery_power": [0, -1500, -1000, 0, 0],
  "rack battery_soc": [20, 30, undefined, 60, 60],
});
const DAY = { from: 0, to: 24 * 3_600_000, now: 5 * BUCKET };
const rounded = (column: readonly (number | undefined)[] | undefined) =>
  column?.map((value) => (value === undefined ? undefined : Math.round(value)));

test("each bucket says who gives and who takes; what nobody accounts for is the building, unknown where a device is", () => {
  const day = dayPower(instruments, HISTORY, DAY);
  const of = (kind: string) => {
    const found = day.kinds.find((one) => one.kind === kind);
    return { given: rounded(found?.given), taken: rounded(found?.taken) };
  };
  expect(of("solar").given).toEqual([0, 3000, 6000, undefined, 900]);
  expect(of("grid")).toEqual({ given: [500, 0, 0, 400, 100], taken: [0, 1000, 2000, 0, 0] });
  expect(of("battery").taken).toEqual([0, 1500, 1000, 0, 0]);
  expect(of("rest").taken).toEqual([500, 500, 3000, undefined, 1000]);
});

test("only buckets of the day that have passed are there", () => {
  expect(dayPower(instruments, HISTORY, { ...DAY, from: BUCKET, now: 3.5 * BUCKET }).times).toEqual([
    BUCKET,
    2 * BUCKET,
  ]);
  expect(dayPower(instruments, HISTORY, { ...DAY, from: DAY.now })).toMatchObject({ times: [], kinds: [] });
});

test("areas lie on each other, above and below the axis, without those that are hidden or never there", () => {
  const day = dayPower(instruments, HISTORY, DAY);
  const areas = stackDay(day, new Set());
  expect(areas.map(({ key }) => key)).toEqual([
    "given solar",
    "given grid",
    "taken rest",
    "taken battery",
    "taken grid",
  ]);
  const battery = areas.find(({ key }) => key === "taken battery");
  expect([battery?.low[1], battery?.high[1]]).toEqual([-0.5, -2]);
  // An unknown part is left out, and what lies outside of it moves in.
  expect(areas[0]?.high[3]).toBeUndefined();
  expect(areas[1]?.low[3]).toBe(0);
  expect(areas[1]?.high[3]).toBeCloseTo(0.4);
  expect(stackDay(day, new Set(["grid"])).map(({ key }) => key)).toEqual([
    "given solar",
    "taken rest",
    "taken battery",
  ]);
});

test("the charge of each battery is a column of its own", () => {
  const [source] = chargeSources(instruments, DEVICES);
  if (source === undefined) throw new Error("the rack reports its charge");
  expect(wantedCharge(source)).toEqual({ device: "rack", attribute: "battery_soc", aggregation: "avg" });
  const day = dayPower(instruments, HISTORY, { ...DAY, from: BUCKET });
  expect(chargeColumn(source, HISTORY, day)).toEqual([30, undefined, 60, 60]);
});

test("the greatest power, the use of the site, and means for a table", () => {
  const day = dayPower(instruments, HISTORY, DAY);
  expect(peakOf([1, 5, undefined, 3], [0, 10, 20, 30])).toEqual({ watts: 5, at: 10 });
  expect(peakOf([0, undefined], [0, 10])).toBeUndefined();
  expect(rounded(useOf(day))).toEqual([500, 500, 3000, undefined, 1000]);
  expect(meansOf([1, 3, undefined, undefined, 8], 2)).toEqual([2, undefined, 8]);
});
