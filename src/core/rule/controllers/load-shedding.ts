import { lasting, METER, METER_POWER, PHASES, watts } from "./common-parameters.ts";
import type { Controller, Given, Parameter, RuleNode } from "./controller.ts";
import { LEASE, limitOf, reading, silent } from "./readings.ts";

const LOADS = [1, 2, 3, 4] as const;
const WORDS = ["first", "second", "third", "fourth"] as const;

function parametersOf(n: (typeof LOADS)[number]): readonly Parameter[] {
  const name = `load_${n}`;
  const word = WORDS[n - 1];
  const of = { of: name };
  const needed = n === 1 ? ({ required: true } as const) : {};
  const what =
    n === 1 ? "The most important load: it is limited last." : `The ${word} load, less important than those before.`;
  return [
    { name, displayName: `Load ${n}`, description: `${what} By its id or slug.`, kind: "device", ...needed },
    {
      name: `${name}_control`,
      displayName: `Control of load ${n}`,
      description: "Its control: a switch, or one for the power in W, the current in A or the rate in %.",
      kind: "control",
      ...of,
      ...needed,
    },
    {
      name: `${name}_power`,
      displayName: `Power of load ${n}`,
      description: "Its telemetry attribute with the power in W.",
      kind: "attribute",
      ...of,
      ...needed,
    },
    { ...watts(`${name}_max`, `Most of load ${n}`, "What the load takes at most."), min: 1, ...needed },
  ];
}

export const loadShedding: Controller = {
  id: "load_shedding",
  displayName: "Load shedding",
  description:
    "Keeps the power from the grid below a limit at every moment: it limits the least important load first, and the most important one last.",
  icon: "sort-variant-remove",
  parameters: [
    METER,
    METER_POWER,
    { ...watts("limit", "Limit", "The power from the grid that is not exceeded."), required: true },
    ...LOADS.flatMap(parametersOf),
    PHASES,
    lasting("min_on", "Shortest time", "Once it limits, it does so for so long.", "5m"),
  ],
  check: (given) =>
    LOADS.filter((n) => given.has(`load_${n}`)).flatMap((n) =>
      ["control", "power", "max"]
        .map((part) => `load_${n}_${part}`)
        .filter((name) => !given.has(name))
        .map((name) => ({ parameter: name, message: `${name} is needed beside load_${n}` })),
    ),
  rule: (given, site) => {
    const loads = LOADS.filter((n) => given.has(`load_${n}`)).map((n) => loadOf(given, n));
    const limit = given.number("limit");
    const all = loads.reduce((sum, { most }) => sum + most, 0);
    // What is taken besides these loads.
    const without = (these: typeof loads, average: string, times: number): RuleNode[] => [
      reading(given.text("meter"), given.text("meter_power"), { average, times }),
      ...these.map(({ device, power }) => reading(device, power, { average, times: -times })),
    ];
    return {
      name: "Load shedding",
      description: `At most ${limit} W come from the grid: the least important load is limited first.`,
      when: [
        { value: { sum: without(loads, "30s", 1) }, above: limit - all, hysteresis: Math.round(limit / 10) },
        silent(given),
      ],
      actions: loads.map((load, n) => {
        const before = loads.slice(0, n).reduce((sum, { most }) => sum + most, 0);
        return {
          claim: load.control,
          device: load.device,
          // Without the meter, nobody knows what is left: nothing is.
          // What loads before it may take, and what those after it take, is not for it.
          max: {
            sum: [...without(loads.slice(0, n + 1), "10s", -1), limit - before],
            ...limitOf(site, load, { phases: given.number("phases"), step: 50, unknown: 0 }),
          },
          lease: LEASE,
          reason: `At most ${limit} W come from the grid.`,
        };
      }),
      min_on: given.text("min_on"),
    };
  },
};

function loadOf(given: Given, n: number) {
  const of = (part: string) => given.text(`load_${n}_${part}`);
  return {
    device: given.text(`load_${n}`),
    control: of("control"),
    power: of("power"),
    most: given.number(`load_${n}_max`),
  };
}
