// Something happened, and every stream wants to tell it. So many do so in a turn of the event loop, the rest in later ones, by
// turns of their tokens: a token with many streams waits for itself, and other calls are answered between.
import { createFairQueue } from "#core/share/fair-queue.ts";

export interface Sleeper {
  /** Whose turn it is. */
  readonly key: string;
  readonly wake: () => void;
}

export interface WakeQueue {
  /** Wakes it in this turn or a later one; once, however often it is asked for before. */
  wake(sleeper: Sleeper): void;
  /** It does not want to be woken any more. */
  forget(sleeper: Sleeper): void;
}

/** A stream that is woken writes to its socket: 20 to 50 us. */
const PER_TURN = 32;

export function createWakeQueue(perTurn = PER_TURN, nextTurn: (task: () => void) => unknown = setImmediate): WakeQueue {
  const queue = createFairQueue<Sleeper>();
  const queued = new Set<Sleeper>();
  /** How many were woken in this turn; undefined while nobody is. */
  let woken: number | undefined;

  function turn(): void {
    woken = undefined;
    while (queue.waiting > 0 && (woken ?? 0) < perTurn) {
      const next = queue.shift();
      if (next === undefined) return;
      queued.delete(next.task);
      queue.charge(next.key, 1);
      wakeNow(next.task);
    }
  }

  function wakeNow(sleeper: Sleeper): void {
    if (woken === undefined) nextTurn(turn);
    woken = (woken ?? 0) + 1;
    sleeper.wake();
  }

  return {
    wake(sleeper) {
      if (queued.has(sleeper)) return;
      if ((woken ?? 0) < perTurn && queue.waiting === 0) return wakeNow(sleeper);
      queued.add(sleeper);
      queue.push(sleeper.key, sleeper);
    },
    forget(sleeper) {
      if (queued.delete(sleeper)) queue.remove(sleeper.key, sleeper);
    },
  };
}
