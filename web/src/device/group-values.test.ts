import { expect, test } from "vitest";
import { readManifest } from "#web/data/manifest.ts";
import { groupValues } from "./group-values.ts";

const groups = (telemetry: object) =>
  groupValues(readManifest({ telemetry })).map(
    ({ name, attributes }) => `${name}: ${attributes.map(({ id }) => id).join(" ")}`,
  );

test("attributes are grouped by what they measure, in the order of the manifest", () => {
  expect(
    groups({
      status: { type: "string", enum: ["on"] },
      alerts: { type: "alerts" },
      power: { type: "float", unit: "kW" },
      voltage: { type: "float", unit: "mV" },
      reactive: { type: "float", unit: "var" },
      energy: { type: "float", unit: "kWh" },
      soc: { type: "float", unit: "%" },
      temperature: { type: "float", unit: "Cel" },
      pressure: { type: "float", unit: "bar" },
      connected: { type: "boolean" },
      cycles: { type: "float", unit: "cycle" },
      details: { type: "json" },
      tariff: { type: "integer", enum: [1, 2] },
    }),
  ).toEqual([
    "state: status connected tariff",
    "power: power reactive",
    "energy: energy",
    "electrical: voltage",
    "temperature: temperature",
    "flow: pressure",
    "level: soc",
    "other: cycles",
  ]);
});

test("a device without telemetry has no groups", () => {
  expect(groups({})).toEqual([]);
});
