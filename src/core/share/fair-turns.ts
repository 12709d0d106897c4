// Fair use of the main thread: work gets a part of each turn of the event loop, so that a flood of it delays nothing
// else for longer. Work that does not fit into a turn waits for the next ones. Its keys take turns (fair-queue.ts), and
// each is charged the time that it really took.
import { createFairQueue } from "./fair-queue.ts";

export interface FairTurns {
  /** Whether there is time left in this turn: for a running task, and for others while nobody waits. */
  hasTime(): boolean;
  /** Serves the task in a later turn. False when no more may wait. A task takes one place, a large one several. */
  later(key: string, task: () => void, places?: number): boolean;
  /** 1 while a task is served. */
  readonly inside: number;
  readonly waiting: number;
  readonly refused: number;
}

export interface TurnLimits {
  /** Milliseconds of a turn while nobody waits. */
  readonly ms: number;
  /** Milliseconds of a turn for those that wait; the task that goes past it is the last one. The shorter, the sooner others are heard. */
  readonly servingMs: number;
  /** Places of those that wait, of all keys and of one. */
  readonly waiting: number;
  readonly waitingPerKey: number;
}

export interface EventLoop {
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
  /** Calls back in the next turn, once other events were looked after. */
  readonly nextTurn: (task: () => void) => void;
  /** Calls back in this turn, once what was begun has gone as far as it goes without waiting for anything from outside. */
  readonly settled: (task: () => void) => void;
}

interface Task {
  readonly run: () => void;
  readonly places: number;
}

/** In milliseconds: about a usual task. */
const QUANTUM = 0.2;

export function createFairTurns(limits: TurnLimits, { elapsed, nextTurn, settled }: EventLoop): FairTurns {
  const queue = createFairQueue<Task>(QUANTUM);
  const placesOf = new Map<string, number>();
  let places = 0;
  let inside = 0;
  let refused = 0;
  /** When the share was first used in this turn. */
  let begun: number | undefined;

  function begin(): number {
    nextTurn(turn);
    begun = elapsed();
    return begun;
  }

  function turn(): void {
    begun = undefined;
    // One at least, so that the last one comes to its turn too.
    if (queue.waiting > 0) serveFrom(begin());
  }

  /** The next task begins when the one before has settled: only then it is known what that one cost. */
  function serveFrom(start: number): void {
    const next = queue.shift();
    if (next === undefined) return;
    const { key, task } = next;
    free(key, task.places);
    const from = elapsed();
    inside = 1;
    try {
      task.run();
    } finally {
      // Also after a failure: nothing else would call the others.
      settled(() => {
        inside = 0;
        const now = elapsed();
        queue.charge(key, now - from);
        if (now - start < limits.servingMs) serveFrom(start);
      });
    }
  }

  function free(key: string, count: number): void {
    places -= count;
    const left = (placesOf.get(key) ?? 0) - count;
    if (left <= 0) placesOf.delete(key);
    else placesOf.set(key, left);
  }

  return {
    hasTime: () => inside > 0 || (queue.waiting === 0 && elapsed() - (begun ?? begin()) < limits.ms),
    later(key, run, count = 1) {
      const ofKey = (placesOf.get(key) ?? 0) + count;
      if (places + count > limits.waiting || ofKey > limits.waitingPerKey) {
        refused++;
        return false;
      }
      places += count;
      placesOf.set(key, ofKey);
      queue.push(key, { run, places: count });
      if (begun === undefined) begin();
      return true;
    },
    get inside() {
      return inside;
    },
    get waiting() {
      return queue.waiting;
    },
    get refused() {
      return refused;
    },
  };
}
