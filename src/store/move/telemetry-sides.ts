// Stored telemetry as a move sees it: devices by their ids, and whole segments. Numbers of devices and series differ from
// store to store; what is in the segments does not.
import type { SeriesDefinition } from "#store/series/batch.ts";
import type { Latest, StoredSegment, Stretch } from "#store/series/chunk.ts";
import type { ChunkStore, OnDamaged } from "#store/series/chunk-store.ts";
import { partitionOf, type SharedStore } from "#store/series/shared-store.ts";

export interface TelemetrySide {
  /** The ids of devices with telemetry after this one, in order; a page of them. */
  devices(after: string): Promise<readonly string[]>;
  series(deviceId: string): Promise<readonly SeriesDefinition[]>;
  /** The same series here; new ones are defined. */
  define(series: readonly SeriesDefinition[]): Promise<readonly SeriesDefinition[]>;
  stretches(device: number): Promise<readonly Stretch[]>;
  read(stretch: Stretch): Promise<readonly StoredSegment[]>;
  latest(device: number): Promise<readonly Latest[]>;
  put(device: number, segments: readonly StoredSegment[], latest: readonly Latest[]): Promise<void>;
}

const PAGE = 1_000;
const EVER = 8.64e15;

/** Everything in it is sealed. */
export async function ownSide(store: ChunkStore, onDamaged: OnDamaged): Promise<TelemetrySide> {
  const known = new Map<string, SeriesDefinition[]>();
  const learn = (one: SeriesDefinition) => {
    const own = known.get(one.deviceId);
    if (own === undefined) known.set(one.deviceId, [one]);
    else own.push(one);
  };
  for (const one of await store.definitions(onDamaged)) learn(one);
  const latest = new Map((await store.latest(onDamaged)).map((one) => [one.series, one]));
  return {
    devices: async (after) =>
      [...known.keys()]
        .filter((id) => id > after)
        .toSorted((a, b) => (a < b ? -1 : 1))
        .slice(0, PAGE),
    series: async (deviceId) => known.get(deviceId) ?? [],
    async define(series) {
      const isKnown = ({ deviceId, attribute, kind }: SeriesDefinition) =>
        known.get(deviceId)?.some((one) => one.attribute === attribute && one.kind === kind) === true;
      const definitions = series.filter((one) => !isKnown(one));
      await store.commit({ definitions });
      for (const one of definitions) learn(one);
      return series.map((one) => known.get(one.deviceId)?.find((own) => isSame(own, one)) ?? one);
    },
    stretches: async (device) => store.findSegments(device, -EVER, EVER),
    read: async ({ device, start }) => store.readSegments(device, start, start + 1),
    async latest(device) {
      const own = [...known.values()].find(([first]) => first?.device === device) ?? [];
      return own.flatMap(({ series }) => latest.get(series) ?? []);
    },
    async put(_, segments, values) {
      await store.commit({ segments, latest: values });
      for (const one of values) latest.set(one.series, one);
    },
  };
}

export function sharedSide(store: SharedStore, onDamaged: OnDamaged): TelemetrySide {
  return {
    devices: (after) => store.deviceIds(after, PAGE),
    series: (deviceId) => store.seriesOf([deviceId]),
    define: (series) => store.define(series),
    stretches: async (device) => store.findSegments(device, -EVER, EVER),
    read: async ({ device, start }) => store.readSegments(device, start, start + 1),
    latest: (device) => store.latest(device, onDamaged),
    async put(device, segments, latest) {
      const values = latest.map((one) => ({ ...one, device }));
      await store.commit(partitionOf(device), undefined, { segments, latest: { values, now: Date.now() } });
    },
  };
}

function isSame(one: SeriesDefinition, other: SeriesDefinition): boolean {
  return one.deviceId === other.deviceId && one.attribute === other.attribute && one.kind === other.kind;
}
