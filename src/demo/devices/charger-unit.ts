// The wall box over Modbus TCP.

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
import type { Charger } from "#demo/plant/charger.ts";
import type { Plant } from "#demo/plant/plant.ts";

const STATUSES = [
  "available",
  "preparing",
  "charging",
  "waiting_for_sun",
  "suspended_by_car",
  "finishing",
  "fault",
] as const satisfies readonly string[];
const ORDERS = ["stop", "fast", "sun"] as const;
const FLAGS: readonly Flag[] = [
  { alert: "residual_current", isRaised: () => false },
  { alert: "plug_hot", isRaised: () => false },
  { alert: "site_limit", isRaised: () => false },
];
/** What the script charges a card without a tariff, euro a kWh. */
const PRICE = 0.35;

/** The van has an odd visit and always the same card. */
const cardOf = ({ visit }: Charger) => (visit === 0 ? 0 : visit % 2 === 1 ? 1_001 : 2_000 + (visit % 7));
const seconds = ({ at, charger }: Plant) => (charger.since === 0 ? 0 : Math.floor((at - charger.since) / 1_000));
const sessionEnergy = ({ charger }: Plant) => (charger.since === 0 ? 0 : charger.sessionEnergy);

const MEASURED = {
  charging_power: reading(3, ["u32", 1], ({ charger }) => charger.power),
  session_energy: reading(5, ["u32", 100], sessionEnergy),
  session_duration: reading(7, ["u32", 1], seconds),
  energy_total: reading(9, ["u32", 10], ({ charger }) => charger.totalEnergy),
};
const LIMIT = reading(2, ["u16", 10], ({ charger }) => charger.limit);

export const chargerUnit: PlantUnit = {
  inputs: [
    codeReading(0, STATUSES, ({ charger }) => charger.status),
    alertBits(1, FLAGS),
    reading(2, ["u16", 1], ({ charger }) => Number(charger.since > 0)),
    ...Object.values(MEASURED),
    reading(11, ["u32", 1], ({ charger }) => cardOf(charger)),
  ],
  holdings: [
    codeReading(0, ORDERS, ({ charger }) => charger.order),
    reading(1, ["u16", 10], ({ charger }) => charger.stopAfter),
    LIMIT,
    ...textReadings(100, 8, "Ladeplatz"),
    ...textReadings(108, 8, "LP-22"),
    ...textReadings(116, 8, "LP22-7730"),
    reading(124, ["u16", 1], () => 3),
  ],
  // 0 asks the motor to unlock, 1 says that the plug is locked. The motor of this one is stuck.
  coils: [reading(0, ["u16", 1], () => 0), reading(1, ["u16", 1], () => 1)],
  write(plant, { table, register, values }) {
    if (table === "coils") return register === 0 ? plant : undefined;
    const change = order(plant.charger, register, values);
    return change === undefined ? undefined : { ...plant, charger: { ...plant.charger, ...change } };
  },
};

function order(
  now: Charger,
  register: number,
  [first = -1, second = 0]: readonly number[],
): Partial<Charger> | undefined {
  const wanted = ORDERS[first];
  if (register === 0 && wanted !== undefined && (now.since > 0 || wanted === "stop")) {
    return { order: wanted, stopAfter: second / 10 };
  }
  return register === 2 && (first === 0 || first >= 60) && first <= 320 ? { limit: first / 10 } : undefined;
}

export const chargerAttributes: Attributes = {
  status: ({ charger }) => charger.status,
  alerts: raisedAlerts(FLAGS),
  ev_connected: ({ charger }) => charger.since > 0,
  ...Object.fromEntries(Object.entries(MEASURED).map(([name, one]) => [name, measured(one)])),
  current_limit: measured(LIMIT),
  session_cost: (plant) => Math.floor(measured(MEASURED.session_energy)(plant) * PRICE * 100 + 0.5) / 100,
  session_user: ({ charger }) => (cardOf(charger) === 0 ? undefined : `card ${cardOf(charger)}`),
};
