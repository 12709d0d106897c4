/** Of each turn of the event loop a part, so that a flood of work does not hold up what else the thread has to answer. */
export interface TurnShare {
  /** Whether there is time left in this turn. */
  hasTime(): boolean;
  /** Calls back in a later turn, in the order of asking and while that one has time. */
  later(task: () => void): void;
}

interface Loop {
  /** Milliseconds on a clock that never jumps. */
  readonly elapsed: () => number;
  readonly nextTurn: (task: () => void) => void;
}

const EVENT_LOOP: Loop = { elapsed: () => performance.now(), nextTurn: setImmediate };

export function createTurnShare(ms: number, { elapsed, nextTurn }: Loop = EVENT_LOOP): TurnShare {
  let waiting: (() => void)[] = [];
  /** When the share was first used in this turn. */
  let begun: number | undefined;

  function begin(): number {
    nextTurn(turn);
    begun = elapsed();
    return begun;
  }

  function turn(): void {
    begun = undefined;
    if (waiting.length === 0) return;
    const tasks = waiting;
    waiting = [];
    const start = begin();
    let done = 0;
    try {
      // One at least, so that the last one comes to its turn too.
      do tasks[done++]?.();
      while (done < tasks.length && elapsed() - start < ms);
    } finally {
      // Also when one of them fails: the others have nobody else who would call them.
      waiting = [...tasks.slice(done), ...waiting];
    }
  }

  return {
    hasTime: () => elapsed() - (begun ?? begin()) < ms,
    later(task) {
      waiting.push(task);
      if (begun === undefined) begin();
    },
  };
}
