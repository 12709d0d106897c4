// The HTTP thread's end of the points that are held back. Points that come during a commit share the next one.
import { instant } from "#core/time/instant.ts";
import type { TelemetryPoints } from "#service/ports/telemetry-store.ts";
import type { HeldPoints, HeldRow } from "./held-store.ts";

interface HeldBackNeeds {
  readonly hold: (points: readonly HeldPoints[]) => Promise<void>;
  /** Returns the first points whose time is right now, after the clock was set by this much. */
  readonly releasable: (byMs: number) => Promise<readonly HeldRow[]>;
  readonly forgetHeld: (rows: readonly HeldRow[]) => Promise<void>;
  readonly append: (messages: readonly TelemetryPoints[]) => Promise<void>;
}

/** Beyond this many points that wait for the disk, the rest is dropped: they were refused anyway. */
const MAX_WAITING = 10_000;

export function createHeldBack({ hold, releasable, forgetHeld, append }: HeldBackNeeds) {
  let waiting: HeldPoints[] = [];
  let underWay: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function flush(): Promise<void> {
    const points = waiting;
    waiting = [];
    next = undefined;
    underWay = hold(points).finally(() => {
      underWay = undefined;
    });
    return underWay;
  }

  return {
    holdBack({ deviceId, at, values }: TelemetryPoints, arrivedAt: number): Promise<void> {
      if (waiting.length >= MAX_WAITING) return Promise.resolve();
      waiting.push({ deviceId, at, arrivedAt, values: JSON.stringify([...values]) });
      next ??= (underWay ?? Promise.resolve()).then(flush, flush);
      return next;
    },
    /**
     * Points are durable in their final place before they leave this one. A crash in between writes them twice, which
     * changes nothing.
     */
    async release(byMs: number): Promise<ReadonlySet<string>> {
      const devices = new Set<string>();
      for (let step = byMs; ; step = 0) {
        const rows = await releasable(step);
        if (rows.length === 0) return devices;
        await append(rows.map(readHeld));
        await forgetHeld(rows);
        for (const { deviceId } of rows) devices.add(deviceId);
      }
    },
  };
}

function readHeld({ deviceId, at, values }: HeldRow): TelemetryPoints {
  return { deviceId, at: instant(at), values: new Map(JSON.parse(values) as [string, number | boolean | string][]) };
}
