// Numbers of sensors that say what is usual by their kind alone: gas near zero, loops of 4 to 20 mA, codes and flags of
// faults. All are in the declared unit.
import type { Conditions } from "./conditions.ts";
import { noiseAt } from "./noise.ts";
import { hasWord } from "./words.ts";

interface Signal {
  readonly words: readonly string[];
  readonly unit: string | undefined;
  readonly seed: number;
  readonly isWhole: boolean;
}

const GASES =
  "gas h2 hydrogen co ch4 methane propane lpg nh3 ammonia h2s no2 so2 smoke lel voc leak leakage vapour vapor";
const FAULT_CODES = "error errors fault faults alarm alarms warning warnings alert alerts failure";
const CODES = "code codes flag flags bit bits bitmask mask word register status number";

/** Undefined for what is no such signal. */
export function signalModel({ words, unit, seed, isWhole }: Signal): ((conditions: Conditions) => number) | undefined {
  if (hasWord(words, FAULT_CODES) && hasWord(words, CODES) && !hasWord(words, "count counter total")) {
    const warns = hasWord(words, "warning warnings alert alerts");
    return ({ isFaulty, hasAlerts }) => (isFaulty || (warns && hasAlerts) ? 1 : 0);
  }
  if (hasWord(words, "flag flags bitmask") && unit === undefined) return ({ hasAlerts }) => (hasAlerts ? 1 : 0);
  const round = (value: number) => (isWhole ? Math.round(value) : Math.round(value * 1000) / 1000);
  const isShare = unit !== undefined && /^(?:%|\[?pp[mb]\]?|%?LEL|%\{?LEL\}?|%\[?LEL\]?|%vol|vol%|mg\/m3)$/i.test(unit);
  const isPpm = unit !== undefined && /pp[mb]/i.test(unit);
  if (hasWord(words, "o2 oxygen") && (unit === "%" || /vol/i.test(unit ?? "")) && !hasWord(words, "purity"))
    return ({ now }) => round(20.9 + 0.05 * noiseAt(seed, now.at / 600_000));
  if (hasWord(words, "co2") && isPpm) return ({ now }) => round(520 + 90 * noiseAt(seed, now.at / 3_600_000));
  const isGas =
    hasWord(words, GASES) && (isShare || (unit === undefined && hasWord(words, "lel ppm concentration leak")));
  if (
    (isGas || hasWord(words, "lel") || (isPpm && hasWord(words, "concentration"))) &&
    !hasWord(words, "purity humidity") &&
    (!hasWord(words, "level fill tank storage") || hasWord(words, "lel leak concentration sensor"))
  ) {
    const most = isPpm ? 3 : 0.3;
    return ({ now }) => round(Math.max(0, (most / 2) * (1 + noiseAt(seed, now.at / 120_000))));
  }
  const isLoop =
    unit === "mA" &&
    !hasWord(words, "leakage residual standby quiescent battery pv solar charge charging load grid l1 l2 l3");
  if (isLoop || (words.includes("4") && words.includes("20"))) {
    const most = unit === "A" ? 0.001 : 1;
    const signal = ({ now }: Conditions) =>
      12 + 7 * noiseAt(seed, now.at / 1_800_000) + 0.1 * noiseAt(seed + 1, now.at / 5_000);
    return (given) => {
      const milliamps = Math.min(Math.max(signal(given), 4), 20);
      return most === 1 ? round(milliamps) : Math.round(milliamps * 1000) / 1_000_000;
    };
  }
  return undefined;
}
