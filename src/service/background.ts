/** Supervises work that nobody waits for: failures are reported, and a stop waits for running tasks. */
export interface Background {
  run(name: string, task: () => Promise<void>): void;
  /** Resolves when nothing runs any more. */
  idle(): Promise<void>;
}

export function createBackground(onFailure: (name: string, error: unknown) => void): Background {
  const running = new Set<Promise<void>>();
  return {
    run(name, task) {
      const work = begin(task)
        .catch((error: unknown) => onFailure(name, error))
        .finally(() => running.delete(work));
      running.add(work);
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** A task that throws synchronously fails like any other. */
async function begin(task: () => Promise<void>): Promise<void> {
  await task();
}
