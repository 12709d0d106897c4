import {
  BATTERY_ABOVE,
  BATTERY_POWER,
  BATTERY_SOC,
  lasting,
  MAYBE_BATTERY,
  METER,
  METER_POWER,
  PHASES,
  watts,
} from "./common-parameters.ts";
import type { Controller, Given } from "./controller.ts";
import { batteryIsCharged, factor, LEASE, silent, surplusFor, wattsPerUnit, wholeUnits } from "./readings.ts";

export const surplusCharging: Controller = {
  id: "surplus_charging",
  displayName: "Surplus charging",
  description:
    "A car charges with what the sun gives and nobody else takes. It pauses when there is too little, and may charge slowly from the grid at night, so that it is ready in the morning.",
  icon: "ev-station",
  parameters: [
    METER,
    METER_POWER,
    {
      name: "charger",
      displayName: "Charger",
      description: "The charger, by its id or slug. Zero on its control has to pause it.",
      kind: "device",
      required: true,
      suggests: {
        profiles: ["energy.ev_charger.current_limit", "energy.ev_charger"],
        categories: ["electric-vehicles"],
      },
    },
    {
      name: "charger_power",
      displayName: "Charging power",
      description: "Its telemetry attribute with the power in W.",
      kind: "attribute",
      of: "charger",
      default: "charging_power",
    },
    {
      name: "charger_control",
      displayName: "Control of the charger",
      description: "Its control for the current in A, or for the power in W.",
      kind: "control",
      of: "charger",
      default: "current_limit",
    },
    PHASES,
    {
      ...watts("min_power", "Least power", "The car charges with at least this. Three phases need 4,140 W."),
      default: 4_140,
    },
    { ...watts("max_power", "Most power", "The car charges with at most this."), default: 11_000 },
    MAYBE_BATTERY,
    BATTERY_POWER,
    BATTERY_SOC,
    BATTERY_ABOVE,
    {
      ...watts("from_grid", "From the grid", "It goes on with the least power while no more than this is missing."),
      default: 1_000,
    },
    {
      name: "night_from",
      displayName: "At night from",
      description: "From this time on the car charges with the least power, whatever the sun does.",
      kind: "time",
    },
    { name: "night_to", displayName: "At night until", description: "Until this time.", kind: "time" },
    lasting("start_after", "Starts after", "There has to be enough surplus for so long.", "2m"),
    lasting("min_on", "Shortest charging", "Once it charges, it does so for so long.", "10m"),
    lasting("min_off", "Shortest pause", "Once it pauses, it does so for so long.", "5m"),
  ],
  check: (given) => {
    const problems = nightProblems(given);
    if (given.number("min_power") <= given.number("max_power")) return problems;
    return [...problems, { parameter: "min_power", message: "min_power must not be above max_power" }];
  },
  rule: (given, site) => {
    const charger = { device: given.text("charger"), control: given.text("charger_control") };
    const own = { device: charger.device, power: given.text("charger_power") };
    const perUnit = wattsPerUnit(site, charger, given.number("phases"));
    const [least, most] = [given.number("min_power"), given.number("max_power")];
    const claim = { claim: charger.control, device: charger.device };
    return {
      name: "Surplus charging",
      description: "The car charges with what the sun gives and nobody else takes.",
      when: [
        { value: { sum: surplusFor(given, own, "1m") }, above: least, hysteresis: given.number("from_grid") },
        ...(given.has("night_from") ? [{ from: given.text("night_from"), to: given.text("night_to") }] : []),
      ],
      for: given.text("start_after"),
      if: [{ not: silent(given) }, ...batteryIsCharged(given)],
      actions: [
        {
          ...claim,
          target: {
            sum: surplusFor(given, own, "30s"),
            ...(perUnit === 1 ? { step: 100 } : { times: factor(1 / perUnit), step: 1 }),
            min: Math.ceil(factor(least / perUnit)),
            max: wholeUnits(most, perUnit),
          },
          lease: LEASE,
          reason: "What the sun gives and nobody else takes.",
        },
      ],
      otherwise: [{ ...claim, target: 0, lease: LEASE, reason: "Waits for the sun." }],
      min_on: given.text("min_on"),
      min_off: given.text("min_off"),
    };
  },
};

function nightProblems(given: Given) {
  if (given.has("night_from") === given.has("night_to")) return [];
  const [missing, other] = given.has("night_from") ? ["night_to", "night_from"] : ["night_from", "night_to"];
  return [{ parameter: missing, message: `${missing} is needed beside ${other}` }];
}
