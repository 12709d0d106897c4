// The writing side: journal first, then memory, then, in the background and in small steps, segments.
//
// Invariants: a batch is acknowledged after its journal row is durable; a point leaves memory only after the segment that
// holds it is durable; a journal row goes only when all its points are in segments. Applying a batch or a merge twice
// changes nothing, so a crash between any two steps loses nothing and doubles nothing.
import { failpoint } from "#store/failpoint.ts";
import { BatchWriter, readBatch, readDefinitions, type Scalar, type SeriesDefinition } from "./batch.ts";
import { type Column, mergeColumns } from "./column.ts";
import type { HotHour } from "./hot-hour.ts";
import { HOUR_MS, HotStore } from "./hot-store.ts";
import type { Keeper, Latest } from "./keeper.ts";
import { decodeChunk, decodeSegmentTimes, encodeSegment } from "./segment-codec.ts";

export const DAY_MS = 24 * HOUR_MS;

export interface EngineSettings {
  /** An hour is sealed this long after its end: points that come later than that cost a rewrite. */
  readonly graceMs: number;
  /** With more points than this in memory the oldest hours are sealed early. */
  readonly maxHotPoints: number;
}

/** The hot points of one series, one column per hour, in order. */
export interface HotSeries {
  readonly series: number;
  readonly columns: readonly Column[];
}

export class SeriesEngine {
  readonly #keeper: Keeper;
  readonly #settings: EngineSettings;
  readonly #hot = new HotStore();
  readonly #series = new Map<number, SeriesDefinition>();
  readonly #latest = new Map<number, { series: number; at: number; value: Scalar }>();
  readonly #changedLatest = new Set<number>();
  #sequence = 0;

  constructor(keeper: Keeper, settings: EngineSettings) {
    this.#keeper = keeper;
    this.#settings = settings;
    for (const definition of keeper.definitions()) this.#series.set(definition.series, definition);
    for (const latest of keeper.latest()) this.#latest.set(latest.series, { ...latest });
    for (const { sequence, batch } of keeper.journal()) {
      this.#sequence = sequence;
      this.#apply(batch, sequence);
    }
  }

  get hotPoints(): number {
    return this.#hot.points;
  }

  /** The oldest hour with points in memory, in hours since 1970; Infinity when there are none. */
  oldestHour(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const { hour } of this.#hot.all()) oldest = Math.min(oldest, hour);
    return oldest;
  }

