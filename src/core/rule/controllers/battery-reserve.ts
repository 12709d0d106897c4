import {
  BATTERY,
  BATTERY_CONTROL,
  BATTERY_POWER,
  BATTERY_SOC,
  METER,
  METER_POWER,
  WINDOW,
  watts,
} from "./common-parameters.ts";
import type { Controller, RuleNode } from "./controller.ts";
import { reading } from "./readings.ts";

export const batteryReserve: Controller = {
  id: "battery_reserve",
  displayName: "Battery reserve",
  description:
    "Keeps part of the battery: below the reserve it only charges from surplus. With a peak limit, the reserve is used for peaks, and for nothing else.",
  icon: "battery-lock",
  parameters: [
    BATTERY,
    BATTERY_SOC,
    BATTERY_POWER,
    BATTERY_CONTROL,
    METER,
    METER_POWER,
    {
      name: "reserve",
      displayName: "Reserve",
      description: "The charge that is kept.",
      kind: "number",
      unit: "%",
      min: 0,
      max: 100,
      required: true,
    },
    watts(
      "peak_limit",
      "For peaks above",
      "The reserve keeps the average of a window below this. Without it, it is for power cuts.",
    ),
    WINDOW,
  ],
  rule: (given) => {
    const [meter, power, battery] = [given.text("meter"), given.text("meter_power"), given.text("battery")];
    const claim = { claim: given.text("battery_control"), device: battery };
    const average = "10s";
    // What the site lacks without the battery.
    const shortage = [reading(meter, power, { average }), reading(battery, given.text("battery_power"), { average })];
    const surplus: RuleNode = { sum: shortage, max: 0 };
    const budget = reading(meter, power, {
      budget: given.text("window"),
      limit: given.number("peak_limit"),
      times: -1,
    });
    const isForPeaks = given.has("peak_limit");
    const reason = isForPeaks ? "The reserve is kept for peaks." : "The reserve is kept for a power cut.";
    return {
      name: "Battery reserve",
      description: `Below ${given.number("reserve")} % the battery only charges from surplus${isForPeaks ? " and takes off peaks" : ""}.`,
      when: [
        {
          device: battery,
          attribute: given.text("battery_soc"),
          below: given.number("reserve"),
          hysteresis: 3,
        },
      ],
      actions: [
        {
          ...claim,
          target: { sum: isForPeaks ? [surplus, { sum: [...shortage, budget], min: 0 }] : [surplus], step: 50 },
          reason,
        },
        // Whatever others want: without a peak, nothing of the reserve goes.
        ...(isForPeaks ? [] : [{ ...claim, max: 0, reason }]),
      ],
      min_on: "1m",
    };
  },
};
