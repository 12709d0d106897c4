// How much text a device may send. The texts of an hour are stored in one piece: everybody waits while that is done, and
// it takes some six times their size of memory.
import { HOUR_MS } from "#core/time/hour.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Snapshot } from "#service/ports/telemetry-store.ts";

/** Characters of new texts per hour. A text that the attribute already has costs nothing. */
export const MAX_TEXT_PER_HOUR = 8 * 1024 * 1024;

export interface TextBudget {
  /** Returns the attributes whose texts are too much; the others are counted. */
  take(
    deviceId: string,
    values: ReadonlyMap<string, Snapshot["value"]>,
    latest: ReadonlyMap<string, Snapshot>,
  ): readonly string[];
}

/** Counted by the hour of arrival, whatever time a message has. */
export function createTextBudget({ now }: { readonly now: () => Instant }): TextBudget {
  const devices = new Map<string, { hour: number; used: number }>();
  return {
    take(deviceId, values, latest) {
      const tooMuch: string[] = [];
      for (const [id, value] of values) {
        if (typeof value !== "string" || latest.get(id)?.value === value) continue;
        const hour = Math.floor(now() / HOUR_MS);
        let device = devices.get(deviceId);
        if (device?.hour !== hour) {
          device = { hour, used: 0 };
          devices.set(deviceId, device);
        }
        if (device.used + value.length > MAX_TEXT_PER_HOUR) tooMuch.push(id);
        else device.used += value.length;
      }
      return tooMuch;
    },
  };
}
