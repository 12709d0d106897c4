import { METER } from "./common-parameters.ts";
import type { Controller, Given, Parameter } from "./controller.ts";
import { reading } from "./readings.ts";

/** What a day was, as parts of one message. */
const PARTS = [
  { name: "taken", of: "meter", attribute: "meter_import", says: "{taken} kWh came from the grid" },
  { name: "given", of: "meter", attribute: "meter_export", says: "{given} kWh went to the grid" },
  { name: "produced", of: "inverter", attribute: "inverter_energy", says: "the sun gave {produced} kWh" },
] as const;

const counter = (name: string, of: string, displayName: string, standard: string): Parameter => ({
  name,
  displayName,
  description: "Its telemetry attribute with a counter in kWh that only rises.",
  kind: "attribute",
  of,
  default: standard,
});

export const dailyReport: Controller = {
  id: "daily_report",
  displayName: "Daily report",
  description:
    "A message once a day: what came from the grid and went there, what the sun gave, and how full the battery is.",
  icon: "email-newsletter",
  parameters: [
    { name: "at", displayName: "At", description: "The time of day of the message.", kind: "time", default: "21:00" },
    METER,
    counter("meter_import", "meter", "Counter of import", "grid_energy_import"),
    counter("meter_export", "meter", "Counter of export", "grid_energy_export"),
    {
      name: "inverter",
      displayName: "Inverter",
      description: "An inverter for the energy of the sun, by its id or slug.",
      kind: "device",
      suggests: { profiles: ["energy.pv.energy", "energy.inverter.pv"], categories: ["solar-generators"] },
    },
    counter("inverter_energy", "inverter", "Counter of the sun", "yield_total"),
    {
      name: "battery",
      displayName: "Battery",
      description: "A battery for its charge, by its id or slug.",
      kind: "device",
      suggests: { profiles: ["energy.battery"], categories: ["battery-systems"] },
    },
    {
      name: "battery_soc",
      displayName: "Charge of the battery",
      description: "Its telemetry attribute with the charge in %.",
      kind: "attribute",
      of: "battery",
      default: "battery_soc",
    },
  ],
  rule: (given: Given) => {
    const parts = PARTS.filter(({ of }) => given.has(of));
    const says = parts.map((part) => part.says);
    const soc = given.has("battery") ? " The battery has {soc} %." : "";
    const values = Object.fromEntries([
      ...parts.map(({ name, of, attribute }) => [
        name,
        reading(given.text(of), given.text(attribute), { change: "24h", max_age: "15m" }),
      ]),
      ...(given.has("battery") ? [["soc", reading(given.text("battery"), given.text("battery_soc"))]] : []),
    ]);
    return {
      name: "Daily report",
      description: "A message once a day.",
      when: [{ at: given.text("at") }],
      actions: [{ notify: `In the last 24 hours ${says.join(", ")}.${soc}`, title: "Daily report", values }],
      missed: "run_late",
      late: "3h",
    };
  },
};
