// How much text a device may send. The texts of an hour are stored in one piece, and while that is done everybody waits.
import type { Instant } from "#core/time/instant.ts";
import type { Snapshot } from "#service/ports/telemetry-store.ts";

/** Characters of new texts in an hour. A text that an attribute has already costs nothing. */
export const MAX_TEXT_PER_HOUR = 16 * 1024 * 1024;
const HOUR_MS = 3_600_000;

export interface TextBudget {
  /** The attributes whose texts are too much; the others are counted. */
  take(
    deviceId: string,
    values: ReadonlyMap<string, Snapshot["value"]>,
    latest: ReadonlyMap<string, Snapshot>,
  ): readonly string[];
}

/** By the hour of the arrival, whatever time a message has. */
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
