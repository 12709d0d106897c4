/** A live value that is older than this many ms says little about now. */
export const STALE_AFTER = 300_000;

export function isStale(at: number, now: number): boolean {
  return now - at > STALE_AFTER;
}
