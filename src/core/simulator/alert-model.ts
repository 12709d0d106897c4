// When a device raises its alerts on its own: each now and then, long enough for some to outlast their grace period.

import { MAX_ALERT_ID_LENGTH } from "#core/alert/alert-limits.ts";
import type { Alert } from "#core/blueprint/blueprint.ts";
import { toMilliseconds } from "#core/time/duration.ts";
import { seedOf, shareAt } from "./noise.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** About how often one alert comes. */
const EVERY: Readonly<Record<Alert["severity"], number>> = { info: 8 * HOUR, warning: 16 * HOUR, error: 72 * HOUR };
/** A device with many alerts has each of them less often. */
const FEW = 4;
const LONGEST_GRACE = HOUR;

/** Whether the alert is active at that moment, in simulated Unix milliseconds. */
export type AlertModel = (at: number) => boolean;

export function alertModel(alert: Alert, deviceSeed: number, alertCount: number): AlertModel {
  if (alert.id.length > MAX_ALERT_ID_LENGTH) return () => false;
  const seed = seedOf(deviceSeed, alert.id);
  const every = EVERY[alert.severity] * Math.max(1, alertCount / FEW);
  const grace = Math.min(toMilliseconds(alert.gracePeriod), LONGEST_GRACE);
  return (at) => {
    // One spell in each stretch of time; it ends before the stretch does.
    const stretch = Math.floor(at / every);
    const lasts = 2 * MINUTE + shareAt(seed, stretch) * (8 * MINUTE + 2 * grace);
    const begins = stretch * every + shareAt(seed + 1, stretch) * (every - lasts);
    return at >= begins && at < begins + lasts;
  };
}
