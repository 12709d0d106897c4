import { clamp } from "#demo/plant/noise.ts";
import type { Span } from "#demo/plant/span.ts";

/** Nm3/h and W at full rate. */
export const NOMINAL_FLOW = 0.5;
const STACK_W = 2_300;
const HEATER_W = 620;
const PUMPS_W = 90;
const STANDBY_W = 18;
/** °C from which it produces. */
const WARM = 52;
/** %/h */
const RAMP = 3_600 * 0.8;
const LEAST_RATE = 60;
/** m3 of water that the tank would hold. */
export const TANK_M3 = 0.45;
/** Nm3/h that the site's fuel cell takes while there is enough. */
const DRAW = 0.13;
const DRAW_ABOVE_BAR = 4;
export const ELECTROLYTE_L = 4;
const DRAIN_L_PER_HOUR = 3_600 * 0.4;
const REFILL_AFTER_HOURS = 5 / 60;

export interface Electrolyser {
  readonly status: "idle" | "warming_up" | "ramp_up" | "steady" | "ramp_down" | "maintenance";
  /** By itself when there is surplus, or as somebody said. */
  readonly order: "surplus" | "run" | "stop";
  readonly startAbove: number;
  /** % that it should reach, and where it is. */
  readonly setRate: number;
  readonly rate: number;
  /** °C of the stack. */
  readonly temperature: number;
  /** bar at the outlet, which is the tank's pressure, and where it stops. */
  readonly pressure: number;
  readonly pressureLimit: number;
  /** Nm3/h out of the stack and out of the tank. */
  readonly flow: number;
  readonly drawn: number;
  /** Nm3 since it was new. */
  readonly total: number;
  readonly starts: number;
  /** h */
  readonly runtime: number;
  /** Hours for which there has been enough surplus, or too little. */
  readonly enoughFor: number;
  readonly scarceFor: number;
  /** l, and whether they are being pumped out. */
  readonly electrolyte: number;
  readonly isDraining: boolean;
  readonly emptyFor: number;
  /** W */
  readonly power: number;
}

export const NEW_ELECTROLYSER: Electrolyser = {
  status: "idle",
  order: "surplus",
  startAbove: 3_000,
  setRate: 100,
  rate: 0,
  temperature: 22,
  pressure: 16,
  pressureLimit: 30,
  flow: 0,
  drawn: 0,
  total: 1_954,
  starts: 412,
  runtime: 4_107,
  enoughFor: 0,
  scarceFor: 0,
  electrolyte: ELECTROLYTE_L,
  isDraining: false,
  emptyFor: 0,
  power: STANDBY_W,
};

/** `surplus` is what the site has to give before battery and electrolyser, W. */
export function stepElectrolyser(
  before: Electrolyser,
  { surplus, air }: { readonly surplus: number; readonly air: number },
  span: Span,
): Electrolyser {
  const enoughFor = surplus >= before.startAbove ? before.enoughFor + span.hours : 0;
  const scarceFor = surplus < STACK_W * 0.5 ? before.scarceFor + span.hours : 0;
  const electrolyser = { ...before, ...stepElectrolyte(before, span), enoughFor, scarceFor };
  const shouldRun = isWanted(electrolyser);
  const isWarm = before.temperature >= WARM;
  const isMaking = shouldRun && (isWarm || before.rate > 0);
  const goal = isMaking ? electrolyser.setRate : 0;
  const rate = before.rate + clamp(goal - before.rate, -RAMP * span.hours, RAMP * span.hours);
  const isHeating = shouldRun && !isWarm && rate === 0;
  const flow = (NOMINAL_FLOW * rate) / 100;
  const drawn = before.pressure > DRAW_ABOVE_BAR ? DRAW : 0;
  const warmth = isHeating ? 78 : rate > 0 ? 54 + rate * 0.03 : before.status === "idle" ? air * 0.4 + 14 : 30;
  return {
    ...electrolyser,
    status: statusOf(electrolyser, { isHeating, rate, goal }),
    rate,
    temperature: span.follow(before.temperature, warmth, isHeating ? 0.42 : rate > 0 ? 0.5 : 5),
    pressure: Math.max(0, before.pressure + ((flow - drawn) * span.hours) / TANK_M3),
    flow,
    drawn,
    total: before.total + flow * span.hours,
    starts: before.starts + (before.rate === 0 && rate > 0 ? 1 : 0),
    runtime: before.runtime + (rate > 0 ? span.hours : 0),
    power: STANDBY_W + (isHeating ? HEATER_W : 0) + (rate > 0 ? PUMPS_W + (STACK_W * rate) / 100 : 0),
  };
}

function isWanted(now: Electrolyser): boolean {
  if (now.electrolyte < 2 || now.isDraining) return false;
  // A full tank stops production, whoever ordered it; production resumes when a bar has been used.
  if (now.pressure >= now.pressureLimit - (now.status === "idle" ? 1 : 0)) return false;
  if (now.order !== "surplus") return now.order === "run";
  const isOn = now.status !== "idle" && now.status !== "ramp_down";
  return isOn ? now.scarceFor < 0.2 : now.enoughFor > 0.1;
}

function statusOf(
  now: Electrolyser,
  { isHeating, rate, goal }: { readonly isHeating: boolean; readonly rate: number; readonly goal: number },
): Electrolyser["status"] {
  if (now.isDraining || now.electrolyte < ELECTROLYTE_L / 2) return "maintenance";
  if (isHeating) return "warming_up";
  if (rate < goal) return "ramp_up";
  if (rate > goal && goal < LEAST_RATE) return "ramp_down";
  return rate > 0 ? "steady" : "idle";
}

/** A drained machine is filled up again by a technician some minutes later. */
function stepElectrolyte(before: Electrolyser, span: Span): Partial<Electrolyser> {
  if (before.isDraining) {
    const electrolyte = Math.max(0, before.electrolyte - DRAIN_L_PER_HOUR * span.hours);
    return { electrolyte, isDraining: electrolyte > 0, emptyFor: 0 };
  }
  if (before.electrolyte >= ELECTROLYTE_L) return {};
  if (before.emptyFor < REFILL_AFTER_HOURS) return { emptyFor: before.emptyFor + span.hours };
  return { electrolyte: ELECTROLYTE_L, emptyFor: 0 };
}
