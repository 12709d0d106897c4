// Wakes the event streams when something happened. A limited number is woken in each turn of the event loop, and tokens
// take turns: a token with many streams delays only itself, and other calls are answered in between.
import { createFairQueue } from "#core/share/fair-queue.ts";

export interface Sleeper {
  /** The key for taking turns. */
  readonly key: string;
  readonly wake: () => void;
}

export interface WakeQueue {
  /** Wakes it in this turn or a later one; once, however often it is requested before that. */
  wake(sleeper: Sleeper): void;
  /** It no longer wants to be woken. */
  forget(sleeper: Sleeper): void;
}

/** A stream that is woken writes to its socket: 20 to 50 us. */
const PER_TURN = 32;

export function createWakeQueue(perTurn = PER_TURN, nextTurn: (task: () => void) => unknown = setImmediate): WakeQueue {
  const queue = createFairQueue<Sleeper>();
  const queued = new Set<Sleeper>();
  /** How many were woken in this turn; undefined outside a turn. */
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
