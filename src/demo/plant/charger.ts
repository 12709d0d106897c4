import type { CarVisit } from "#demo/plant/car-visit.ts";
import { clamp } from "#demo/plant/noise.ts";
import type { Span } from "#demo/plant/span.ts";

const PHASE_V = 230;
const LEAST_A = 6;

export interface Charger {
  readonly status: "available" | "preparing" | "charging" | "waiting_for_sun" | "finishing";
  /** The visit that it serves; 0: none. */
  readonly visit: number;
  readonly order: "fast" | "sun" | "stop";
  /** kWh after which it stops; 0: when the car is full. */
  readonly stopAfter: number;
  /** A per phase: what its owner allows. Below 6 it pauses. */
  readonly limit: number;
  /** kWh */
  readonly sessionEnergy: number;
  readonly totalEnergy: number;
  /** When the car was plugged in, Unix milliseconds; 0: none is. */
  readonly since: number;
  /** W */
  readonly power: number;
}

export const NEW_CHARGER: Charger = {
  status: "available",
  visit: 0,
  order: "stop",
  stopAfter: 0,
  limit: 16,
  sessionEnergy: 0,
  totalEnergy: 6_218,
  since: 0,
  power: 0,
};

/** `surplus` is what the site has to give before battery and electrolyser, W. */
export function stepCharger(
  before: Charger,
  { visit, surplus }: { readonly visit: CarVisit | undefined; readonly surplus: number },
  span: Span,
): Charger {
  if (visit === undefined) return { ...before, status: "available", visit: 0, order: "stop", since: 0, power: 0 };
  const charger = before.visit === visit.id ? before : plugIn(before, visit);
  const end = charger.stopAfter > 0 ? Math.min(visit.need, charger.stopAfter) : visit.need;
  const missing = Math.max(0, end - charger.sessionEnergy);
  const most = charger.limit * PHASE_V * 3;
  // A car takes less and less before it is full.
  const taken = Math.min(most, Math.max(1_800, most * clamp((visit.need - charger.sessionEnergy) / 4, 0.15, 1)));
  const offered = charger.order === "sun" ? Math.min(taken, surplus) : taken;
  const mayCharge = charger.order !== "stop" && missing > 0 && charger.limit >= LEAST_A;
  const isEnough = charger.order === "fast" || surplus >= LEAST_A * PHASE_V * 3;
  const fills = span.hours === 0 ? Number.POSITIVE_INFINITY : (missing / span.hours) * 1_000;
  const power = mayCharge && isEnough ? Math.min(offered, fills) : 0;
  const energy = (power / 1_000) * span.hours;
  return {
    ...charger,
    status:
      charger.order === "stop" || charger.limit < LEAST_A
        ? "preparing"
        : missing === 0
          ? "finishing"
          : power > 0
            ? "charging"
            : "waiting_for_sun",
    sessionEnergy: charger.sessionEnergy + energy,
    totalEnergy: charger.totalEnergy + energy,
    power,
  };
}

function plugIn(charger: Charger, visit: CarVisit): Charger {
  return { ...charger, visit: visit.id, order: visit.mode, stopAfter: 0, sessionEnergy: 0, since: visit.arrival };
}
