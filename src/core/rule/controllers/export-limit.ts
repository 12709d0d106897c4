import { METER, METER_POWER, watts } from "./common-parameters.ts";
import type { Controller } from "./controller.ts";
import { factor, LEASE, reading, silent } from "./readings.ts";

export const exportLimit: Controller = {
  id: "export_limit",
  displayName: "Export limit",
  description:
    "Gives to the grid no more than a limit, zero for example: the inverter is limited to what the site takes itself, and the limit.",
  icon: "transmission-tower-export",
  parameters: [
    METER,
    METER_POWER,
    { ...watts("limit", "Limit", "The power that may go to the grid."), required: true },
    {
      name: "inverter",
      displayName: "Inverter",
      description: "The inverter that is limited, by its id or slug.",
      kind: "device",
      required: true,
      suggests: { profiles: ["energy.inverter.power_limit", "energy.inverter.pv"], categories: ["solar-generators"] },
    },
    {
      name: "inverter_power",
      displayName: "Power of the inverter",
      description: "Its telemetry attribute with the power in W.",
      kind: "attribute",
      of: "inverter",
      default: "ac_power",
    },
    {
      name: "control",
      displayName: "Control of the inverter",
      description: "Its control that limits the power, in % of the rated power or in W.",
      kind: "control",
      of: "inverter",
      default: "power_limit",
    },
    { ...watts("rated_power", "Rated power", "Of the inverter: 100 % of its control."), required: true },
  ],
  rule: (given, site) => {
    const of = { device: given.text("inverter"), control: given.text("control") };
    const [limit, rated, own] = [given.number("limit"), given.number("rated_power"), given.text("inverter_power")];
    const isWatts = site?.devices.get(of.device)?.controls.get(of.control)?.unit === "W";
    const toUnit = isWatts ? 1 : 100 / rated;
    const starts = Math.round(limit * 0.7);
    return {
      name: "Export limit",
      description: `At most ${limit} W go to the grid.`,
      when: [
        // Nobody can give away more than the roof produces.
        { device: of.device, attribute: own, above: starts, hysteresis: Math.round(starts * 0.3) },
        silent(given),
      ],
      actions: [
        {
          claim: of.control,
          device: of.device,
          max: {
            sum: [reading(of.device, own), reading(given.text("meter"), given.text("meter_power")), limit],
            ...(isWatts ? { step: 50 } : { times: factor(toUnit), step: 1 }),
            min: 0,
            max: isWatts ? rated : 100,
            // The site may take nothing at all.
            unknown: isWatts ? limit : Math.min(100, Math.floor(limit * toUnit)),
          },
          lease: LEASE,
          reason: `At most ${limit} W go to the grid.`,
        },
      ],
      min_on: "5m",
    };
  },
};
