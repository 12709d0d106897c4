// The roof inverter over Modbus TCP.

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
import { limitInverter, RATED_W, switchInverter } from "#demo/plant/inverter.ts";
import type { Plant } from "#demo/plant/plant.ts";

const STATUSES = ["night", "starting", "running", "throttled", "stopped", "fault"] as const;
const FLAGS: readonly Flag[] = [
  { alert: "grid_lost", isRaised: ({ grid }) => grid.voltages.some((volts) => volts < 184 || volts > 264.5) },
  { alert: "overheated", isRaised: ({ inverter }) => inverter.heatsink > 75 },
  { alert: "insulation_low", isRaised: () => false },
];
/** The share of the DC power, by tracker. */
const SHARES = [0.56, 0.44] as const;

const trackerVolts = ({ inverter, weather }: Plant) => (inverter.dcPower > 0 ? 655 - weather.onRoof * 0.05 : 0);
const trackerAmps = (share: number) => (plant: Plant) =>
  plant.inverter.dcPower > 0 ? (plant.inverter.dcPower * share) / trackerVolts(plant) : 0;

const MEASURED = {
  ac_power: reading(2, ["u32", 1], ({ inverter }) => inverter.acPower),
  pv_power: reading(4, ["u32", 1], ({ inverter }) => inverter.dcPower),
  pv1_voltage: reading(6, ["u16", 10], trackerVolts),
  pv1_current: reading(7, ["u16", 100], trackerAmps(SHARES[0])),
  pv2_voltage: reading(8, ["u16", 10], trackerVolts),
  pv2_current: reading(9, ["u16", 100], trackerAmps(SHARES[1])),
  yield_day: reading(10, ["u32", 100], ({ inverter }) => inverter.yieldDay),
  yield_total: reading(12, ["u32", 10], ({ inverter }) => inverter.yieldTotal),
  ac_frequency: reading(14, ["u16", 100], ({ grid }) => grid.frequency),
  ac_l1_voltage: reading(15, ["u16", 10], ({ grid }) => grid.voltages[0]),
  ac_l2_voltage: reading(16, ["u16", 10], ({ grid }) => grid.voltages[1]),
  ac_l3_voltage: reading(17, ["u16", 10], ({ grid }) => grid.voltages[2]),
  heatsink_temperature: reading(18, ["s16", 10], ({ inverter }) => inverter.heatsink),
  insulation_resistance: reading(19, ["u16", 1], ({ weather }) => 2_600 - weather.humidity * 14),
};
const LIMIT = reading(1, ["u16", 10], ({ inverter }) => inverter.limit);

export const inverterUnit: PlantUnit = {
  inputs: [
    codeReading(0, STATUSES, ({ inverter }) => inverter.status),
    alertBits(1, FLAGS),
    ...Object.values(MEASURED),
  ],
  holdings: [
    reading(0, ["u16", 1], ({ inverter }) => Number(inverter.isOn)),
    LIMIT,
    reading(2, ["u16", 1], ({ at, inverter }) => Math.ceil(Math.max(0, inverter.limitUntil - at) / 60_000)),
    ...textReadings(100, 8, "Solarwerk"),
    ...textReadings(108, 8, "SW-25T"),
    ...textReadings(116, 8, "SW25-004711"),
    ...textReadings(124, 8, "3.12.0"),
    reading(132, ["u32", 1], () => RATED_W),
    // The grid codes that it knows: 0 VDE-AR-N 4105, 1 VDE-AR-N 4110, 2 EN 50549-1.
    reading(134, ["u16", 1], () => 0),
  ],
  coils: [],
  write(plant, { table, register, values: [first, second] }) {
    if (table !== "holdings" || first === undefined) return undefined;
    const { at, inverter } = plant;
    if (register === 0 && first <= 1) return { ...plant, inverter: switchInverter(inverter, first === 1, at) };
    if (register !== 1 || first > 1_000) return undefined;
    return { ...plant, inverter: limitInverter(inverter, first / 10, second === undefined ? 0 : at + second * 60_000) };
  },
};

export const inverterAttributes: Attributes = {
  status: ({ inverter }) => inverter.status,
  alerts: raisedAlerts(FLAGS),
  ...Object.fromEntries(Object.entries(MEASURED).map(([name, one]) => [name, measured(one)])),
  power_limit: measured(LIMIT),
};
