// Telemetry of one side, as simple as possible: points are durable after a moment, and packed as JSON,
// a few in each piece.
import { HOUR_MS } from "#core/time/hour.ts";
import { instant } from "#core/time/instant.ts";
import type { TelemetryPoints, TelemetryStore } from "#service/ports/telemetry-store.ts";
import type { SimClock } from "../sim-clock.ts";
import type { Run } from "./sim-records.ts";

type Point = readonly [at: number, attribute: string, value: number | boolean | string];

const PIECE_POINTS = 2;

/** By device, then by time and attribute. */
export class StoredPoints {
  #devices = new Map<string, Map<string, Point>>();
  /** How many points were added, new ones or not. */
  added = 0;

  add(deviceId: string, [at, attribute, value]: Point): void {
    this.added++;
    const points = this.#devices.get(deviceId) ?? new Map<string, Point>();
    this.#devices.set(deviceId, points.set(`${at} ${attribute}`, [at, attribute, value]));
  }

  of(deviceId: string): ReadonlyMap<string, Point> {
    return this.#devices.get(deviceId) ?? new Map();
  }

  copy(): StoredPoints {
    const copy = new StoredPoints();
    copy.#devices = new Map([...this.#devices].map(([id, points]) => [id, new Map(points)]));
    return copy;
  }
}

export function openSimTelemetry(
  { clock, random, points }: { readonly clock: SimClock; readonly random: () => number; readonly points: StoredPoints },
  run: Run,
): TelemetryStore {
  const store = (task: () => void) =>
    new Promise<void>((resolve) => {
      clock.after(1 + random() * 6, () => {
        if (run.isOver) return;
        task();
        clock.after(random() * 4, () => run.isOver || resolve());
      });
    });
  const append = ({ deviceId, at, values }: TelemetryPoints) => {
    for (const [attribute, value] of values) points.add(deviceId, [at, attribute, value]);
  };
  const used: Pick<
    TelemetryStore,
    "append" | "pack" | "loadPacked" | "attributes" | "knownSeries" | "newestBefore" | "latest" | "deleteDevice"
  > = {
    append: (messages) => store(() => messages.forEach(append)),
    async pack(deviceId, from, to) {
      const inHours = ([at]: Point) => at >= Math.floor(from / HOUR_MS) * HOUR_MS && at < to;
      const packed = [...points.of(deviceId).values()].filter(inHours);
      const pieces = Array.from({ length: Math.ceil(packed.length / PIECE_POINTS) }, (_, place) =>
        packed.slice(place * PIECE_POINTS, (place + 1) * PIECE_POINTS),
      );
      return pieces.map((piece) => new TextEncoder().encode(JSON.stringify(piece)));
    },
    async loadPacked(deviceId, piece) {
      const packed = JSON.parse(new TextDecoder().decode(piece)) as readonly Point[];
      await store(() => {
        for (const point of packed) points.add(deviceId, point);
      });
      return packed.length;
    },
    async newestBefore(deviceId, before) {
      const hours = [...points.of(deviceId).values()].map(([at]) => Math.floor(at / HOUR_MS) * HOUR_MS);
      const newest = hours.filter((at) => at < before).reduce((a, b) => Math.max(a, b), -1);
      return newest < 0 ? undefined : instant(newest);
    },
    knownSeries: () => 0,
    attributes: async (deviceIds) => new Map(deviceIds.map((deviceId) => [deviceId, []])),
    latest: () => new Map(),
    deleteDevice: async () => {},
  };
  return used as TelemetryStore;
}
