// How long a script may run at a time, by the clock or by the fuel it burns.

/** A script that cannot be suspended gets an error this long after its slice, and is given up after the longer time. */
const GRACE_MS = 40;
const LAST_GRACE_MS = 60;
/**
 * The script must also have done this much work beyond the slice: a thread without a processor is not to blame. A call of
 * the library that looks at each byte of 1 MiB takes 1 million, and 3 million take some 50 ms.
 */
const GRACE_FUEL = 1_000_000;
const LAST_GRACE_FUEL = 3_000_000;
/**
 * A match of a pattern is interrupted this long after the slice, and started again in a form that can be suspended. The
 * work is more than the prelude lets the library do in one call without being prepared for it (`QUICK_STEPS`).
 */
const MATCH_GRACE_MS = 5;
const MATCH_GRACE_FUEL = 150_000;
/** About 0.1 ms: fine enough for slices of a few milliseconds, and too rare to cost anything. */
const FUEL = 10_000;
const FUEL_BEYOND = 1_000;
const HOST_CALL_FUEL = 100;
/** A call that took longer was not given a processor. */
const MAX_CHARGED_MS = 10;
/** What a slow gateway does in a millisecond. */
const FUEL_PER_MS = 50_000;

/**
 * "stop": it should be suspended. "error": it cannot be suspended and gets an error. "give up": not even the error has
 * ended it.
 */
export type Verdict = "on" | "stop" | "error" | "give up";

export interface Slice {
  begin(budgetMs: number): void;
  /** So much of the fuel that was granted has been used up. */
  judge(used: number): Verdict;
  /** Whether one call of C code has gone on for so long that a match of a pattern is interrupted. */
  isMatchTooLong(): boolean;
  /** Lua's own loop has asked: no call of C code is under way. */
  backInLua(): void;
  /** The host has worked for the script, from a time that `used` gave to now. Answers whether the slice is used up. */
  charge(from: number): boolean;
  /** How much is granted now. */
  fuel(): number;
  /** Milliseconds since `begin`. */
  used(): number;
  /** Milliseconds that the work since `begin` takes at least on any gateway, however busy this one is. */
  worked(): number;
}

/** Without a clock time stands still while a script runs, and fuel stands for it. */
export function createSlice(elapsed: (() => number) | undefined): Slice {
  let beganAt = 0;
  let budgetMs = Number.POSITIVE_INFINITY;
  let burnt = 0;
  let burntBeyond = 0;
  /** By C code since Lua's own loop asked last. */
  let burntInC = 0;
  let granted = 0;
  const used = (): number => (elapsed ? elapsed() - beganAt : burnt / FUEL_PER_MS);
  return {
    begin(budget) {
      beganAt = elapsed?.() ?? 0;
      budgetMs = budget;
      burnt = 0;
      burntBeyond = 0;
      burntInC = 0;
    },
    judge(fuel) {
      burnt += fuel;
      const beyond = used() - budgetMs;
      if (beyond < 0) {
        granted = FUEL;
        return "on";
      }
      burntBeyond += fuel;
      burntInC += fuel;
      granted = FUEL_BEYOND;
      if (beyond > LAST_GRACE_MS && burntBeyond > LAST_GRACE_FUEL) return "give up";
      return beyond > GRACE_MS && burntBeyond > GRACE_FUEL ? "error" : "stop";
    },
    isMatchTooLong: () => used() - budgetMs > MATCH_GRACE_MS && burntInC > MATCH_GRACE_FUEL,
    backInLua() {
      burntInC = 0;
    },
    charge(from) {
      burnt += HOST_CALL_FUEL + (elapsed ? Math.min(used() - from, MAX_CHARGED_MS) * FUEL_PER_MS : 0);
      return used() >= budgetMs;
    },
    fuel: () => granted,
    used,
    worked: () => burnt / FUEL_PER_MS,
  };
}
