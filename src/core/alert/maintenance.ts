// Maintenance windows: while one is open, alerts are listed as always, and nobody is notified.
import { type Instant, instant } from "#core/time/instant.ts";
import type { Actor } from "./acknowledgement.ts";

export interface MaintenanceWindow {
  readonly id: string;
  readonly siteId: string;
  /** With everything that is connected through it. Undefined: the whole site. */
  readonly deviceId: string | undefined;
  readonly from: Instant;
  readonly until: Instant;
  readonly reason: string | undefined;
  readonly madeBy: Actor;
  readonly madeAt: Instant;
}

export const LONGEST_REASON = 1_000;
/** Of a site, that are not over. */
export const MOST_WINDOWS = 100;
export const LONGEST_WINDOW_MS = 92 * 86_400_000;
/** How far ahead one may begin. */
export const FARTHEST_WINDOW_MS = 366 * 86_400_000;
/** How long windows that are over are kept. */
export const WINDOWS_KEPT_MS = 90 * 86_400_000;

/**
 * When the silence ends in which the device is now. Windows that follow each other without a gap are one silence. `chain`: the
 * device and those through which it is connected. Undefined: nothing silences it.
 */
export function silencedUntil(
  windows: readonly Pick<MaintenanceWindow, "deviceId" | "from" | "until">[],
  chain: readonly string[],
  now: number,
): Instant | undefined {
  const covering = windows.filter(({ deviceId }) => deviceId === undefined || chain.includes(deviceId));
  let end = now;
  for (const { from, until } of [...covering].sort((a, b) => a.from - b.from)) {
    if (from <= end && until > end) end = until;
  }
  return end > now ? instant(end) : undefined;
}
