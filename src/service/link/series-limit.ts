// How many series (attributes of devices) one gateway may have in its cloud. Values of further ones are left out and
// reported, and the rest is stored. A series that this node remembers costs one look-up; the others are counted only when
// a gateway sends one that the node does not remember.
import type { TelemetryStore } from "#service/ports/telemetry-store.ts";

export interface SeriesLimit {
  /** The attributes among these of which nothing may be stored. The others count from now on. */
  refused(deviceId: string, attributes: readonly string[]): Promise<ReadonlySet<string>>;
}

const NONE: ReadonlySet<string> = new Set();

export function createSeriesLimit(
  telemetry: Pick<TelemetryStore, "latest" | "attributes">,
  { devices, most }: { readonly devices: ReadonlyMap<string, string>; readonly most: number },
): SeriesLimit {
  /** Read when a gateway sends a series that this node does not remember. */
  const known = new Map<string, Set<string>>();
  let count = 0;

  async function learn(deviceId: string): Promise<Set<string>> {
    const asked = known.size === 0 ? [...devices.keys(), deviceId] : [deviceId];
    for (const [id, attributes] of await telemetry.attributes(asked.filter((one) => !known.has(one)))) {
      known.set(id, new Set(attributes));
      count += attributes.length;
    }
    const found = known.get(deviceId) ?? new Set();
    known.set(deviceId, found);
    return found;
  }

  /** Devices that are gone leave room. */
  function hasRoom(): boolean {
    if (count < most) return true;
    for (const [deviceId, attributes] of known) {
      if (devices.has(deviceId)) continue;
      known.delete(deviceId);
      count -= attributes.size;
    }
    return count < most;
  }

  return {
    async refused(deviceId, attributes) {
      const remembered = telemetry.latest(deviceId);
      if (attributes.every((name) => remembered.has(name))) return NONE;
      const own = known.get(deviceId) ?? (await learn(deviceId));
      const refused = new Set<string>();
      for (const name of attributes) {
        if (own.has(name)) continue;
        if (!hasRoom()) refused.add(name);
        else {
          own.add(name);
          count++;
        }
      }
      return refused;
    },
  };
}
