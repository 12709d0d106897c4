// The grid meter on the serial bus.

import { type Attributes, measured, type PlantUnit, reading, textReadings } from "#demo/devices/register-map.ts";
import { BUILT_IN_RATIO } from "#demo/plant/meter.ts";
import type { Plant } from "#demo/plant/plant.ts";
import { localDays, type PlantSite } from "#demo/plant/site.ts";

/** What the meter shows when its configured ratio differs from that of the built-in transformers. */
const factor = ({ meter }: Plant) => meter.primary / meter.secondary / BUILT_IN_RATIO;

/** Three-phase devices take the same of each phase; other loads do not. */
function phasePower(plant: Plant, phase: 0 | 1 | 2): number {
  const others = plant.loads[0] + plant.loads[1] + plant.loads[2];
  return ((plant.meter.power - others) / 3 + plant.loads[phase]) * factor(plant);
}

const reactive = (plant: Plant) => 260 * factor(plant) + Math.abs(plant.meter.power * factor(plant)) * 0.05;
const apparent = (plant: Plant) => Math.hypot(plant.meter.power * factor(plant), reactive(plant));
const current = (phase: 0 | 1 | 2) => (plant: Plant) =>
  Math.abs(phasePower(plant, phase)) / plant.grid.voltages[phase] + 0.12;

const MEASURED = {
  ac_l1_voltage: reading(0, ["f32", 10], ({ grid }) => grid.voltages[0]),
  ac_l2_voltage: reading(2, ["f32", 10], ({ grid }) => grid.voltages[1]),
  ac_l3_voltage: reading(4, ["f32", 10], ({ grid }) => grid.voltages[2]),
  ac_l1_current: reading(6, ["f32", 100], current(0)),
  ac_l2_current: reading(8, ["f32", 100], current(1)),
  ac_l3_current: reading(10, ["f32", 100], current(2)),
  ac_l1_power: reading(12, ["f32", 1], (plant) => phasePower(plant, 0)),
  ac_l2_power: reading(14, ["f32", 1], (plant) => phasePower(plant, 1)),
  ac_l3_power: reading(16, ["f32", 1], (plant) => phasePower(plant, 2)),
  grid_power: reading(52, ["f32", 1], (plant) => plant.meter.power * factor(plant)),
  apparent_power: reading(56, ["f32", 1], apparent),
  reactive_power: reading(60, ["f32", 1], reactive),
  power_factor: reading(62, ["f32", 1_000], (plant) => Math.abs(plant.meter.power * factor(plant)) / apparent(plant)),
  ac_frequency: reading(70, ["f32", 100], ({ grid }) => grid.frequency),
  grid_energy_import: reading(72, ["f32", 100], ({ meter }) => meter.imported),
  grid_energy_export: reading(74, ["f32", 100], ({ meter }) => meter.exported),
};

/** Read along with others, and of no use here. */
const UNUSED = [54, 58].map((register) => reading(register, ["f32", 1], () => 0));

export const meterUnit: PlantUnit = {
  inputs: [...Object.values(MEASURED), ...UNUSED],
  holdings: [
    reading(0, ["u16", 1], ({ meter }) => meter.primary),
    reading(1, ["u16", 1], ({ meter }) => meter.secondary),
    ...textReadings(100, 8, "Netzblick"),
    ...textReadings(108, 8, "NB-3P"),
    ...textReadings(116, 8, "NB3-20931"),
    reading(124, ["u16", 1], () => 2_031),
  ],
  coils: [reading(0, ["u16", 1], ({ at, meter }) => Number(at < meter.blinksUntil))],
  write(plant, { table, register, values: [first = 0, second] }) {
    const { at, meter } = plant;
    if (table === "coils") {
      return register === 0 ? { ...plant, meter: { ...meter, blinksUntil: first > 0 ? at + 10_000 : 0 } } : undefined;
    }
    const isRatio = register === 0 && first >= 1 && first <= 6_000 && (second === 1 || second === 5);
    return isRatio ? { ...plant, meter: { ...meter, primary: first, secondary: second } } : undefined;
  },
};

/** Night from ten to six, by the meter's clock. */
export function meterAttributes(site: PlantSite): Attributes {
  return {
    status: () => "ok",
    alerts: () => "[]",
    ...Object.fromEntries(Object.entries(MEASURED).map(([name, one]) => [name, measured(one)])),
    tariff: ({ at }) => tariffAt(localDays(site, at)),
  };
}

function tariffAt(days: number): number {
  const hour = (days - Math.floor(days)) * 24;
  return hour >= 6 && hour < 22 ? 1 : 2;
}
