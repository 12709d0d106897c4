// When prices are fetched again. It is stored, so that a restart neither forgets a pause nor fetches everything at once.
import { type Instant, instant } from "#core/time/instant.ts";
import type { FetchState } from "./price-source.ts";

const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 6 * 3_600_000;
/** Prices of many sites come from the same server: their fetches spread over a tenth of the time. */
const SPREAD = 0.1;

interface Fetched {
  readonly at: Instant;
  readonly everyMs: number;
  /** Prices in the answer; undefined when it failed. */
  readonly rows: number | undefined;
  readonly error: string | undefined;
}

/** `chance` is from 0 up to 1. A source that fails is never asked more often than one that works. */
export function afterFetch(before: FetchState, { at, everyMs, rows, error }: Fetched, chance: number): FetchState {
  const spread = 1 + chance * SPREAD;
  if (error === undefined) {
    return { ...before, nextAt: instant(at + everyMs * spread), failures: 0, succeededAt: at, rows };
  }
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(before.failures, 20), LONGEST_PAUSE_MS);
  const failures = before.failures + 1;
  return { ...before, nextAt: instant(at + pause * spread), failures, failedAt: at, error };
}

/** A clock that was far ahead may have stored a time that is never reached. */
export const LATEST_NEXT_MS = 8 * 86_400_000;
