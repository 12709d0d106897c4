/** Series of which it is known which thread answered last. */
const MOST_HOMES = 10_000;

/** The thread that answered for a series has its finished buckets: among threads that are as busy, it goes first. */
export function createHomes<Thread>() {
  const known = new Map<number, Thread>();
  return {
    of: (series: number | undefined) => (series === undefined ? undefined : known.get(series)),
    note(series: number | undefined, thread: Thread): void {
      if (series === undefined) return;
      if (known.size >= MOST_HOMES) known.clear();
      known.set(series, thread);
    },
  };
}
