import { clamp } from "#demo/plant/noise.ts";
import type { Span } from "#demo/plant/span.ts";

export const CAPACITY_KWH = 80;
export const MAX_W = 30_000;
/** One way; both ways it is the square. */
export const EFFICIENCY = 0.96;
const CELLS = 240;
/** mV between the lowest and the highest cell: what balancing reaches, how fast, and how fast they drift apart again. */
const BALANCED_MV = 15;
const BALANCING_MV_PER_HOUR = 600;
const DRIFT_MV_PER_HOUR = 0.25;

export interface Battery {
  readonly status: "standby" | "charging" | "discharging" | "balancing" | "reserve" | "fault";
  /** Obeys `setPoint` (W, positive to discharge) until `orderUntil`; otherwise it balances the site on its own. */
  readonly setPoint: number;
  readonly orderUntil: number;
  /** % that is kept for power cuts, and the limits of the installer. */
  readonly reserve: number;
  readonly socMin: number;
  readonly socMax: number;
  readonly gridCharging: boolean;
  /** Unix milliseconds until which its contactors are open; 0: they are closed. */
  readonly openUntil: number;
  readonly isBalancing: boolean;
  /** % */
  readonly soc: number;
  /** W at the site's side, positive while discharging: what it delivers to the site. */
  readonly power: number;
  readonly maxCharge: number;
  readonly maxDischarge: number;
  /** °C of the warmest cell. */
  readonly temperature: number;
  /** mV */
  readonly spread: number;
  /** Ah and full cycles since it was new. */
  readonly throughput: number;
  readonly cycles: number;
}

export const NEW_BATTERY: Battery = {
  status: "standby",
  setPoint: 0,
  orderUntil: 0,
  reserve: 10,
  socMin: 5,
  socMax: 100,
  gridCharging: true,
  openUntil: 0,
  isBalancing: false,
  soc: 55,
  power: 0,
  maxCharge: MAX_W,
  maxDischarge: MAX_W,
  temperature: 18,
  // Reaches 80.5 mV after eight days less twelve minutes.
  spread: 32.55,
  throughput: 21_400,
  cycles: 202,
};

/** `shortage` is what the site lacks, W; negative when it has more than it needs. */
export function stepBattery(battery: Battery, { shortage, air }: BatteryInputs, span: Span): Battery {
  const balanced = battery.isBalancing && battery.spread <= BALANCED_MV;
  const isBalancing = battery.isBalancing && !balanced;
  const isConnected = span.to >= battery.openUntil;
  const isAway = !isConnected || isBalancing;
  const floor = Math.max(battery.reserve, battery.socMin);
  // W that would just reach the end of the range within this span.
  const room = (kwh: number) => (span.hours === 0 ? Number.POSITIVE_INFINITY : (kwh / span.hours) * 1_000);
  const toFull = (Math.max(0, battery.socMax - battery.soc) / 100) * CAPACITY_KWH;
  const toFloor = (Math.max(0, battery.soc - floor) / 100) * CAPACITY_KWH;
  const isCold = battery.temperature < 0;
  const taper = clamp((battery.socMax - battery.soc) / 6, 0.05, 1);
  const maxCharge = isAway || isCold || toFull === 0 ? 0 : MAX_W * taper;
  const maxDischarge = isAway || toFloor === 0 ? 0 : MAX_W;
  const isOrdered = span.to < battery.orderUntil;
  const wanted = isOrdered ? battery.setPoint : shortage;
  const allowed = isOrdered && !battery.gridCharging ? Math.max(wanted, Math.min(0, shortage)) : wanted;
  const power = clamp(
    allowed,
    -Math.min(maxCharge, room(toFull) / EFFICIENCY),
    Math.min(maxDischarge, room(toFloor) * EFFICIENCY),
  );
  const stored = -(power < 0 ? power * EFFICIENCY : power / EFFICIENCY) * (span.hours / 1_000);
  const soc = clamp(battery.soc + (stored / CAPACITY_KWH) * 100, 0, 100);
  const loss = Math.abs(power) * (1 - EFFICIENCY);
  return {
    ...battery,
    status: statusOf({
      isConnected,
      isBalancing,
      power,
      isHeldBack: wanted > 50 && toFloor === 0,
    }),
    openUntil: isConnected ? 0 : battery.openUntil,
    isBalancing,
    soc,
    power,
    maxCharge,
    maxDischarge,
    // It stands in a room that is never colder than 8 °C.
    temperature: span.follow(battery.temperature, Math.max(8, air * 0.5 + 9) + loss / 95, 3),
    spread: isBalancing
      ? Math.max(BALANCED_MV, battery.spread - BALANCING_MV_PER_HOUR * span.hours)
      : battery.spread + DRIFT_MV_PER_HOUR * span.hours,
    throughput: battery.throughput + (Math.abs(power) / packVoltage(soc)) * span.hours,
    cycles: battery.cycles + Math.abs(stored) / (2 * CAPACITY_KWH),
  };
}

interface BatteryInputs {
  readonly shortage: number;
  /** °C outside. */
  readonly air: number;
}

function statusOf(now: {
  readonly isConnected: boolean;
  readonly isBalancing: boolean;
  readonly power: number;
  readonly isHeldBack: boolean;
}): Battery["status"] {
  if (!now.isConnected) return "fault";
  if (now.isBalancing) return "balancing";
  if (now.power < -50) return "charging";
  if (now.power > 50) return "discharging";
  return now.isHeldBack ? "reserve" : "standby";
}

/** mV of a cell of lithium iron phosphate: flat between two steep ends. */
export function cellVoltage(soc: number): number {
  const share = soc / 100;
  return 3_230 + 110 * share + 90 * share ** 12 - 330 * (1 - share) ** 9;
}

/** V */
export function packVoltage(soc: number): number {
  return (cellVoltage(soc) * CELLS) / 1_000;
}
