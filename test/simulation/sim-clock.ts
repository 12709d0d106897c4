// Time that only moves when asked to. Timers run on the steady clock; the wall clock may be set at will.
import { type Instant, instant } from "#core/time/instant.ts";

interface Due {
  readonly at: number;
  readonly run: () => void;
  isCalledOff: boolean;
}

export class SimClock {
  #elapsed = 0;
  #wallAhead: number;
  /** The latest first, so that the next one is taken from the end. */
  readonly #due: Due[] = [];

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
    const due = { at: this.#elapsed + Math.max(0, Math.ceil(ms)), run, isCalledOff: false };
    let [low, high] = [0, this.#due.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      // Of two at the same time, the one that was set first comes first.
      if ((this.#due[middle]?.at ?? 0) > due.at) low = middle + 1;
      else high = middle;
    }
    this.#due.splice(low, 0, due);
    return () => {
      due.isCalledOff = true;
    };
  }

  /** Runs what is due until then, one after the other, each with everything that follows from it. */
  async runUntil(elapsed: number): Promise<void> {
    await settled();
    for (let next = this.#due.at(-1); next !== undefined && next.at <= elapsed; next = this.#due.at(-1)) {
      this.#due.pop();
      if (next.isCalledOff) continue;
      this.#elapsed = next.at;
      next.run();
      await drained();
    }
    this.#elapsed = elapsed;
  }
}

/** Everything that is under way comes to rest: nothing here waits for anything but simulated time. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * As `settled`, without a turn of the event loop, which costs ten times more. For callers that run as a promise job: a tick
 * that such a job asks for comes after all promise jobs, also those that are added meanwhile.
 */
function drained(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
