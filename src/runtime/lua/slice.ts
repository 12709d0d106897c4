// How long a script may run at a time, by the clock or by counted instructions.

/** By what a slice is measured: milliseconds of the host's clock, or instructions where time does not pass by itself. */
export interface SliceClock {
  /** Undefined: time stands still while a script runs, and instructions stand for it. */
  readonly elapsed: (() => number) | undefined;
  readonly instructionsPerTick: number;
  /** Beyond the slice, where the script cannot be suspended: it gets an error after so many ms, and is given up after the second. */
  readonly graceMs: number;
  readonly lastGraceMs: number;
}

/** Only for virtual time: what a slow gateway does in a millisecond. */
const INSTRUCTIONS_PER_MS = 20_000;

export interface Slice {
  begin(budgetMs: number): void;
  /** Called after every `instructionsPerTick` instructions. */
  tick(): "on" | "yield" | "error" | "give up";
  /** Milliseconds since `begin`. */
  used(): number;
}

export function createSlice(clock: SliceClock): Slice {
  let beganAt = 0;
  let budgetMs = 0;
  let ticks = 0;
  const used = (): number =>
    clock.elapsed ? clock.elapsed() - beganAt : (ticks * clock.instructionsPerTick) / INSTRUCTIONS_PER_MS;
  return {
    begin(budget) {
      beganAt = clock.elapsed?.() ?? 0;
      budgetMs = budget;
      ticks = 0;
    },
    tick() {
      ticks += 1;
      const over = used() - budgetMs;
      if (over < 0) return "on";
      if (over < clock.graceMs) return "yield";
      return over < clock.lastGraceMs ? "error" : "give up";
    },
    used,
  };
}
