/** At most this many by key; the least recently used one is closed for a new one. */
export function createConnectionCache<T extends { close(): void }>(room: number) {
  const kept = new Map<string, T>();
  return {
    get(key: string, make: () => T): T {
      const found = kept.get(key) ?? make();
      kept.delete(key);
      kept.set(key, found);
      const [oldest] = kept;
      if (kept.size > room && oldest !== undefined) {
        kept.delete(oldest[0]);
        oldest[1].close();
      }
      return found;
    },
    close() {
      for (const one of kept.values()) one.close();
      kept.clear();
    },
  };
}
