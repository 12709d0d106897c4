import { instant } from "#core/time/instant.ts";
import type { AttemptCount, AttemptStore } from "#service/ports/attempt-store.ts";

/** Attempts to sign in, in memory. */
export function createFakeAttempts(): AttemptStore & { readonly writes: () => number } {
  const windows = new Map<string, AttemptCount>();
  let writes = 0;
  return {
    writes: () => writes,
    async note(attempts, now) {
      writes++;
      const counts: AttemptCount[] = [];
      for (const { source, most, windowMs } of attempts) {
        const known = windows.get(source);
        const isOpen = known !== undefined && known.endsAt > now && known.endsAt <= now + windowMs;
        const counted = isOpen ? { ...known, count: known.count + 1 } : { count: 1, endsAt: instant(now + windowMs) };
        windows.set(source, counted);
        counts.push(counted);
        if (counted.count > most) break;
      }
      return counts;
    },
    async forgive(sources) {
      writes++;
      for (const source of sources) {
        const known = windows.get(source);
        if (known !== undefined && known.count > 0) windows.set(source, { ...known, count: known.count - 1 });
      }
    },
    async prune({ now, most }) {
      const all = [...windows].sort(([, a], [, b]) => b.endsAt - a.endsAt);
      const gone = all.filter(([, { endsAt }], index) => endsAt <= now || index >= most);
      for (const [source] of gone) windows.delete(source);
      return gone.length;
    },
  };
}
