// How often attributes usually get a value, estimated from what is stored. A device that reports every five minutes is not
// stale after one.
import type { Device } from "#core/device/device.ts";
import { columnKind } from "#core/telemetry/aggregation.ts";
import { fineTime } from "#core/time/instant.ts";
import type { Needs } from "#service/ports.ts";
import type { Attribute } from "#service/telemetry/attributes.ts";

const WINDOW_MS = 6 * 3_600_000;
/** A third of the shortest limit: what comes more often than this is never the reason for a longer one. */
const STEP_MS = 10_000;
const REFRESH_MS = 600_000;
const MOST_KNOWN = 10_000;
const LEAST_LIMIT_MS = 30_000;
const INTERVALS_BEFORE_STALE = 3;

export interface UsualIntervals {
  /** An older value of the attribute says nothing about now. `newest` is the time of its newest value. */
  staleAfter(device: Device, attribute: Attribute, newest: number): Promise<number>;
  /** How long it usually is from one value to the next; 0: nobody knows. */
  usual(device: Device, attribute: Attribute, newest: number): Promise<number>;
}

export function createUsualIntervals(needs: Pick<Needs, "telemetry" | "now">): UsualIntervals {
  const known = new Map<string, { readonly ms: number; readonly until: number }>();

  async function estimate(device: Device, attribute: Attribute, newest: number): Promise<number> {
    const item = {
      deviceId: device.id,
      attribute: attribute.id,
      kind: columnKind(attribute.type),
      aggregation: "last",
      granularityMs: STEP_MS,
      lookAroundMs: undefined,
    } as const;
    const range = { from: fineTime(newest - WINDOW_MS), to: fineTime(newest + 1) };
    const times: number[] = [];
    for await (const { piece } of await needs.telemetry.query({ requester: "rules", ...range, items: [item] })) {
      times.push(...piece.times.subarray(0, piece.count));
    }
    return median(times.slice(1).map((at, n) => at - (times[n] ?? at)));
  }

  async function usual(device: Device, attribute: Attribute, newest: number): Promise<number> {
    const key = `${device.id} ${attribute.id}`;
    const now = needs.now();
    let found = known.get(key);
    if (found === undefined || found.until <= now) {
      found = { ms: await estimate(device, attribute, newest), until: now + REFRESH_MS };
      known.delete(key);
      known.set(key, found);
      const [oldest] = known.keys();
      if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
    }
    return found.ms;
  }

  return {
    usual,
    async staleAfter(device, attribute, newest) {
      return Math.max(LEAST_LIMIT_MS, INTERVALS_BEFORE_STALE * (await usual(device, attribute, newest)));
    },
  };
}

/** 0 of an empty list. */
function median(values: readonly number[]): number {
  const middle = values.toSorted((a, b) => a - b).at(Math.floor(values.length / 2));
  return middle ?? 0;
}
