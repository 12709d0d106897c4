// The time of a message, which is that of the device or, if it sends none, the time of arrival.
import type { ClockWatch } from "#core/time/clock-watch.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { Needs } from "#service/ports.ts";

/** A device clock further ahead than this is wrong. */
const MAX_AHEAD_MS = 24 * 3_600_000;
/** Messages without a time get one. It runs ahead of the clock by at most this much, however many come. */
const MAX_RUN_AHEAD_MS = 60_000;
const MINUTE_MS = 60_000;

interface TimeNeeds extends Pick<Needs, "telemetry"> {
  readonly clock: Pick<ClockWatch, "latest">;
}

export function createMessageTimes(needs: TimeNeeds) {
  /** The time given to the device's last message without one. */
  const arrivals = new Map<string, number>();

  /**
   * The time of a message without one. It is a whole second, because a device that wants a fraction sends one; if that
   * second is taken, a free moment after it, so that no point hides another. It follows the clock wherever it is set.
   */
  function arrival(deviceId: string, now: number): Instant {
    const second = Math.floor(now / 1000) * 1000;
    const known = arrivals.get(deviceId) ?? 0;
    const last = known > now + MAX_RUN_AHEAD_MS ? 0 : known;
    // After the clock was set back the same seconds come once more, and most points lie on whole seconds.
    const isRepeated = needs.clock.latest() > now + MINUTE_MS;
    const isTaken =
      isRepeated ||
      last >= second ||
      [...needs.telemetry.latest(deviceId).values()].some((snapshot) => snapshot.at >= second);
    let at = isTaken ? Math.max(now, last + 1) : second;
    if (isRepeated && at % 1000 === 0) at++;
    arrivals.set(deviceId, at);
    return instant(at);
  }

  /** No clock that might be right can show such a late time. */
  function isTooFarAhead(at: number, now: number): boolean {
    return at > now + MAX_AHEAD_MS && at > needs.clock.latest() + MAX_AHEAD_MS;
  }

  return { arrival, isTooFarAhead };
}
