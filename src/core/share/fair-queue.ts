// Decides whose turn is next: deficit round robin. Each key (a token, a site, an address, a device) has a balance. A
// turn costs what it used, and a key has turns while its balance is positive. When no waiting key has a positive
// balance, each waiting key earns a quantum per round. So a greedy key delays only itself.

/** Each task is an object of its own. */
export interface FairQueue<Task extends object> {
  /** Last among the tasks of its key. */
  push(key: string, task: Task): void;
  /** Takes the next task of those keys that may go now. */
  shift(mayGo?: (key: string) => boolean): { readonly key: string; readonly task: Task } | undefined;
  /** Takes out a task that does not want its turn any more. False when it is not in the queue. */
  remove(key: string, task: Task): boolean;
  /** What a turn cost, in the unit of the quantum. */
  charge(key: string, cost: number): void;
  /** How many tasks of the key wait. */
  waitingOf(key: string): number;
  readonly waiting: number;
  /** How many keys are remembered. */
  readonly keys: number;
}

/** Debts of keys that do not wait are kept for this many keys; beyond that they are forgotten. */
const MAX_DEBTS = 10_000;

/** `quantum` is about what a usual turn costs. */
export function createFairQueue<Task extends object>(quantum = 1): FairQueue<Task> {
  /** Keys with waiting tasks, the one that is next in turn first. */
  const queues = new Map<string, Set<Task>>();
  /** Balances of keys that were charged while somebody waited. Others have a quantum. */
  const balances = new Map<string, number>();
  let waiting = 0;

  const balanceOf = (key: string) => balances.get(key) ?? quantum;

  function removeTask(key: string, tasks: Set<Task>, task: Task): void {
    tasks.delete(task);
    waiting--;
    if (tasks.size === 0) queues.delete(key);
    // Debts count among waiting keys. When nobody waits, everybody starts at zero again.
    if (waiting === 0) balances.clear();
  }

  function nextKey(mayGo: (key: string) => boolean): string | undefined {
    let fewestRounds = Number.POSITIVE_INFINITY;
    let first: string | undefined;
    for (const key of queues.keys()) {
      if (!mayGo(key)) continue;
      const rounds = Math.floor(-balanceOf(key) / quantum) + 1;
      if (rounds <= 0) return key;
      if (rounds >= fewestRounds) continue;
      fewestRounds = rounds;
      first = key;
    }
    if (first !== undefined) earn(fewestRounds);
    return first;
  }

  /** Nobody saves more than a quantum, also one whose key may not go for long. */
  function earn(rounds: number): void {
    for (const key of queues.keys()) {
      const balance = balances.get(key);
      if (balance !== undefined) balances.set(key, Math.min(quantum, balance + rounds * quantum));
    }
  }

  return {
    push(key, task) {
      const tasks = queues.get(key);
      if (tasks === undefined) queues.set(key, new Set([task]));
      else tasks.add(task);
      waiting++;
    },
    shift(mayGo = () => true) {
      const key = nextKey(mayGo);
      const tasks = key === undefined ? undefined : queues.get(key);
      if (key === undefined || tasks === undefined) return undefined;
      const [task] = tasks;
      if (task === undefined) return undefined;
      removeTask(key, tasks, task);
      // To the back of the line, if more of it wait.
      if (tasks.size > 0) {
        queues.delete(key);
        queues.set(key, tasks);
      }
      return { key, task };
    },
    remove(key, task) {
      const tasks = queues.get(key);
      if (tasks?.has(task) !== true) return false;
      removeTask(key, tasks, task);
      return true;
    },
    charge(key, cost) {
      if (waiting === 0) return;
      balances.set(key, balanceOf(key) - cost);
      if (balances.size > MAX_DEBTS)
        for (const other of balances.keys()) if (!queues.has(other)) balances.delete(other);
    },
    waitingOf: (key) => queues.get(key)?.size ?? 0,
    get waiting() {
      return waiting;
    },
    get keys() {
      return new Set([...queues.keys(), ...balances.keys()]).size;
    },
  };
}
