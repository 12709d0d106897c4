// The electrolyser over Modbus TCP.

import {
  type Attributes,
  alertBits,
  codeReading,
  type Flag,
  measured,
  type PlantUnit,
  raisedAlerts,
  reading,
  textReadings,
} from "#demo/devices/register-map.ts";
import { ELECTROLYTE_L, type Electrolyser, NOMINAL_FLOW } from "#demo/plant/electrolyser.ts";
import type { Plant } from "#demo/plant/plant.ts";

const STATUSES = [
  "idle",
  "warming_up",
  "ramp_up",
  "steady",
  "ramp_down",
  "drying",
  "maintenance",
  "fault",
] as const satisfies readonly string[];
const LEVELS = ["empty", "low", "medium", "high", "very_high"] as const;
const ORDERS = ["surplus", "run", "stop"] as const;
const FLAGS: readonly Flag[] = [
  { alert: "water_conductivity_high", isRaised: (plant) => conductivity(plant) > 20 },
  { alert: "electrolyte_low", isRaised: ({ electrolyser }) => electrolyser.electrolyte < ELECTROLYTE_L / 2 },
  { alert: "pressure_relief", isRaised: () => false },
];
const SAFETY_FLAGS: readonly Flag[] = [{ alert: "hydrogen_leak", isRaised: () => false }];

/** µS/cm; rises slowly while water is used. */
const conductivity = ({ electrolyser }: Plant) => 2.5 + ((electrolyser.total * 0.11) % 6);
const level = ({ electrolyte }: Electrolyser) =>
  LEVELS[Math.min(3, Math.floor((electrolyte / ELECTROLYTE_L) * 3.5))] ?? "empty";
const amps = ({ rate }: Electrolyser) => rate * 0.58;

const MEASURED = {
  hydrogen_flow: reading(3, ["u16", 1_000], ({ electrolyser }) => electrolyser.flow),
  hydrogen_total: reading(4, ["u32", 100], ({ electrolyser }) => electrolyser.total),
  production_rate: reading(6, ["u16", 10], ({ electrolyser }) => electrolyser.rate),
  outlet_pressure: reading(7, ["u16", 100], ({ electrolyser }) => electrolyser.pressure),
  stack_voltage: reading(8, ["u16", 10], ({ electrolyser }) =>
    electrolyser.rate > 0 ? 34 + electrolyser.rate * 0.056 : 0,
  ),
  stack_current: reading(9, ["u16", 10], ({ electrolyser }) => amps(electrolyser)),
  stack_temperature: reading(10, ["s16", 10], ({ electrolyser }) => electrolyser.temperature),
  water_conductivity: reading(12, ["u16", 100], conductivity),
  water_inlet_pressure: reading(
    13,
    ["u16", 100],
    ({ electrolyser, grid }) => 2.4 - electrolyser.rate * 0.002 + (grid.frequency - 50),
  ),
  stack_starts: reading(14, ["u32", 1], ({ electrolyser }) => electrolyser.starts),
  stack_runtime: reading(16, ["u32", 10], ({ electrolyser }) => electrolyser.runtime),
  ac_power: reading(19, ["u16", 1], ({ electrolyser }) => electrolyser.power),
};

export const electrolyserUnit: PlantUnit = {
  inputs: [
    codeReading(0, STATUSES, ({ electrolyser }) => electrolyser.status),
    alertBits(1, FLAGS),
    alertBits(2, SAFETY_FLAGS),
    ...Object.values(MEASURED),
    codeReading(11, LEVELS, ({ electrolyser }) => level(electrolyser)),
    reading(18, ["u16", 100], ({ electrolyser }) => electrolyser.electrolyte),
  ],
  holdings: [
    codeReading(0, ORDERS, ({ electrolyser }) => electrolyser.order),
    reading(1, ["u16", 10], ({ electrolyser }) => electrolyser.setRate),
    reading(2, ["u32", 1], ({ electrolyser }) => electrolyser.startAbove),
    reading(4, ["u16", 10], ({ electrolyser }) => electrolyser.pressureLimit),
    reading(5, ["u16", 1], ({ electrolyser }) => Number(electrolyser.isDraining)),
    ...textReadings(100, 8, "Aquavolt"),
    ...textReadings(108, 8, "AV-2400"),
    ...textReadings(116, 8, "AV24-00089"),
    ...textReadings(124, 8, "1.8.2"),
    reading(132, ["u16", 100], () => NOMINAL_FLOW),
    reading(133, ["u16", 10], () => 35),
  ],
  coils: [],
  write(plant, { table, register, values }) {
    const change = table === "holdings" ? order(plant.electrolyser, register, values) : undefined;
    return change === undefined ? undefined : { ...plant, electrolyser: { ...plant.electrolyser, ...change } };
  },
};

function order(
  now: Electrolyser,
  register: number,
  [first = -1, second = -1]: readonly number[],
): Partial<Electrolyser> | undefined {
  const wanted = ORDERS[first];
  if (register === 0 && wanted !== undefined) return { order: wanted };
  if (register === 1 && first >= 600 && first <= 1_000) return { setRate: first / 10 };
  if (register === 2 && first >= 0 && second >= 0) return { startAbove: first * 0x1_0000 + second };
  if (register === 4 && first >= 10 && first <= 350) return { pressureLimit: first / 10 };
  // Only a machine that stands still lets its electrolyte go.
  if (register === 5 && first === 1 && now.rate === 0) return { isDraining: true, order: "stop" };
  return undefined;
}

export const electrolyserAttributes: Attributes = {
  status: ({ electrolyser }) => electrolyser.status,
  alerts: raisedAlerts(FLAGS),
  safety_alerts: raisedAlerts(SAFETY_FLAGS),
  ...Object.fromEntries(Object.entries(MEASURED).map(([name, one]) => [name, measured(one)])),
  electrolyte_level: ({ electrolyser }) => level(electrolyser),
};
