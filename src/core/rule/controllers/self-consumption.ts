import { BATTERY, BATTERY_CONTROL, BATTERY_POWER, METER, METER_POWER, watts } from "./common-parameters.ts";
import type { Controller } from "./controller.ts";
import { reading, silent } from "./readings.ts";

export const selfConsumption: Controller = {
  id: "self_consumption",
  displayName: "Self-consumption",
  description:
    "The battery charges with what is left over and discharges into what is missing, so that the meter stays near a target. For batteries that do not do so by themselves.",
  icon: "home-battery",
  parameters: [
    METER,
    METER_POWER,
    BATTERY,
    BATTERY_POWER,
    BATTERY_CONTROL,
    {
      name: "grid_target",
      displayName: "Target at the meter",
      description: "Where the power at the meter shall be. Slightly positive avoids giving to the grid.",
      kind: "number",
      unit: "W",
      min: -1_000_000,
      max: 1_000_000,
      default: 0,
    },
    { ...watts("max_charge", "Most charging", "It charges with at most this."), required: true },
    { ...watts("max_discharge", "Most discharging", "It discharges with at most this."), required: true },
  ],
  rule: (given) => {
    const battery = given.text("battery");
    const average = "10s";
    return {
      name: "Self-consumption",
      description: "The battery takes what is left over and gives what is missing.",
      when: [{ not: silent(given) }],
      actions: [
        {
          claim: given.text("battery_control"),
          device: battery,
          target: {
            // What the site lacks without the battery.
            sum: [
              reading(given.text("meter"), given.text("meter_power"), { average }),
              reading(battery, given.text("battery_power"), { average }),
            ],
            plus: -given.number("grid_target"),
            step: 50,
            min: -given.number("max_charge"),
            max: given.number("max_discharge"),
          },
          reason: "The battery takes what is left over and gives what is missing.",
        },
      ],
    };
  },
};
