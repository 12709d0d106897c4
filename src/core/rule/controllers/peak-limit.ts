import { METER, METER_POWER, PHASES, WINDOW, watts } from "./common-parameters.ts";
import type { Controller, Given, Parameter, RuleDocument, RuleNode } from "./controller.ts";
import { LEASE, limitOf, reading, silent } from "./readings.ts";

/** What is left to what nobody foresees. */
const SHARE = 0.97;

/** The first one has the names that it had when it was the only one. */
const OTHERS = [2, 3, 4] as const;
const SUFFIXES = ["", ...OTHERS.map((n) => `_${n}` as const)] as const;

function othersOf(n: (typeof OTHERS)[number]): readonly Parameter[] {
  const of = { of: `device_${n}` };
  return [
    {
      name: `device_${n}`,
      displayName: `Device ${n}`,
      description: "One more device, less important than those before: it is limited first. By its id or slug.",
      kind: "device",
    },
    {
      name: `power_${n}`,
      displayName: `Power of device ${n}`,
      description: "Its telemetry attribute with the power in W.",
      kind: "attribute",
      ...of,
    },
    {
      name: `control_${n}`,
      displayName: `Control of device ${n}`,
      description: "Its control: a switch, or one for the power in W, the current in A or the rate in %.",
      kind: "control",
      ...of,
    },
    { ...watts(`max_power_${n}`, `Most power of device ${n}`, "What the device takes at most."), min: 1 },
  ];
}

export const peakLimit: Controller = {
  id: "peak_limit",
  displayName: "Peak limit",
  description:
    "Keeps the average of each quarter of an hour, for which many grid operators charge, below a limit: it limits up to four devices, such as chargers, to what the window still allows, the least important one first.",
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
    ...OTHERS.flatMap(othersOf),
  ],
  check: (given) =>
    OTHERS.filter((n) => given.has(`device_${n}`)).flatMap((n) =>
      ["power", "control", "max_power"]
        .map((part) => `${part}_${n}`)
        .filter((name) => !given.has(name))
        .map((name) => ({ parameter: name, message: `${name} is needed beside device_${n}` })),
    ),
  rule: (given, site) => {
    const devices = SUFFIXES.filter((suffix) => given.has(`device${suffix}`)).map((suffix) => deviceOf(given, suffix));
    const meter = (more: RuleDocument) => reading(given.text("meter"), given.text("meter_power"), more);
    const limit = given.number("limit");
    const aim = Math.floor(limit * SHARE);
    const taken = (times: number) =>
      devices.map(({ device, power }) => reading(device, power, { average: "30s", times }));
    const most = devices.reduce((sum, one) => sum + one.most, 0);
    return {
      name: "Peak limit",
      description: `Each window of ${given.text("window")} takes at most ${limit} W from the grid on average.`,
      when: [
        {
          // What everything else takes; with the most of the devices it would be too much.
          value: { sum: [meter({ average: "30s" }), ...taken(-1)] },
          above: aim - most,
          hysteresis: Math.round(limit / 10),
        },
        silent(given),
      ],
      actions: devices.map((one, n) => {
        const before = devices.slice(0, n).reduce((sum, other) => sum + other.most, 0);
        const left: RuleNode[] = [
          meter({ budget: given.text("window"), limit: aim }),
          meter({ average: "30s", times: -1 }),
          // What devices before it may take, and what those after it take, is not for it.
          ...devices.slice(0, n + 1).map(({ device, power }) => reading(device, power, { average: "30s" })),
          ...(before === 0 ? [] : [-before]),
        ];
        return {
          claim: one.control,
          device: one.device,
          max: {
            sum: left,
            ...limitOf(site, one, { phases: given.number("phases"), step: 100, unknown: one.withoutMeter }),
          },
          lease: LEASE,
          reason: `The ${given.text("window")} may take ${limit} W.`,
        };
      }),
      min_on: "1m",
    };
  },
};

function deviceOf(given: Given, suffix: (typeof SUFFIXES)[number]) {
  return {
    device: given.text(`device${suffix}`),
    control: given.text(`control${suffix}`),
    power: given.text(`power${suffix}`),
    most: given.number(`max_power${suffix}`),
    // Less important ones wait for the meter.
    withoutMeter: suffix === "" ? given.number("without_meter") : 0,
  };
}
