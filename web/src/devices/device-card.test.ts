import { expect, test } from "vitest";
import { readManifest } from "#web/data/manifest.ts";
import { cardModel } from "./device-card.ts";

const W = { type: "float", unit: "W" };
const model = (manifest: object) => {
  const { main, aside, kind } = cardModel({ manifest: readManifest(manifest) });
  return `${kind} ${main?.id} ${aside?.id}`;
};

test.each([
  [
    "a battery",
    { implements: ["energy.battery"], telemetry: { battery_power: W, battery_soc: { type: "float", unit: "%" } } },
    "battery battery_soc battery_power",
  ],
  [
    "an inverter",
    { implements: ["energy.inverter.pv"], telemetry: { ac_power: W, pv_energy_today: { type: "float", unit: "kWh" } } },
    "solar ac_power pv_energy_today",
  ],
  [
    "a sensor: its first number with a unit",
    {
      category: "sensors",
      telemetry: {
        status: { type: "string" },
        level: { type: "integer" },
        irradiance: { type: "float", unit: "W/m2" },
      },
    },
    "undefined irradiance undefined",
  ],
  ["a device without a blueprint", {}, "undefined undefined undefined"],
])("%s", (_, manifest, expected) => {
  expect(model(manifest)).toBe(expected);
});

test("what is shown of a manifest is worked out once for all its devices", () => {
  const manifest = readManifest({ telemetry: { power: { type: "float", unit: "W" } } });
  expect(cardModel({ manifest })).toBe(cardModel({ manifest }));
});
