// The writing side: a point goes first into the journal, then into memory, and later, in small background steps, into
// segments.
//
// Invariants: a batch is acknowledged after its journal row is durable; a point leaves memory only after the segment that
// holds it is durable; a journal row goes only when all its points are in segments. Applying a batch or a merge twice
// changes nothing, so a crash between any two steps loses nothing and doubles nothing.
import { failpoint } from "#store/failpoint.ts";
import { KnownTexts } from "#tuning/known-texts.ts";
import { type BatchReader, BatchWriter, readBatch, readDefinitions, type SeriesDefinition } from "./batch.ts";
import { DamagedPiece, type StoredPlace } from "./checksum.ts";
import type { ChunkStore, Latest } from "./chunk-store.ts";
import { type Column, sortColumn } from "./column.ts";
import type { HotHour } from "./hot-hour.ts";
import { HOUR_MS, HotStore } from "./hot-store.ts";
import { LatestValues, lastOf } from "./latest-values.ts";
import { type Load, planLoad } from "./plan-load.ts";
import { DAY_MS, SealedSegments } from "./sealed-segments.ts";

/** Chunks that one step drops. Small, because an acknowledgement may have to wait for the step. */
const DROP_CHUNKS = 500;

export interface EngineSettings {
  /** An hour is sealed this long after its end: later points cost a rewrite. */
  readonly graceMs: number;
  /** With more points than this in memory the oldest hours are sealed early. */
  readonly maxHotPoints: number;
  /** Deletes the parts of the journal that were damaged before this start, and no longer reports them. */
  readonly forgetDamaged?: boolean;
}

/** The hot points of one series, one column per hour, in order. */
export interface HotSeries {
  readonly series: number;
  readonly columns: readonly Column[];
}

export class SeriesEngine {
  readonly #store: ChunkStore;
  readonly #settings: EngineSettings;
  readonly #hot = new HotStore();
  readonly #series = new Map<number, SeriesDefinition>();
  readonly #latest: LatestValues;
  readonly #sealed: SealedSegments;
  /**
   * Hours that are sealed but still in the journal, by `device/hour`, with the newest journal row that has points of
   * theirs.
   */
  readonly #journaled = new Map<string, number>();
  readonly #texts = new KnownTexts();
  readonly #onDamaged: (place: StoredPlace) => void;
  #sequence = 0;

  /** Reports damaged rows and sets them aside; everything else is loaded. */
  constructor(store: ChunkStore, settings: EngineSettings, onDamaged: (place: StoredPlace) => void = () => {}) {
    this.#store = store;
    this.#settings = settings;
    this.#onDamaged = onDamaged;
    for (const definition of store.definitions(onDamaged)) this.#series.set(definition.series, definition);
    this.#latest = new LatestValues(store.latest(onDamaged));
    this.#sealed = new SealedSegments(store, (series) => this.#series.get(series)?.kind);
    this.#replay();
  }

