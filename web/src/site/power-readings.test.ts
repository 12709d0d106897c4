import { expect, test } from "vitest";
import { readManifest } from "#web/data/manifest.ts";
import { powerReadings, wattsOf } from "./power-readings.ts";

const read = (manifest: object) =>
  powerReadings({ id: "d", manifest: readManifest(manifest) }).map(
    ({ kind, attributes }) => `${kind}=${attributes.map(({ id }) => id).join("*")}`,
  );
const W = { type: "float", unit: "W" };

test.each([
  [
    "a PV inverter",
    { implements: ["energy.inverter.pv"], telemetry: { ac_power: W, pv_power: W } },
    ["solar=ac_power"],
  ],
  [
    "a hybrid inverter",
    {
      implements: ["energy.inverter.hybrid", "energy.inverter.pv"],
      telemetry: { ac_power: W, pv_power: W, battery_power: W, grid_power: W },
    },
    ["grid=grid_power", "battery=battery_power", "solar=pv_power"],
  ],
  [
    "a battery",
    { implements: ["energy.battery"], category: "battery-systems", telemetry: { battery_power: W } },
    ["battery=battery_power"],
  ],
  [
    "a grid meter that implements the field under another name",
    { implements: ["energy.grid_meter"], telemetry: { p: { ...W, implements: ["energy.meter.grid.grid_power"] } } },
    ["grid=p"],
  ],
  [
    "a charger",
    { implements: ["energy.ev_charger"], telemetry: { charging_power: { ...W, aliases: ["power"] } } },
    ["vehicle=charging_power"],
  ],
  [
    "an electrolyser without a power",
    { category: "electrolysers", telemetry: { stack_voltage: { unit: "V" }, stack_current: { unit: "A" } } },
    ["hydrogen=stack_voltage*stack_current"],
  ],
  ["a load by category", { category: "loads", telemetry: { power: { unit: "kW" } } }, ["load=power"]],
  ["a meter that is not at the grid", { category: "power-meters", telemetry: { ac_power: W } }, []],
  ["a power without a unit", { category: "loads", telemetry: { power: { type: "float" } } }, []],
  ["a sensor", { category: "sensors", telemetry: { power: W } }, []],
])("%s", (_, manifest, expected) => {
  expect(read(manifest)).toEqual(expected);
});

test("power is given in watts, and a missing value is unknown", () => {
  const [reading] = powerReadings({
    id: "d",
    manifest: readManifest({ category: "loads", telemetry: { power: { unit: "kW" } } }),
  });
  expect(reading && wattsOf(reading, () => 1.5)).toBe(1500);
  expect(reading && wattsOf(reading, () => undefined)).toBeUndefined();
  expect(reading && wattsOf(reading, () => "1.5")).toBeUndefined();
});

test("voltage times current is power only when both are known", () => {
  const manifest = readManifest({
    category: "electrolysers",
    telemetry: { stack_voltage: { unit: "V" }, stack_current: { unit: "A" } },
  });
  const [reading] = powerReadings({ id: "d", manifest });
  const watts = (values: Record<string, number>) => reading && wattsOf(reading, (name) => values[name]);
  expect(watts({ stack_voltage: 40, stack_current: 50 })).toBe(2000);
  expect(watts({ stack_voltage: 40 })).toBeUndefined();
});
