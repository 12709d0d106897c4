// Counts wrong tokens per source in fixed windows, so that guessing, and the audit entries it causes, stay cheap.
// Memory is bounded: past `maxSources` the oldest window is forgotten.
import type { Instant } from "#core/time/instant.ts";

const MINUTE_MS = 60_000;

export interface WrongTokenLimit {
  /** Counts a wrong token. Returns the seconds to wait when the source is over the limit, otherwise 0. */
  note(source: string, now: Instant): number;
}

export function createWrongTokenLimit(most: number, { maxSources = 10_000 } = {}): WrongTokenLimit {
  const windows = new Map<string, { count: number; ends: number }>();
  return {
    note(source, now) {
      let window = windows.get(source);
      // One that ends later than a new one is from before the clock was set back.
      if (window === undefined || window.ends <= now || window.ends > now + MINUTE_MS) {
        windows.delete(source);
        if (windows.size >= maxSources) for (const oldest of windows.keys()) if (windows.delete(oldest)) break;
        window = { count: 0, ends: now + MINUTE_MS };
        windows.set(source, window);
      }
      window.count++;
      return window.count > most ? Math.max(1, Math.ceil((window.ends - now) / 1000)) : 0;
    },
  };
}
