// Time that only moves when told to. Timers run on the steady clock; the wall clock may be set at will.
import { type Instant, instant } from "#core/time/instant.ts";

interface Due {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

export class SimClock {
  #elapsed = 0;
  #wallAhead: number;
  #order = 0;
  readonly #due = new Set<Due>();

  constructor(start: number) {
    this.#wallAhead = start;
  }

  /** Milliseconds on the steady clock. */
  get elapsed(): number {
    return this.#elapsed;
  }

  now(): Instant {
    return instant(this.#elapsed + this.#wallAhead);
  }

  /** Sets the wall clock forward or back. */
  jump(ms: number): void {
    this.#wallAhead += ms;
  }

  after(ms: number, run: () => void): () => void {
    const due = { at: this.#elapsed + Math.max(0, Math.ceil(ms)), order: this.#order++, run };
    this.#due.add(due);
    return () => this.#due.delete(due);
  }

  /** Runs what is due until then, one after the other, each with everything that follows from it. */
  async runUntil(elapsed: number): Promise<void> {
    await settled();
    for (let next = this.#next(); next !== undefined && next.at <= elapsed; next = this.#next()) {
      this.#due.delete(next);
      this.#elapsed = next.at;
      next.run();
      await settled();
    }
    this.#elapsed = elapsed;
  }

  #next(): Due | undefined {
    let first: Due | undefined;
    for (const due of this.#due) {
      if (first === undefined || due.at < first.at || (due.at === first.at && due.order < first.order)) first = due;
    }
    return first;
  }
}

/** Everything that is under way comes to rest: nothing here waits for anything but simulated time. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