  #replay(): void {
    const damaged = new Set<number>();
    const note = (place: StoredPlace) => {
      damaged.add(place.key);
      this.#onDamaged(place);
    };
    for (const { sequence, batch } of this.#store.journal(note)) {
      this.#sequence = sequence;
      try {
        this.#apply(batch, sequence);
      } catch {
        note({ table: "journal", key: sequence, start: 0, span: 0 });
      }
    }
    if (damaged.size === 0) return;
    this.#sequence = Math.max(this.#sequence, ...damaged);
    this.#store.commit(() => {
      for (const sequence of damaged) this.#store.setAsideJournal(sequence);
    });
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

  /** `now` is Unix milliseconds. */
  latest(now: number): readonly Latest[] {
    const hot = [...this.#hot.all()].flatMap((hour) => hour.newest());
    return this.#latest.with(hot, now);
  }

  /** Durable when it returns. Several batches share one commit. */
  append(batches: readonly Uint8Array[]): void {
    const first = this.#sequence + 1;
    failpoint("telemetry.before-journal");
    this.#store.commit(() => {
      for (const [index, batch] of batches.entries()) {
        readDefinitions(batch, (one) => this.#store.define(one));
        this.#store.appendJournal(first + index, batch);
      }
    });
    failpoint("telemetry.after-journal");
    for (const [index, batch] of batches.entries()) this.#apply(batch, first + index);
    this.#sequence = first + batches.length - 1;
  }

  /**
   * Puts points straight into segments, past the journal. They are durable when it returns, and they overwrite
   * everything earlier. Hours that the journal still holds take the usual way, because a replay would put older writes
   * over these points.
   */
  load({ device, definitions, columns }: Load, now: number): void {
    const sorted = columns.map(([series, column]) => [series, sortColumn(column)] as const);
    const isJournaled = (one: number, hour: number) =>
      this.#hot.has(one, hour) || this.#journaled.has(`${one}/${hour}`);
    const { segments, journal } = planLoad({ sealed: this.#sealed, isJournaled }, device, sorted);
    const latest = this.#latest.newer(
      sorted.flatMap(([series, column]) => lastOf(series, column)),
      now,
    );
    failpoint("telemetry.before-load");
    this.#store.commit(() => {
      for (const definition of definitions) this.#store.define(definition);
      for (const { segment, chunks } of segments) this.#store.putSegment(segment, chunks);
      this.#store.putLatest(latest);
      if (journal !== undefined) this.#store.appendJournal(this.#sequence + 1, journal);
    });
    failpoint("telemetry.after-load");
    for (const definition of definitions) this.#series.set(definition.series, definition);
    this.#latest.put(latest);
    if (journal !== undefined) this.#apply(journal, ++this.#sequence);
  }

  /** The unsealed points of these series in [from, to). Must be taken before sealed chunks are read. */
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

  /** Seals one hour that is due; false when none is. `now` is Unix milliseconds, `elapsed` is on a monotonic clock. */
  sealOne(now: number, elapsed: number): boolean {
    const due = this.#dueHour(now, elapsed);
    if (due === undefined) return false;
    try {
      this.#seal(due, now);
    } catch (error) {
      if (!(error instanceof DamagedPiece)) throw error;
      // Its stored part cannot be read, so nothing can be added to it. Its points stay in memory and in the journal;
      // other hours go on.
      due.waitsUntil = elapsed + HOUR_MS;
      this.#onDamaged(error.place);
    }
    return true;
  }

  /** Joins the hours of one device and day; false when none is due. */
  compactOne(now: number): boolean {
    const before = Math.floor((now - this.#settings.graceMs) / DAY_MS) * DAY_MS - HOUR_MS;
    return this.#sealed.compactOne(before, this.#onDamaged);
  }

  /** Seals everything, so that the next start has nothing to replay. */
  sealAll(now: number): void {
    for (const hour of [...this.#hot.all()]) this.#seal(hour, now);
  }

  deleteDevice(deviceId: string): void {
    const device = [...this.#series.values()].find((one) => one.deviceId === deviceId)?.device;
    if (device === undefined) return;
    const batch = new BatchWriter();
    batch.forget(device);
    this.#store.commit(() => {
      this.#store.deleteDevice(device);
      // The journal may still hold its points: without this a replay would bring them back.
      this.#store.appendJournal(this.#sequence + 1, batch.take());
    });
    this.#sequence++;
    this.#forget(device);
  }

  /** Drops chunks that ended before, a bounded number at a time; gives how many. */
  drop(series: readonly number[], before: number): number {
    let dropped = 0;
    const devices = new Set(series.flatMap((id) => this.#series.get(id)?.device ?? []));
    this.#store.commit(() => {
      dropped = this.#store.dropChunks(series, before, DROP_CHUNKS);
      if (dropped > 0) for (const device of devices) this.#store.dropEmptySegments(device, before);
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
    const reader: BatchReader = {
      define: (definition) => {
        this.#series.set(definition.series, definition);
      },
      message: (messageDevice, time) => {
        device = messageDevice;
        at = time;
        hour = undefined;
      },
      value: (series, value) => {
        if (hour?.push(series, value)) return;
        const definition = this.#series.get(series);
        if (definition === undefined) return;
        hour ??= this.#hot.begin(device, at, sequence);
        if (hour.push(series, value)) return;
        hour.add(series, definition.kind);
        hour.push(series, value);
      },
      forget: (forgotten) => this.#forget(forgotten),
    };
    readBatch(batch, reader, this.#texts);
  }

  /**
   * An hour that has been in memory for longer than an hour is due too, whatever its own time. Otherwise an hour that
   * lies days ahead, because a clock was wrong, would hold the journal for days.
   */
  #dueHour(now: number, elapsed: number): HotHour | undefined {
    const isFull = this.#hot.points > this.#settings.maxHotPoints;
    const limit = now - this.#settings.graceMs;
    const longest = HOUR_MS + this.#settings.graceMs;
    let oldest: HotHour | undefined;
    for (const hour of this.#hot.all()) {
      hour.seenAt ??= elapsed;
      if (hour.waitsUntil > elapsed) continue;
      const isDue = isFull || (hour.hour + 1) * HOUR_MS <= limit || elapsed - hour.seenAt >= longest;
      if (isDue && (oldest === undefined || hour.hour < oldest.hour)) oldest = hour;
    }
    return oldest;
  }

  #seal(hour: HotHour, now: number): void {
    const draft = this.#sealed.draftOf(hour.device, hour.hour);
    for (const [series, hot] of hour.columns()) draft.parts.set(series, [hot]);
    const { segment, chunks } = this.#sealed.encode(draft);
    const latest = this.#latest.newer(hour.newest(), now);
    const oldest = this.#oldestNeeded(hour);
    failpoint("telemetry.before-seal");
    this.#store.commit(() => {
      this.#store.putSegment(segment, chunks);
      this.#store.putLatest(latest);
      this.#store.trimJournal(oldest);
    });
    failpoint("telemetry.after-seal");
    this.#latest.put(latest);
    this.#hot.remove(hour);
    this.#journaled.set(`${hour.device}/${hour.hour}`, hour.lastSequence);
    for (const [key, sequence] of this.#journaled) if (sequence < oldest) this.#journaled.delete(key);
  }

  /** The first journal row that memory still depends on, once `leaving` is sealed. */
  #oldestNeeded(leaving: HotHour): number {
    let oldest = this.#sequence + 1;
    for (const hour of this.#hot.all()) if (hour !== leaving) oldest = Math.min(oldest, hour.firstSequence);
    return oldest;
  }
}
