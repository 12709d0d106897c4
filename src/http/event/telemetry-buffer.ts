// What one listener has not been told yet of telemetry: the newest value of each attribute of each device, and no more.
import { seesSite } from "#core/access/caller.ts";
import { allows } from "#core/access/level.ts";
import { type Chosen, chooses } from "#http/event/event-choice-wire.ts";
import type { Snapshot } from "#service/ports/telemetry-store.ts";
import type { Call } from "#service/ports.ts";
import type { TelemetryNews } from "#service/telemetry/telemetry-feed.ts";

/** Values that may wait for one listener. One that reads too slowly for more misses the oldest. */
const MAX_WAITING = 20_000;

export interface PendingTelemetry {
  readonly siteId: string;
  readonly deviceId: string;
  readonly values: ReadonlyMap<string, Snapshot>;
}

interface Waiting {
  readonly siteId: string;
  readonly values: Map<string, Snapshot>;
}

export interface TelemetryBuffer {
  readonly isEmpty: boolean;
  add(news: TelemetryNews): void;
  /** The device that has waited longest; undefined when nothing waits. */
  take(): PendingTelemetry | undefined;
}

export function createTelemetryBuffer(
  { caller }: Pick<Call, "caller">,
  chosen: Chosen,
  maxWaiting = MAX_WAITING,
): TelemetryBuffer {
  const devices = new Map<string, Waiting>();
  let waiting = 0;

  function take(): PendingTelemetry | undefined {
    for (const [deviceId, { siteId, values }] of devices) {
      devices.delete(deviceId);
      waiting -= values.size;
      return { siteId, deviceId, values };
    }
    return undefined;
  }

  return {
    take,
    get isEmpty() {
      return devices.size === 0;
    },
    add({ siteId, deviceId, at, values }) {
      if (!seesSite(caller, siteId) || !chooses(chosen, { kind: "telemetry", siteId, deviceId })) return;
      const device = devices.get(deviceId) ?? { siteId, values: new Map() };
      for (const [{ id, accessLevel }, value] of values) {
        if (!allows(caller.level, accessLevel)) continue;
        const before = device.values.get(id);
        if (before === undefined) waiting++;
        if (before === undefined || at >= before.at) device.values.set(id, { at, value });
      }
      if (device.values.size > 0) devices.set(deviceId, device);
      while (waiting > maxWaiting) take();
    },
  };
}
