import { expect, test } from "vitest";
import { demoDevices } from "#demo/demo-devices.ts";
import { foldPast, originOf } from "#demo/devices/plant-history.ts";
import { DAY_MS, HOUR_MS } from "#demo/plant/site.ts";
import type { LoadedColumn } from "#service/ports/telemetry-store.ts";
import type { DemoHistory } from "./demo-record.ts";
import { fillHistory, type HistoryNeeds } from "./fill-history.ts";

const SITE = { seed: 1, latitude: 40, longitude: 0 };
const TO = Date.parse("2026-06-08T13:17:30Z");
const HISTORY: DemoHistory = { origin: TO - 2 * DAY_MS, from: TO - DAY_MS, to: TO, storedFrom: TO };
const PAST = await foldPast(SITE, { from: HISTORY.origin, to: TO });
const ATTRIBUTES = new Map(demoDevices(SITE).map((device) => [device.example, device.attributes]));

/** Remembers every point of every device, and how often each was stored. */
function memory(gone: readonly string[] = []) {
  const points = new Map<string, number>();
  const order: number[] = [];
  let history = HISTORY;
  const load = async (deviceId: string, columns: readonly LoadedColumn[]) => {
    for (const { attribute, times, count, values } of columns) {
      expect([times.length, values.length]).toEqual([count, count]);
      for (const at of times) {
        const key = `${deviceId} ${attribute} ${at}`;
        points.set(key, (points.get(key) ?? 0) + 1);
      }
      if (deviceId === "battery" && attribute === "status") order.push(times[0] ?? 0);
    }
  };
  const needs = {
    telemetry: { load } as unknown as HistoryNeeds["telemetry"],
    devices: {
      find: async (id: string) => (gone.includes(id) ? undefined : { id }),
    } as unknown as HistoryNeeds["devices"],
    site: SITE,
    past: PAST,
    attributes: ATTRIBUTES,
  };
  return { points, order, needs, stored: () => history, keep: (now: DemoHistory) => (history = now) };
}

const never = () => new AbortController().signal;

test("every attribute gets a point at each half minute of the range, once, newest pieces first", async () => {
  const { points, order, needs, stored, keep } = memory();
  await fillHistory({ ...needs, onStored: async (now) => void keep(now) }, HISTORY, never());
  expect(stored().storedFrom).toBe(HISTORY.from);
  expect(new Set(points.values())).toEqual(new Set([1]));
  for (const [device, attributes] of ATTRIBUTES) {
    for (const attribute of Object.keys(attributes).filter((name) => name !== "session_user")) {
      for (const at of [HISTORY.from + 30_000, TO - 6 * HOUR_MS, TO]) {
        expect(points.has(`${device} ${attribute} ${at}`), `${device} ${attribute}`).toBe(true);
      }
    }
  }
  expect(points.has(`battery status ${HISTORY.from}`)).toBe(false);
  expect(order).toEqual(order.toSorted((a, b) => b - a));
  expect([...points.keys()].filter((key) => key.startsWith("battery status "))).toHaveLength(2_880);
});

test("what was interrupted goes on where it was, and nothing is stored twice", async () => {
  const { points, needs, stored, keep } = memory();
  const stop = new AbortController();
  let pieces = 0;
  const first = async (now: DemoHistory) => {
    keep(now);
    pieces++;
    if (pieces === 2) stop.abort();
  };
  await fillHistory({ ...needs, onStored: first }, HISTORY, stop.signal);
  expect(stored().storedFrom).toBe(Date.parse("2026-06-08T06:00:00Z"));
  await fillHistory({ ...needs, onStored: async (now) => void keep(now) }, stored(), never());
  expect(new Set(points.values())).toEqual(new Set([1]));
  expect([...points.keys()].filter((key) => key.startsWith("grid-meter status "))).toHaveLength(2_880);
  await fillHistory({ ...needs, onStored: async () => expect.unreachable() }, stored(), never());
});

test("a device that was deleted gets no history", async () => {
  const { points, needs } = memory(["battery"]);
  await fillHistory({ ...needs, onStored: async () => {} }, HISTORY, never());
  expect([...points.keys()].some((key) => key.startsWith("battery "))).toBe(false);
  expect(points.size).toBeGreaterThan(100_000);
});

test("before the last days, energies have a point each quarter of an hour, and nothing else has one", async () => {
  const { points, needs, keep } = memory();
  const origin = originOf(TO, 30 * DAY_MS);
  const history = { ...HISTORY, origin, from: origin + DAY_MS };
  const past = await foldPast(SITE, { from: origin, to: TO });
  await fillHistory({ ...needs, past, onStored: async (now) => void keep(now) }, history, never());
  expect(new Set(points.values())).toEqual(new Set([1]));
  const times = (series: string) =>
    [...points.keys()]
      .filter((key) => key.startsWith(`${series} `))
      .map((key) => Number(key.split(" ")[2]))
      .sort((a, b) => a - b);
  const fineFrom = TO - 7 * DAY_MS;
  expect(times("battery status").at(0)).toBe(fineFrom + 30_000);
  const counted = times("grid-meter grid_energy_import");
  expect(counted.filter((at) => at > fineFrom)).toHaveLength(7 * 2_880);
  const coarse = counted.filter((at) => at <= fineFrom);
  expect(coarse).toHaveLength((coarse.at(-1) ?? 0) / 900_000 - (history.from - (history.from % 900_000)) / 900_000);
  expect(coarse.every((at) => at % 900_000 === 0)).toBe(true);
  const imported = past.map(({ meter }) => meter.imported);
  expect(imported).toEqual(imported.toSorted((a, b) => a - b));
});

test("the past ends where the live plant begins", () => {
  expect(PAST.at(-1)?.at).toBe(TO);
});
