import { expect, test } from "vitest";
import { bandsAt, curve, energyOf, gridOf, linesOf, rangeOf, tracksOf } from "./dry-run-view.ts";

const NOW = Date.parse("2026-11-18T12:00:00Z");
const HOUR = 3_600_000;

test("a range is the last day, the last week, or one of at most 31 days that ends now at the latest", () => {
  const own = (from: string | undefined, to: string | undefined) => rangeOf("own", { now: NOW, from, to });
  expect(rangeOf("day", { now: NOW, from: undefined, to: undefined })).toEqual({ from: NOW - 24 * HOUR, to: NOW });
  expect(own("2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z")).toBeDefined();
  expect(own("2026-11-17T00:00:00Z", "2027-01-01T00:00:00Z")?.to).toBe(NOW);
  for (const [from, to] of [
    ["2026-10-01T00:00:00Z", "2026-11-18T00:00:00Z"],
    ["2026-11-02T00:00:00Z", "2026-11-01T00:00:00Z"],
    [undefined, "2026-11-01T00:00:00Z"],
  ])
    expect(own(from, to)).toBeUndefined();
});

test.each([1, 24, 7 * 24, 31 * 24])("%i hours are at most 300 whole buckets", (hours) => {
  const { from, to, bucketMs } = gridOf({ from: NOW - hours * HOUR - 7, to: NOW - 7 });
  expect([from % bucketMs, to % bucketMs]).toEqual([0, 0]);
  expect((to - from) / bucketMs).toBeLessThanOrEqual(302);
});

test("claims are tracks of their control, and energy is the sum of what is a power", () => {
  const band = (control: string, from: string, to: string, value: number | null) =>
    ({ device_id: "d", control, kind: "target", value, from, to }) as const;
  const claims = [
    { device_id: "d", control: "power", unit: "W", count: 2, seconds: 60, energy_wh: 500 },
    { device_id: "d", control: "mode", unit: null, count: 1, seconds: 60, energy_wh: null },
  ];
  const bands = [
    band("power", "2026-11-18T11:00:00Z", "2026-11-18T12:00:00Z", 5),
    band("mode", "2026-11-18T10:00:00Z", "2026-11-18T12:00:00Z", 1),
    band("power", "2026-11-18T10:00:00Z", "2026-11-18T11:00:00Z", null),
  ];
  const [power, mode] = tracksOf({ bands, claims });
  expect(power).toMatchObject({ control: "power", unit: "W", bands: [{ value: null }, { value: 5 }] });
  expect(mode?.unit).toBeUndefined();
  expect(power && bandsAt(power, NOW - HOUR)).toMatchObject([{ value: 5 }]);
  expect(energyOf({ claims })).toBe(500);
  expect(energyOf({ claims: claims.slice(1) })).toBeUndefined();
});

test("a curve breaks where values are missing, and a constant one is in the middle", () => {
  const box = { width: 4, height: 10 };
  expect(curve([0, 10, undefined, 5], box)).toBe("M0.5 10.0L1.5 0.0M3.5 5.0");
  expect(curve([3, 3], box)).toBe("M1.0 5.0L3.0 5.0");
  expect(curve([undefined], box)).toBe("");
});

test("numbers that the rule reads become lines, each once; states and unknown names do not", () => {
  const attribute = (name: string, type: "float" | "string") => ({ name, display_name: name, type, unit: null });
  const names = {
    devices: [
      {
        id: "d1",
        slug: "meter",
        name: "Meter",
        category: null,
        profiles: [],
        attributes: [attribute("power", "float"), attribute("mode", "string")],
        commands: [],
        controls: [],
        alerts: [],
      },
    ],
    variables: [],
    calendars: [],
    prices: [],
  };
  const read = (device: string, name: string) => ({ device, attribute: name, unit: undefined, maxAgeMs: undefined });
  const reads = [read("meter", "power"), read("d1", "power"), read("meter", "mode"), read("gone", "power")];
  expect(linesOf(reads, names)).toEqual([{ device: "d1", attribute: "power", name: "Meter: power", unit: undefined }]);
});
