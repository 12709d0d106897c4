// Which of several words (or codes) a device reports: nearly always its usual one, now and then another, and, if the
// words allow it, the one that fits what the device is doing.
import type { Category } from "#core/blueprint/vocabulary.ts";
import type { Conditions } from "./conditions.ts";
import { shapeAt } from "./day-shape.ts";
import { workOf } from "./flow-model.ts";
import { pickAt, shareAt } from "./noise.ts";
import { hasWord, wordsOf } from "./words.ts";

export interface Chooser {
  readonly words: readonly string[];
  readonly category: Category | undefined;
  readonly seed: number;
}

const FAULTY = "fault faulty error failure failed alarm emergency critical trip tripped bad leak lost empty hail";
const HEALTHY = "ok normal good running steady producing active online automatic auto on ready high connected none";
const STOPPED = "stopped stop off idle standby disabled shutdown available paused";
const NIGHT = "night sleep sleeping dark";
const PASSING =
  "starting start stopping warming ramp ramping balancing preparing finishing maintenance service cleaning calibrating updating booting boot init initializing drying reversed suspended throttled waiting reserve precharge snow rain unknown";
/** Words of what is set by people: it stays as it is. */
const SET_BY_PEOPLE = "mode type setting connector phases tariff chemistry model version kind profile source language";

type Kind = "healthy" | "faulty" | "night" | "charging" | "discharging" | "passing" | "stopped" | "usual";

/** For how long a word stands at least. */
const SPELL_MS = 30 * 60_000;
const ODD_SHARE = 0.03;

export function choiceModel<Value extends string | number | boolean>(
  values: readonly [Value, ...Value[]],
  chooser: Chooser,
): (conditions: Conditions) => Value {
  const { seed, words, category } = chooser;
  const kinds = new Map<Kind, [Value, ...Value[]]>();
  for (const value of values) {
    const kind = kindOf(value);
    const others = kinds.get(kind);
    if (others === undefined) kinds.set(kind, [value]);
    else others.push(value);
  }
  const of = (kind: Kind, share: number) => {
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
  const work = workOf(category);
  const isCharger = kinds.has("charging") || kinds.has("discharging");
  return ({ now, isStopped, isFaulty }) => {
    const spell = Math.floor(now.at / SPELL_MS);
    const share = shareAt(seed + 1, spell);
    const isOdd = shareAt(seed, spell) < ODD_SHARE;
    if (isFaulty && kinds.has("faulty")) return of("faulty", favourite) ?? usual;
    if (isStopped && kinds.has("stopped")) return of("stopped", favourite) ?? usual;
    if (isOdd) return of("passing", share) ?? of("usual", share) ?? of("healthy", share) ?? usual;
    const effort = work === undefined ? 1 : shapeAt(work, now.hour);
    if (Math.abs(effort) < 0.02) return of("night", favourite) ?? of("stopped", favourite) ?? usual;
    return (isCharger ? of(effort > 0 ? "charging" : "discharging", favourite) : undefined) ?? usual;
  };
}

function kindOf(value: string | number | boolean): Kind {
  const words = wordsOf(String(value));
  if (hasWord(words, FAULTY)) return "faulty";
  if (hasWord(words, NIGHT)) return "night";
  if (hasWord(words, "discharging discharge")) return "discharging";
  if (hasWord(words, "charging charge")) return "charging";
  if (hasWord(words, PASSING)) return "passing";
  if (hasWord(words, HEALTHY)) return "healthy";
  return hasWord(words, STOPPED) ? "stopped" : "usual";
}

/** True or false: what a healthy device says, or by chance for a while. */
export function flagModel({ words, seed }: Chooser): (conditions: Conditions) => boolean {
  if (hasWord(words, "fault error alarm alert warning leak failure blocked tripped emergency")) {
    return ({ isFaulty }) => isFaulty;
  }
  if (hasWord(words, "running active producing charging started on")) return ({ isStopped }) => !isStopped;
  const share = hasWord(words, "connected online enabled available ready ok healthy closed") ? 0.96 : 0.35;
  return ({ now }) => shareAt(seed, Math.floor(now.at / SPELL_MS)) < share;
}
