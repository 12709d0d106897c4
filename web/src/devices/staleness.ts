import type { Connectivity } from "#web/data/device-state.svelte.ts";

/** A live value that is older than this many ms says little about now. */
export const STALE_AFTER = 300_000;

function isStale(at: number, now: number): boolean {
  return now - at > STALE_AFTER;
}

/**
 * Whether a value says something about now: it is young, and its device is there. Of a device that is away, or behind a
 * gateway that is away, even the youngest value is only the last one.
 */
export function isCurrent(connectivity: Connectivity, at: number, now: number): boolean {
  return connectivity === "ONLINE" && !isStale(at, now);
}
