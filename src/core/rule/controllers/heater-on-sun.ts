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
import type { Controller } from "./controller.ts";
import { batteryIsCharged, factor, isSwitch, LEASE, silent, surplusFor, wattsPerUnit, wholeUnits } from "./readings.ts";

export const heaterOnSun: Controller = {
  id: "heater_on_sun",
  displayName: "Pool or heater by sun",
  description:
    "A pump, a heater or any other device runs while the sun gives enough for it. One that can be regulated follows the surplus.",
  icon: "pool",
  parameters: [
    METER,
    METER_POWER,
    {
      name: "device",
      displayName: "Device",
      description: "The device that runs on sun, by its id or slug.",
      kind: "device",
      required: true,
      suggests: { profiles: ["device.relay", "energy.heat_pump.power_limit"], categories: ["heat-pumps"] },
    },
    {
      name: "power",
      displayName: "Power of the device",
      description: "Its telemetry attribute with the power in W.",
      kind: "attribute",
      of: "device",
      required: true,
    },
    {
      name: "control",
      displayName: "Control of the device",
      description: "Its control: a switch, or one for the power in W or the current in A. Zero has to switch it off.",
      kind: "control",
      of: "device",
      required: true,
    },
    PHASES,
    {
      ...watts("min_power", "Starts with", "It runs with at least this. For a switch, what the device takes."),
      required: true,
    },
    { ...watts("max_power", "Most power", "It runs with at most this. For a switch, the same."), required: true },
    {
      name: "temperature",
      displayName: "Temperature",
      description: "A telemetry attribute of the device with a temperature, for the limit below.",
      kind: "attribute",
      of: "device",
    },
    {
      name: "stop_at",
      displayName: "Warm enough at",
      description: "It does not run above this temperature.",
      kind: "number",
      min: -50,
      max: 500,
    },
    MAYBE_BATTERY,
    BATTERY_POWER,
    BATTERY_SOC,
    BATTERY_ABOVE,
    { ...watts("from_grid", "From the grid", "It goes on while no more than this is missing."), default: 200 },
    lasting("start_after", "Starts after", "There has to be enough surplus for so long.", "5m"),
    lasting("min_on", "Shortest run", "Once on, it stays on for so long.", "15m"),
    lasting("min_off", "Shortest pause", "Once off, it stays off for so long.", "10m"),
  ],
  check: (given) => {
    const problems = [];
    if (given.number("min_power") > given.number("max_power"))
      problems.push({ parameter: "min_power", message: "min_power must not be above max_power" });
    if (given.has("temperature") !== given.has("stop_at")) {
      const [missing, other] = given.has("stop_at") ? ["temperature", "stop_at"] : ["stop_at", "temperature"];
      problems.push({ parameter: missing, message: `${missing} is needed beside ${other}` });
    }
    return problems;
  },
  rule: (given, site) => {
    const of = { device: given.text("device"), control: given.text("control") };
    const own = { device: of.device, power: given.text("power") };
    const perUnit = wattsPerUnit(site, of, given.number("phases"));
    const [least, most] = [given.number("min_power"), given.number("max_power")];
    const claim = { claim: of.control, device: of.device };
    const target = {
      sum: surplusFor(given, own, "30s"),
      ...(perUnit === 1 ? { step: 50 } : { times: factor(1 / perUnit), step: 1 }),
      min: Math.ceil(factor(least / perUnit)),
      max: wholeUnits(most, perUnit),
    };
    const warm = {
      device: of.device,
      attribute: given.text("temperature"),
      below: given.number("stop_at"),
      hysteresis: 1,
    };
    return {
      name: "On sun",
      description: `${of.device} runs while the sun gives enough for it.`,
      when: [{ value: { sum: surplusFor(given, own, "1m") }, above: least, hysteresis: given.number("from_grid") }],
      for: given.text("start_after"),
      if: [{ not: silent(given) }, ...(given.has("temperature") ? [warm] : []), ...batteryIsCharged(given)],
      actions: [{ ...claim, target: isSwitch(site, of) ? 1 : target, lease: LEASE, reason: "The sun gives enough." }],
      otherwise: [{ ...claim, target: 0, lease: LEASE, reason: "Waits for the sun." }],
      min_on: given.text("min_on"),
      min_off: given.text("min_off"),
    };
  },
};
