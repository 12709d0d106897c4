/** Supervises work that nobody waits for: failures are reported, and a stop waits for running tasks. */
export interface Background {
  run(name: string, task: () => Promise<void>): void;
  /** Resolves when nothing runs any more. */
  idle(): Promise<void>;
}

export function createBackground(onFailure: (name: string, error: unknown) => void): Background {
  const running = new Set<Promise<void>>();
  /** A task that throws synchronously fails like any other. */
  async function supervise(name: string, task: () => Promise<void>): Promise<void> {
    try {
      await task();
    } catch (error) {
      onFailure(name, error);
    }
  }
  return {
    run(name, task) {
      const work = supervise(name, task);
      const leave = () => void running.delete(work);
      running.add(work);
      void work.then(leave);
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
