import { METER, METER_POWER, PHASES, WINDOW, watts } from "./common-parameters.ts";
import type { Controller } from "./controller.ts";
import { factor, LEASE, reading, silent, wattsPerUnit, wholeUnits } from "./readings.ts";

/** What is left to what nobody foresees. */
const SHARE = 0.97;

export const peakLimit: Controller = {
  id: "peak_limit",
  displayName: "Peak limit",
  description:
    "Keeps the average of each quarter of an hour, for which many grid operators charge, below a limit: it limits one device, such as a charger, to what the window still allows.",
  icon: "chart-bell-curve",
  parameters: [
    METER,
    METER_POWER,
    { ...watts("limit", "Limit", "The average power from the grid that no window may exceed."), required: true },
    WINDOW,
    {
      name: "device",
      displayName: "Device",
      description: "The device that is limited, by its id or slug.",
      kind: "device",
      required: true,
      suggests: {
        profiles: ["energy.ev_charger.current_limit", "energy.heat_pump.power_limit"],
        categories: ["electric-vehicles"],
      },
    },
    {
      name: "power",
      displayName: "Power of the device",
      description: "Its telemetry attribute with the power in W.",
      kind: "attribute",
      of: "device",
      default: "charging_power",
    },
    {
      name: "control",
      displayName: "Control of the device",
      description: "Its control for the current in A, or for the power in W.",
      kind: "control",
      of: "device",
      default: "current_limit",
    },
    PHASES,
    { ...watts("max_power", "Most power", "What the device takes at most."), default: 11_000 },
    {
      ...watts("without_meter", "Without the meter", "What the device may take while the meter is silent."),
      default: 0,
    },
  ],
  rule: (given, site) => {
    const [meter, power] = [given.text("meter"), given.text("meter_power")];
    const of = { device: given.text("device"), control: given.text("control") };
    const own = given.text("power");
    const perUnit = wattsPerUnit(site, of, given.number("phases"));
    const [limit, most] = [given.number("limit"), given.number("max_power")];
    const aim = Math.floor(limit * SHARE);
    return {
      name: "Peak limit",
      description: `Each window of ${given.text("window")} takes at most ${limit} W from the grid on average.`,
      when: [
        {
          // What everything else takes; with the most of the device it would be too much.
          value: {
            sum: [reading(meter, power, { average: "30s" }), reading(of.device, own, { average: "30s", times: -1 })],
          },
          above: aim - most,
          hysteresis: Math.round(limit / 10),
        },
        silent(given),
      ],
      actions: [
        {
          claim: of.control,
          device: of.device,
          max: {
            sum: [
              reading(meter, power, { budget: given.text("window"), limit: aim }),
              reading(meter, power, { average: "30s", times: -1 }),
              reading(of.device, own, { average: "30s" }),
            ],
            ...(perUnit === 1 ? { step: 100 } : { times: factor(1 / perUnit), step: 1 }),
            min: 0,
            max: wholeUnits(most, perUnit),
            unknown: wholeUnits(given.number("without_meter"), perUnit),
          },
          lease: LEASE,
          reason: `The ${given.text("window")} may take ${limit} W.`,
        },
      ],
      min_on: "1m",
    };
  },
};
