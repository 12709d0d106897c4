import { BATTERY, BATTERY_CONTROL, BATTERY_SOC } from "./common-parameters.ts";
import type { Controller } from "./controller.ts";

export const stormReserve: Controller = {
  id: "storm_reserve",
  displayName: "Backup before storms",
  description:
    "While a variable of the site is true, the battery is charged, also from the grid, and kept full for a power cut. Set the variable by hand, or by a program that reads a weather warning.",
  icon: "weather-lightning",
  parameters: [
    {
      name: "variable",
      displayName: "Variable",
      description: "A variable of the site that is true while a storm is expected.",
      kind: "variable",
      default: "storm_expected",
    },
    BATTERY,
    BATTERY_SOC,
    BATTERY_CONTROL,
    {
      name: "charge_to",
      displayName: "Charge to",
      description: "The charge that is reached and kept.",
      kind: "number",
      unit: "%",
      min: 10,
      max: 100,
      default: 95,
    },
    {
      name: "charge_power",
      displayName: "Charge with",
      description: "The power it is charged with, also from the grid.",
      kind: "number",
      unit: "W",
      min: 100,
      max: 10_000_000,
      default: 5_000,
    },
  ],
  rule: (given) => {
    const battery = given.text("battery");
    return {
      name: "Backup before storms",
      description: "While a storm is expected, the battery is charged and keeps its charge for a power cut.",
      when: [{ variable: given.text("variable"), equals: true }],
      if: [{ device: battery, attribute: given.text("battery_soc"), below: given.number("charge_to"), hysteresis: 5 }],
      actions: [
        {
          claim: given.text("battery_control"),
          device: battery,
          target: -given.number("charge_power"),
          reason: "A storm is expected.",
        },
        { notify: `A storm is expected: the battery is charged to ${given.number("charge_to")} %.` },
      ],
    };
  },
};