  definitions(): readonly SeriesDefinition[] {
    return [...this.#series.values()];
  }

  latest(): readonly Latest[] {
    return [...this.#latest.values()];
  }

  /** Durable when it returns. Several batches share one commit. */
  append(batches: readonly Uint8Array[]): void {
    const first = this.#sequence + 1;
    failpoint("telemetry.before-journal");
    this.#keeper.commit(() => {
      for (const [index, batch] of batches.entries()) {
        readDefinitions(batch, (one) => this.#keeper.define(one));
        this.#keeper.appendJournal(first + index, batch);
      }
    });
    failpoint("telemetry.after-journal");
    for (const [index, batch] of batches.entries()) this.#apply(batch, first + index);
    this.#sequence = first + batches.length - 1;
  }

  /** What is not sealed yet of these series in [from, to). To be taken before sealed chunks are read. */
  snapshot(series: readonly number[], from: number, to: number): readonly HotSeries[] {
    return series.map((id) => {
      const columns: Column[] = [];
      const device = this.#series.get(id)?.device;
      if (device !== undefined) {
        for (const hour of this.#hot.hours(device, from, to)) {
          const column = hour.column(id);
          if (column !== undefined) columns.push(column);
        }
      }
      return { series: id, columns };
    });
  }

  /** Seals one hour that is due; false when none is. `now` is Unix milliseconds. */
  sealOne(now: number): boolean {
    const due = this.#dueHour(now);
    if (due === undefined) return false;
    this.#seal(due);
    return true;
  }

  /** Joins the hours of one device and day; false when none is due. */
  compactOne(now: number): boolean {
    const [due] = this.#keeper.daysToCompact(Math.floor((now - this.#settings.graceMs) / DAY_MS) * DAY_MS - HOUR_MS);
    if (due === undefined) return false;
    const start = due.day * DAY_MS;
    const columns = this.#sealed(due.device, start, start + DAY_MS);
    failpoint("telemetry.before-compaction");
    this.#keeper.commit(() => {
      for (const segment of this.#keeper.segments(due.device, start, start + DAY_MS)) {
        this.#keeper.deleteSegment(due.device, segment.start);
      }
      const { segment, chunks } = encodeSegment({ device: due.device, start, span: DAY_MS }, columns);
      this.#keeper.putSegment(segment, chunks);
    });
    failpoint("telemetry.after-compaction");
    return true;
  }

  /** Seals everything, so that the next start has nothing to replay. */
  sealAll(): void {
    for (const hour of [...this.#hot.all()]) this.#seal(hour);
  }

  deleteDevice(deviceId: string): void {
    const device = [...this.#series.values()].find((one) => one.deviceId === deviceId)?.device;
    if (device === undefined) return;
    const batch = new BatchWriter();
    batch.forget(device);
    this.#keeper.commit(() => {
      this.#keeper.deleteDevice(device);
      // The journal may still hold its points: without this a replay would bring them back.
      this.#keeper.appendJournal(this.#sequence + 1, batch.take());
    });
    this.#sequence++;
    this.#forget(device);
  }

  /** Drops what ended before; gives how many chunks. */
  drop(series: readonly number[], before: number): number {
    let dropped = 0;
    this.#keeper.commit(() => {
      dropped = this.#keeper.dropChunks(series, before);
    });
    return dropped;
  }

  #forget(device: number): void {
    this.#hot.removeDevice(device);
    for (const [series, one] of this.#series) if (one.device === device) this.#latest.delete(series);
  }

  #apply(batch: Uint8Array, sequence: number): void {
    let device = 0;
    let at = 0;
    let hour: HotHour | undefined;
    readBatch(batch, {
      define: (definition) => {
        this.#series.set(definition.series, definition);
      },
      message: (messageDevice, time) => {
        device = messageDevice;
        at = time;
        hour = undefined;
      },
      value: (series, value) => {
        const definition = this.#series.get(series);
        if (definition === undefined) return;
        hour ??= this.#hot.begin(device, at, sequence);
        this.#hot.push(hour, definition, value);
        this.#noteLatest(series, at, value);
      },
      forget: (forgotten) => this.#forget(forgotten),
    });
  }

  #noteLatest(series: number, at: number, value: Scalar): void {
    const latest = this.#latest.get(series);
    if (latest === undefined) this.#latest.set(series, { series, at, value });
    else if (at < latest.at) return;
    else {
      latest.at = at;
      latest.value = value;
    }
    this.#changedLatest.add(series);
  }

  #dueHour(now: number): HotHour | undefined {
    const isFull = this.#hot.points > this.#settings.maxHotPoints;
    const limit = now - this.#settings.graceMs;
    let oldest: HotHour | undefined;
    for (const hour of this.#hot.all()) {
      const isDue = isFull || (hour.hour + 1) * HOUR_MS <= limit;
      if (isDue && (oldest === undefined || hour.hour < oldest.hour)) oldest = hour;
    }
    return oldest;
  }

  #seal(hour: HotHour): void {
    const start = hour.hour * HOUR_MS;
    const [existing] = this.#keeper.segments(hour.device, start, start + HOUR_MS);
    const stretch = { device: hour.device, start: existing?.start ?? start, span: existing?.span ?? HOUR_MS };
    const columns =
      existing === undefined
        ? new Map<number, Column>()
        : this.#sealed(hour.device, existing.start, existing.start + 1);
    for (const [series, hot] of hour.columns()) {
      const before = columns.get(series);
      columns.set(series, before === undefined ? hot : mergeColumns(before, hot));
    }
    const { segment, chunks } = encodeSegment(stretch, columns);
    failpoint("telemetry.before-seal");
    this.#keeper.commit(() => {
      this.#keeper.putSegment(segment, chunks);
      this.#keeper.putLatest([...this.#changedLatest].flatMap((series) => this.#latest.get(series) ?? []));
      this.#keeper.trimJournal(this.#oldestNeeded(hour));
    });
    failpoint("telemetry.after-seal");
    this.#changedLatest.clear();
    this.#hot.remove(hour);
  }

  /** The first journal row that memory still stands on, once `leaving` is sealed. */
  #oldestNeeded(leaving: HotHour): number {
    let oldest = this.#sequence + 1;
    for (const hour of this.#hot.all()) if (hour !== leaving) oldest = Math.min(oldest, hour.firstSequence);
    return oldest;
  }

  /** The sealed columns of a device whose segments touch [from, to). */
  #sealed(device: number, from: number, to: number): Map<number, Column> {
    const columns = new Map<number, Column>();
    for (const segment of this.#keeper.segments(device, from, to)) {
      const times = decodeSegmentTimes(segment);
      for (const chunk of this.#keeper.chunks(device, segment.start)) {
        const kind = this.#series.get(chunk.series)?.kind;
        if (kind === undefined) continue;
        const column = decodeChunk(kind, chunk, { times });
        const before = columns.get(chunk.series);
        columns.set(chunk.series, before === undefined ? column : mergeColumns(before, column));
      }
    }
    return columns;
  }
}
