// Fair use of places: query slots, uploads, webhook attempts, streams, connections, running calls. A limited number may
// be inside at once, in total and per key; waiting keys take turns (fair-queue.ts).
import { createFairQueue } from "./fair-queue.ts";

export interface ShareLimits {
  /** How many may be inside at once, of all keys and of one. */
  readonly slots: number;
  readonly slotsPerKey: number;
  /** How many may wait, in total and per key. With 0, a task that does not get in at once is refused. */
  readonly waiting: number;
  readonly waitingPerKey: number;
  /** What a waiting key earns in a round, in the unit of cost. About the cost of a usual turn. */
  readonly quantum?: number;
}

/** Ends a turn. What it cost is charged to its key; 1 when not given. Further calls do nothing. */
export type Leave = (cost?: number) => void;

export interface FairShare {
  /** A turn at once; undefined when there is no free slot for this key. */
  tryEnter(key: string): Leave | undefined;
  /**
   * A turn at once or when it comes; undefined when no more may wait. An aborted wait rejects with the signal's reason and
   * gives up its place.
   */
  enter(key: string, signal?: AbortSignal): Leave | Promise<Leave> | undefined;
  readonly inside: number;
  readonly waiting: number;
  /** Turns that were refused. */
  readonly refused: number;
  /** How many keys are remembered. */
  readonly keys: number;
}

type Start = (leave: Leave) => void;

export function createFairShare(limits: ShareLimits): FairShare {
  const queue = createFairQueue<Start>(limits.quantum);
  const insideOf = new Map<string, number>();
  let inside = 0;
  let refused = 0;

  /** A waiting task found no room for its key: so a key that has room goes in at once. */
  const hasRoom = (key: string) => inside < limits.slots && (insideOf.get(key) ?? 0) < limits.slotsPerKey;

  function start(key: string): Leave {
    insideOf.set(key, (insideOf.get(key) ?? 0) + 1);
    inside++;
    let isOver = false;
    return (cost = 1) => {
      if (isOver) return;
      isOver = true;
      const left = (insideOf.get(key) ?? 1) - 1;
      if (left === 0) insideOf.delete(key);
      else insideOf.set(key, left);
      inside--;
      queue.charge(key, cost);
      for (let next = queue.shift(hasRoom); next !== undefined; next = queue.shift(hasRoom)) {
        next.task(start(next.key));
      }
    };
  }

  function wait(key: string, signal: AbortSignal | undefined): Promise<Leave> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        if (queue.remove(key, begin)) reject(reasonOf(signal));
      };
      const begin: Start = (leave) => {
        signal?.removeEventListener("abort", giveUp);
        resolve(leave);
      };
      queue.push(key, begin);
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }

  return {
    tryEnter(key) {
      if (hasRoom(key)) return start(key);
      refused++;
      return undefined;
    },
    enter(key, signal) {
      if (signal?.aborted === true) return Promise.reject(reasonOf(signal));
      if (hasRoom(key)) return start(key);
      if (queue.waiting < limits.waiting && queue.waitingOf(key) < limits.waitingPerKey) return wait(key, signal);
      refused++;
      return undefined;
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
    get keys() {
      return new Set(insideOf.keys()).size + queue.keys;
    },
  };
}

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error("the wait was given up");
}
