// Which of several words (or codes) a device reports: nearly always its usual one, now and then another, and, if the
// words allow it, the one that fits what the device is doing.
import type { Category } from "#core/blueprint/vocabulary.ts";
import type { Conditions } from "./conditions.ts";
import { type DayShape, SHAPES, shapeAt } from "./day-shape.ts";
import { explicitRoleOf, workOf } from "./flow-model.ts";
import { pickAt, shareAt } from "./noise.ts";
import { kindOf, type StatusKind } from "./status-words.ts";
import { hasWord } from "./words.ts";

export interface Chooser {
  readonly words: readonly string[];
  readonly category: Category | undefined;
  readonly seed: number;
  /** Shared by all attributes of the device, so that all that it says is unusual at the same time. */
  readonly deviceSeed: number;
}

/** Words of what is set by people: it stays as it is. */
const SET_BY_PEOPLE = "mode type setting connector phases tariff chemistry model version kind profile source language";

/** For how long a word stands at least. */
const SPELL_MS = 30 * 60_000;
const ODD_SHARE = 0.03;
/** With less a device has nothing to do. */
const LEAST_EFFORT = 0.02;
/** With more it has started. */
const STARTED_EFFORT = 0.04;
const FAULT_WORDS = "error fault alarm warning failure";
const NO_FAULT = /^(?:no|none|ok|normal|0)(?:$|[^a-z])/i;

export function choiceModel<Value extends string | number | boolean>(
  values: readonly [Value, ...Value[]],
  chooser: Chooser,
): (conditions: Conditions) => Value {
  const { seed, deviceSeed, words, category } = chooser;
  const kinds = new Map<StatusKind, [Value, ...Value[]]>();
  for (const value of values) {
    const kind = kindOf(value);
    const others = kinds.get(kind);
    if (others === undefined) kinds.set(kind, [value]);
    else others.push(value);
  }
  const of = (kind: StatusKind, share: number) => {
    const list = kinds.get(kind);
    return list && pickAt(list, share);
  };
  const favourite = shareAt(seed, 0);
  const usual =
    of("healthy", favourite) ??
    of("usual", favourite) ??
    of("stopped", favourite) ??
    of("passing", favourite) ??
    values[0];
  if (hasWord(words, SET_BY_PEOPLE)) return () => usual;
  const isCharger = kinds.has("charging") || kinds.has("discharging");
  const role = explicitRoleOf(words);
  const work = workOf(category, role);
  // A battery discharges where its shape is positive; a car only charges.
  const isCharging = (effort: number) => (work === SHAPES.battery ? effort < 0 : effort > 0);
  // A code of faults is zero while there is none.
  const calm = hasWord(words, FAULT_WORDS)
    ? values.find((value) => Number(value) === 0 || NO_FAULT.test(String(value)))
    : undefined;
  if (calm !== undefined) {
    const alarmed = values.find((value) => value !== calm) ?? calm;
    return ({ isFaulty }) => (isFaulty ? (of("faulty", favourite) ?? alarmed) : calm);
  }
  return ({ now, isStopped, isFaulty }) => {
    const spell = Math.floor(now.at / SPELL_MS);
    const share = shareAt(seed + 1, spell);
    const isOdd = shareAt(deviceSeed, spell) < ODD_SHARE;
    if (isFaulty && kinds.has("faulty")) return of("faulty", favourite) ?? usual;
    if (isStopped && kinds.has("stopped")) return of("stopped", favourite) ?? usual;
    const effort = work === undefined ? 1 : shapeAt(work, now.hour);
    if (Math.abs(effort) < LEAST_EFFORT) {
      const apart = work === SHAPES.vehicle ? of("apart", favourite) : undefined;
      return of("night", favourite) ?? of("stopped", favourite) ?? apart ?? usual;
    }
    // With the first light a device starts; nothing flows before it has.
    if (work !== undefined && Math.abs(effort) < STARTED_EFFORT && isRising(work, now.hour)) {
      const starting = of("starting", favourite);
      if (starting !== undefined) return starting;
    }
    const odd = isOdd ? (of("passing", share) ?? of("usual", share) ?? of("healthy", share)) : undefined;
    if (odd !== undefined) return odd;
    return (isCharger ? of(isCharging(effort) ? "charging" : "discharging", favourite) : undefined) ?? usual;
  };
}

function isRising(work: DayShape, hour: number): boolean {
  return Math.abs(shapeAt(work, hour)) > Math.abs(shapeAt(work, hour - 0.01));
}

/** True or false: what a healthy device says, or by chance for a while. */
export function flagModel({ words, category, seed }: Chooser): (conditions: Conditions) => boolean {
  if (hasWord(words, "fault error alarm leak failure blocked tripped emergency")) return ({ isFaulty }) => isFaulty;
  if (hasWord(words, "alert alerts warning")) return ({ hasAlerts }) => hasAlerts;
  const role = explicitRoleOf(words);
  const work = workOf(category, role);
  const works = (hour: number) => work === undefined || Math.abs(shapeAt(work, hour)) >= LEAST_EFFORT;
  if (hasWord(words, "running active producing charging started on"))
    return ({ now, isStopped, isFaulty }) => !isStopped && !isFaulty && works(now.hour);
  if (hasWord(words, "disconnected islanded islanding offgrid unplugged open opened")) return () => false;
  if (hasWord(words, "connected plugged closed coupled")) {
    // A car comes and goes; everything else stays where it is.
    const isVehicle = (role ?? (category === "electric-vehicles" ? "vehicle" : undefined)) === "vehicle";
    return ({ now }) => !isVehicle || works(now.hour);
  }
  const share = hasWord(words, "online enabled available ready ok healthy") ? 1 : 0.35;
  return ({ now }) => shareAt(seed, Math.floor(now.at / SPELL_MS)) < share;
}
