// How many series (attributes of devices) one gateway may have in its cloud, and all gateways together on one node. Values
// of further ones are left out and reported, and the rest is stored. A series that this node remembers costs one look-up;
// the others are counted only when a gateway sends one that the node does not remember.
import type { TelemetryStore } from "#service/ports/telemetry-store.ts";

export interface SeriesLimit {
  /** The attributes among these of which nothing may be stored. The others count from now on. */
  refused(deviceId: string, attributes: readonly string[]): Promise<ReadonlySet<string>>;
  /** Why the last ones were refused. */
  reason(): string;
}

/**
 * A series costs about 0.5 KiB of memory as long as the node runs, besides its open hours. A node has half a million, as
 * many as it keeps current values of, or ten gateways with as many as each may have.
 */
const LEAST_OF_ALL = 500_000;
const GATEWAYS = 10;
/** A gateway with fewer than this part of its limit may have more until the node has twice as many. */
const SMALL = 1 / 10;
/** A longer name counts as several series. */
const NAME_LENGTH = 100;

const NONE: ReadonlySet<string> = new Set();
const weightOf = (name: string) => Math.max(1, Math.ceil(name.length / NAME_LENGTH));

export function createSeriesLimit(
  telemetry: Pick<TelemetryStore, "latest" | "attributes" | "knownSeries">,
  { devices, most }: { readonly devices: ReadonlyMap<string, string>; readonly most: number },
): SeriesLimit {
  /** Read when a gateway sends a series that this node does not remember. */
  const known = new Map<string, Set<string>>();
  let count = 0;
  let reason = "";

  async function learn(deviceId: string): Promise<Set<string>> {
    const asked = known.size === 0 ? [...devices.keys(), deviceId] : [deviceId];
    for (const [id, attributes] of await telemetry.attributes(asked.filter((one) => !known.has(one)))) {
      const own = new Set(attributes);
      known.set(id, own);
      count += weightOfAll(own);
    }
    const found = known.get(deviceId) ?? new Set();
    known.set(deviceId, found);
    return found;
  }

  /** Devices that are gone leave room. */
  function hasRoom(weight: number): boolean {
    if (count + weight <= most) return true;
    for (const [deviceId, attributes] of known) {
      if (devices.has(deviceId)) continue;
      known.delete(deviceId);
      count -= weightOfAll(attributes);
    }
    return count + weight <= most;
  }

  /** `added` are not known to the node yet. */
  function problemOf(name: string, added: number): string | undefined {
    if (!hasRoom(weightOf(name))) return `a gateway may have ${most} series here (link.max_series)`;
    const all = Math.max(LEAST_OF_ALL, GATEWAYS * most);
    const limit = count < SMALL * most ? 2 * all : all;
    if (telemetry.knownSeries() + added < limit) return undefined;
    return `this node has ${limit} series, and takes no further ones (link.max_series)`;
  }

  return {
    async refused(deviceId, attributes) {
      const remembered = telemetry.latest(deviceId);
      if (attributes.every((name) => remembered.has(name))) return NONE;
      const own = known.get(deviceId) ?? (await learn(deviceId));
      const refused = new Set<string>();
      let added = 0;
      for (const name of attributes) {
        if (own.has(name)) continue;
        const problem = problemOf(name, added);
        if (problem !== undefined) {
          reason = problem;
          refused.add(name);
          continue;
        }
        own.add(name);
        count += weightOf(name);
        added++;
      }
      return refused;
    },
    reason: () => reason,
  };
}

function weightOfAll(names: Iterable<string>): number {
  let sum = 0;
  for (const name of names) sum += weightOf(name);
  return sum;
}
