import {
  BATTERY_ABOVE,
  BATTERY_POWER,
  BATTERY_SOC,
  lasting,
  MAYBE_BATTERY,
  METER,
  METER_POWER,
  watts,
} from "./common-parameters.ts";
import type { Controller } from "./controller.ts";
import { batteryIsCharged, factor, silent, surplusFor } from "./readings.ts";

export const electrolyserOnSun: Controller = {
  id: "electrolyser_on_sun",
  displayName: "Electrolyser on sun",
  description:
    "Starts an electrolyser when the sun gives enough for it, lets its rate follow the surplus, and stops it when there is too little for long.",
  icon: "molecule",
  parameters: [
    METER,
    METER_POWER,
    {
      name: "electrolyser",
      displayName: "Electrolyser",
      description: "The electrolyser, by its id or slug.",
      kind: "device",
      required: true,
      suggests: { profiles: ["energy.electrolyser.control", "energy.electrolyser"], categories: ["electrolysers"] },
    },
    {
      name: "power",
      displayName: "Power of the electrolyser",
      description: "Its telemetry attribute with the power in W.",
      kind: "attribute",
      of: "electrolyser",
      default: "ac_power",
    },
    {
      name: "control",
      displayName: "Control of the electrolyser",
      description: "Its control for the production rate in %.",
      kind: "control",
      of: "electrolyser",
      default: "production_rate",
    },
    {
      name: "start",
      displayName: "Command to start",
      description: "Its command that starts production.",
      kind: "command",
      of: "electrolyser",
      default: "start",
    },
    {
      name: "stop",
      displayName: "Command to stop",
      description: "Its command that stops production.",
      kind: "command",
      of: "electrolyser",
      default: "stop",
    },
    { ...watts("full_power", "Power at full rate", "What it takes at 100 %."), min: 1, required: true },
    {
      name: "least_rate",
      displayName: "Least rate",
      description: "The lowest rate at which it runs.",
      kind: "number",
      unit: "%",
      min: 0,
      max: 100,
      default: 60,
    },
    MAYBE_BATTERY,
    BATTERY_POWER,
    BATTERY_SOC,
    BATTERY_ABOVE,
    lasting("start_after", "Starts after", "There has to be enough surplus for so long.", "5m"),
    lasting("min_on", "Shortest run", "Once it is started, it runs for so long: each start wears the stack.", "1h"),
    lasting("min_off", "Shortest pause", "Once it is stopped, it rests for so long.", "15m"),
  ],
  rule: (given, site) => {
    const device = given.text("electrolyser");
    const [full, least] = [given.number("full_power"), given.number("least_rate")];
    const own = { device, power: given.text("power") };
    const enough = Math.round((full * least) / 100);
    const highest = site?.devices.get(device)?.controls.get(given.text("control"))?.max ?? 100;
    return {
      name: "Electrolyser on sun",
      description: "Hydrogen is made from what the sun gives and nobody else takes.",
      when: [{ value: { sum: surplusFor(given, own, "1m") }, above: enough, hysteresis: Math.round(enough / 2) }],
      for: given.text("start_after"),
      if: [{ not: silent(given) }, ...batteryIsCharged(given)],
      actions: [
        { execute: given.text("start"), device },
        {
          claim: given.text("control"),
          device,
          target: {
            sum: surplusFor(given, own, "1m"),
            times: factor(100 / full),
            step: 5,
            min: least,
            max: Math.min(100, highest),
          },
          lease: "3m",
          reason: "The rate follows the sun.",
        },
      ],
      otherwise: [{ execute: given.text("stop"), device }],
      min_on: given.text("min_on"),
      min_off: given.text("min_off"),
    };
  },
};
