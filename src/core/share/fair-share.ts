// Fair use of something scarce: time on the main thread, query slots, uploads, webhook attempts, streams, connections.
// Each key (a token, a site, an address) has a balance. A turn costs what it used; whoever waits earns a quantum a round, and
// a key whose balance is positive goes next. So a greedy key waits for itself and not for others.

export interface ShareLimits {
  /** How many may be inside at once, of all keys and of one. */
  readonly slots: number;
  readonly slotsPerKey: number;
  /** How many may wait, of all keys and of one. 0: whoever does not get in at once is refused. */
  readonly waiting: number;
  readonly waitingPerKey: number;
  /** What a waiting key earns in a round, in the unit of cost. About the cost of a usual turn. */
  readonly quantum?: number;
}

/** Ends a turn. What it cost is charged to its key; 1 when not given. Further calls do nothing. */
export type Leave = (cost?: number) => void;

export interface FairShare {
  /** A turn at once; undefined when there is no free slot for this key, or others wait for one. */
  tryEnter(key: string): Leave | undefined;
  /**
   * A turn at once or when it comes; undefined when no more may wait. An aborted wait rejects with the signal's reason and
   * gives up its place.
   */
  enter(key: string, signal?: AbortSignal): Leave | Promise<Leave> | undefined;
  readonly inside: number;
  readonly waiting: number;
  /** Turns that were refused because too many waited. */
  readonly refused: number;
  /** How many keys are remembered. */
  readonly keys: number;
}

interface Queue {
  readonly tasks: Set<Waiter>;
  inside: number;
  balance: number;
}

interface Waiter {
  readonly start: (leave: Leave) => void;
}

export function createFairShare(limits: ShareLimits): FairShare {
  const quantum = limits.quantum ?? 1;
  /** Every key that is inside, waits, or owes something while others wait. */
  const queues = new Map<string, Queue>();
  /** Keys with waiting tasks, the one that is next in turn first. */
  const order = new Set<string>();
  let inside = 0;
  let waiting = 0;
  let refused = 0;

  const queueOf = (key: string): Queue => {
    let queue = queues.get(key);
    if (queue === undefined) {
      queue = { tasks: new Set(), inside: 0, balance: quantum };
      queues.set(key, queue);
    }
    return queue;
  };
  const hasRoom = (queue: Queue | undefined) => inside < limits.slots && (queue?.inside ?? 0) < limits.slotsPerKey;

  function start(key: string): Leave {
    const queue = queueOf(key);
    queue.inside++;
    inside++;
    let isOver = false;
    return (cost = 1) => {
      if (isOver) return;
      isOver = true;
      queue.inside--;
      inside--;
      queue.balance -= cost;
      startNext();
      forget(key, queue);
    };
  }

  /** Debts count among those that wait. When nobody does, everybody starts anew. */
  function forget(key: string, queue: Queue): void {
    if (waiting > 0) return;
    if (queue.inside === 0) queues.delete(key);
    for (const [other, { inside: count }] of queues.size > 1_000 ? queues : []) if (count === 0) queues.delete(other);
  }

  function startNext(): void {
    while (waiting > 0) {
      const next = nextKey();
      if (next === undefined) return;
      const queue = queueOf(next);
      const [task] = queue.tasks;
      // At the back of the line, if more of it wait.
      order.delete(next);
      if (task === undefined) continue;
      queue.tasks.delete(task);
      waiting--;
      if (queue.tasks.size > 0) order.add(next);
      task.start(start(next));
    }
  }

  /** The first key in turn that may go in and has a positive balance; as many rounds of earning as that takes. */
  function nextKey(): string | undefined {
    let fewestRounds = Number.POSITIVE_INFINITY;
    for (const key of order) {
      const queue = queueOf(key);
      if (!hasRoom(queue)) continue;
      if (queue.balance > 0) return key;
      fewestRounds = Math.min(fewestRounds, Math.floor(-queue.balance / quantum) + 1);
    }
    if (fewestRounds === Number.POSITIVE_INFINITY) return undefined;
    for (const key of order) queueOf(key).balance += fewestRounds * quantum;
    return nextKey();
  }

  function tryEnter(key: string): Leave | undefined {
    return waiting === 0 && hasRoom(queues.get(key)) ? start(key) : undefined;
  }

  function wait(key: string, signal: AbortSignal | undefined): Promise<Leave> {
    const queue = queueOf(key);
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        queue.tasks.delete(waiter);
        waiting--;
        if (queue.tasks.size === 0) order.delete(key);
        forget(key, queue);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        start(leave) {
          signal?.removeEventListener("abort", giveUp);
          resolve(leave);
        },
      };
      queue.tasks.add(waiter);
      order.add(key);
      waiting++;
      signal?.addEventListener("abort", giveUp, { once: true });
      // Others may wait only because their own keys have too many inside.
      startNext();
    });
  }

  return {
    tryEnter,
    enter(key, signal) {
      const entered = tryEnter(key);
      if (entered !== undefined) return entered;
      if (signal?.aborted === true) return Promise.reject(signal.reason);
      const isFull = waiting >= limits.waiting || (queues.get(key)?.tasks.size ?? 0) >= limits.waitingPerKey;
      if (!isFull) return wait(key, signal);
      refused++;
      return undefined;
    },
    get inside() {
      return inside;
    },
    get waiting() {
      return waiting;
    },
    get refused() {
      return refused;
    },
    get keys() {
      return queues.size;
    },
  };
}
