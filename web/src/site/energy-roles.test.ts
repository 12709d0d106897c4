import { expect, test } from "vitest";
import { readManifest } from "#web/data/manifest.ts";
import { type EnergyRole, isPictureComplete, roleRows } from "./energy-roles.ts";
import { powerReadings } from "./power-readings.ts";
import { instrumentsOf } from "./site-energy.ts";

const W = { type: "float", unit: "W" };
const METER = {
  implements: ["energy.grid_meter"],
  category: "power-meters",
  telemetry: { grid_power: W, grid_energy_import: { type: "float", unit: "kWh" } },
};
const SUB_METER = { category: "power-meters", telemetry: { power: W } };
const HYBRID = { implements: ["energy.inverter.hybrid"], telemetry: { pv_power: W, battery_power: W, grid_power: W } };
const SENSOR = { category: "sensors", telemetry: { temperature: { type: "float", unit: "Cel" } } };

const device = (name: string, manifest: object, role: EnergyRole = "auto") => ({
  id: name,
  manifest: readManifest(manifest),
  resource: { name, energy_role: role, type: "STANDALONE", created_at: "2026-01-01T00:00:00Z" },
});
const text = (...devices: readonly ReturnType<typeof device>[]) =>
  roleRows(devices)
    .map(
      ({ name, role, guessed, question }) =>
        `${name}: ${role} (${guessed.join(" ")})${question === undefined ? "" : ` ${question}?`}`,
    )
    .join("; ");

test.each([
  ["a meter of the grid", [device("m", METER), device("s", SENSOR)], "m: auto (grid)"],
  ["two of them", [device("m", METER), device("n", METER)], "m: auto (grid) which grid?; n: auto (grid) which grid?"],
  [
    "two, one of which is said to be the grid's",
    [device("m", METER, "grid"), device("n", METER)],
    "m: grid (grid); n: auto (grid)",
  ],
  ["a meter that nobody knows", [device("m", SUB_METER)], "m: auto () what is it?"],
  ["one that is said to be a load", [device("m", SUB_METER, "load")], "m: load ()"],
  ["a hybrid inverter", [device("h", HYBRID)], "h: auto (grid battery production)"],
])("%s", (_name, devices, expected) => {
  expect(text(...devices)).toBe(expected);
  expect(isPictureComplete(roleRows(devices))).toBe(!expected.includes("?"));
});

const shown = (manifest: object, role: EnergyRole) =>
  powerReadings(device("d", manifest, role)).map(
    ({ kind, attributes, isTurned }) => `${isTurned ? "-" : ""}${attributes[0].id} ${kind}`,
  );

test.each([
  [METER, "load", ["grid_power load"]],
  [METER, "production", ["-grid_power generator"]],
  [METER, "battery", ["-grid_power battery"]],
  [METER, "none", []],
  [SUB_METER, "grid", ["power grid"]],
  [HYBRID, "production", ["pv_power solar"]],
  [SENSOR, "load", []],
] as const)("the picture follows what people say: %j as %s", (manifest, role, expected) => {
  expect(shown(manifest, role)).toEqual(expected);
});

test("where a meter is said to be the grid's, neither power nor counters of another one are", () => {
  const { readings, counters } = instrumentsOf([
    device("m", METER, "grid"),
    device("n", METER),
    device("o", METER, "load"),
  ]);
  expect(readings.map(({ deviceId, kind }) => `${deviceId} ${kind}`)).toEqual(["m grid", "o load"]);
  expect(counters.map(({ deviceId, what }) => `${deviceId} ${what}`)).toEqual(["m fromGrid"]);
});
