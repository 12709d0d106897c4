// The writing side: a point goes first into the journal, then into memory, and later, in small background steps, into
// segments.
//
// Invariants: a batch is acknowledged after its journal row is durable; a point leaves memory only after the segment that
// holds it is durable; a journal row goes only when all its points are in segments. Applying a batch or a merge twice
// changes nothing, so a crash between any two steps loses nothing and doubles nothing.
import { itemAt } from "#core/item-at.ts";
import {
  dueHours,
  isJournaled,
  isScattered,
  type JournaledHours,
  NONE_JOURNALED,
  oldestNeeded,
  withSealed,
} from "#core/telemetry/open-hours.ts";
import { DAY_MS, HOUR_MS } from "#core/time/hour.ts";
import { failpoint } from "#store/failpoint.ts";
import { KnownTexts } from "#tuning/known-texts.ts";
import { type BatchReader, BatchWriter, readBatch, readDefinitions, type SeriesDefinition } from "./batch.ts";
import { DamagedPiece, type StoredPlace } from "./checksum.ts";
import type { Latest, StoredSegment } from "./chunk.ts";
import type { ChunkStore, OnDamaged } from "./chunk-store.ts";
import { type Column, sortColumn } from "./column.ts";
import { draftHours, takeHour } from "./draft-hours.ts";
import type { HotHour } from "./hot-hour.ts";
import { HotStore } from "./hot-store.ts";
import { LatestValues, lastOf } from "./latest-values.ts";
import { type Load, planLoad } from "./plan-load.ts";
import { SealedSegments } from "./sealed-segments.ts";
import { encodeSegment } from "./segment-codec.ts";

/** Chunks that one step drops. Small, because an acknowledgement may have to wait for the step. */
const DROP_CHUNKS = 500;

/** What one step seals, in points, for the same reason: an hour of a busy device, or some hundred small ones. */
const SEAL_POINTS = 20_000;
export interface EngineSettings {
  /** An hour is sealed this long after its end: later points cost a rewrite. */
  readonly graceMs: number;
  /** With more points than this in memory the oldest hours are sealed early. */
  readonly maxHotPoints: number;
}

/** The hot points of one series, one column per hour, in order. */
export interface HotSeries {
  readonly series: number;
  readonly columns: readonly Column[];
}

interface Stored {
  readonly definitions: readonly SeriesDefinition[];
  readonly latest: readonly Latest[];
  readonly onDamaged: OnDamaged;
}

/** Its user waits for each change before the next one; reads of memory may come at any time. */
export class SeriesEngine {
  readonly #store: ChunkStore;
  readonly #settings: EngineSettings;
  readonly #hot = new HotStore();
  readonly #series = new Map<number, SeriesDefinition>();
  readonly #latest: LatestValues;
  readonly #sealed: SealedSegments;
  #journaled: JournaledHours = NONE_JOURNALED;
  readonly #texts = new KnownTexts();
  readonly #onDamaged: OnDamaged;
  /** The number of the newest journal row. */
  #sequence = 0;

  private constructor(store: ChunkStore, settings: EngineSettings, stored: Stored) {
    this.#store = store;
    this.#settings = settings;
    this.#onDamaged = stored.onDamaged;
    for (const definition of stored.definitions) this.#series.set(definition.series, definition);
    this.#latest = new LatestValues(stored.latest);
    this.#sealed = new SealedSegments(store, (series) => this.#series.get(series)?.kind);
  }

  /** Reports damaged rows and sets them aside; everything else is loaded. */
  static async open(
    store: ChunkStore,
    settings: EngineSettings,
    onDamaged: OnDamaged = () => {},
  ): Promise<SeriesEngine> {
    const definitions = await store.definitions(onDamaged);
    const latest = await store.latest(onDamaged);
    const engine = new SeriesEngine(store, settings, { definitions, latest, onDamaged });
    await engine.#replay();
    return engine;
  }

  async #replay(): Promise<void> {
    const damaged = new Set<number>();
    const note: OnDamaged = (place) => {
      damaged.add(place.key);
      this.#onDamaged(place);
    };
    for await (const { sequence, batch } of this.#store.journal(note)) {
      this.#sequence = sequence;
      try {
        this.#apply(batch, sequence);
      } catch {
        note({ table: "journal", key: sequence, start: 0, span: 0 });
      }
    }
    if (damaged.size > 0) await this.#store.commit({ setAside: [...damaged] });
  }

  get hotPoints(): number {
    return this.#hot.points;
  }

  get isScattered(): boolean {
    return isScattered(this.#hot.columns, this.#series.size, this.#settings.maxHotPoints);
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

  /** Durable when it resolves. Several batches share one commit. */
  async append(batches: readonly Uint8Array[]): Promise<void> {
    const definitions: SeriesDefinition[] = [];
    for (const batch of batches) readDefinitions(batch, (one) => definitions.push(one));
    failpoint("telemetry.before-journal");
    const sequences = await this.#store.commit({ definitions, journal: batches });
    failpoint("telemetry.after-journal");
    this.#applyAll(batches, sequences);
  }

  /**
   * Puts points straight into segments, past the journal. They are durable when it resolves, and they overwrite
   * everything earlier. Hours that the journal still holds take the usual way, because a replay would put older writes
   * over these points.
   */
  async load({ device, definitions, columns }: Load, now: number): Promise<void> {
    const sorted = columns.map(([series, column]) => [series, sortColumn(column)] as const);
    const inJournal = (one: number, hour: number) =>
      this.#hot.has(one, hour) || isJournaled(this.#journaled, one, hour);
    const needs = { sealed: this.#sealed, isJournaled: inJournal };
    const { segments, journal } = await planLoad(needs, device, sorted);
    const latest = this.#latest.newer(
      sorted.flatMap(([series, column]) => lastOf(series, column)),
      now,
    );
    const batches = journal === undefined ? [] : [journal];
    failpoint("telemetry.before-load");
    const sequences = await this.#store.commit({ definitions, segments, latest, journal: batches });
    failpoint("telemetry.after-load");
    for (const definition of definitions) this.#series.set(definition.series, definition);
    this.#latest.put(latest);
    this.#applyAll(batches, sequences);
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

  /**
   * All points of the device in the segments and hours that touch [from, to), in the order of their writes: those that
   * are not sealed come last.
   */
  async stretches(device: number, from: number, to: number): Promise<readonly StoredSegment[]> {
    const hot = [...this.#hot.hours(device, from, to)].map(encodeHour);
    return [...(await this.#store.readSegments(device, from, to)), ...hot];
  }

  /** When its newest hour or day begins, among those that begin before. */
  async newestBefore(device: number, before: number): Promise<number | undefined> {
    const hot = newestHour(this.#hot.ofDevice(device), before);
    return newestOf(hot, (await this.#store.newestSegment(device, before))?.start);
  }

  /** Seals some hours that are due; false when none is. `now` is Unix milliseconds, `elapsed` is on a monotonic clock. */
  async sealSome(now: number, elapsed: number): Promise<boolean> {
    const due = this.#dueHours(now, elapsed);
    if (due.length === 0) return false;
    await this.#seal(due, now, (hours, place) => {
      // Nothing can be added to a stored part that cannot be read. The points stay in memory and in the journal; other
      // hours go on.
      for (const hour of hours) hour.waitsUntil = elapsed + HOUR_MS;
      this.#onDamaged(place);
    });
    return true;
  }

  /** Joins the hours of one device and day; false when none is due. */
  async compactOne(now: number): Promise<boolean> {
    const due = await this.#store.dayToCompact(this.#endedAt(now) - HOUR_MS);
    if (due !== undefined) await this.#sealed.compact(due, this.#onDamaged);
    return due !== undefined;
  }

  /** Joins the summaries of the days of one series; false when none are due. */
  joinOne(now: number): boolean {
    return this.#store.joinDays?.(this.#endedAt(now)) ?? false;
  }

  /** The days before it are complete. */
  #endedAt(now: number): number {
    return Math.floor((now - this.#settings.graceMs) / DAY_MS) * DAY_MS;
  }

  /** Seals everything, so that the next start has nothing to replay. */
  async sealAll(now: number): Promise<void> {
    const fail = (_hours: readonly HotHour[], place: StoredPlace) => {
      throw new DamagedPiece(place);
    };
    for (const hour of [...this.#hot.all()]) await this.#seal([hour], now, fail);
  }

  async deleteDevice(deviceId: string): Promise<void> {
    const device = [...this.#series.values()].find((one) => one.deviceId === deviceId)?.device;
    if (device === undefined) return;
    const batch = new BatchWriter();
    batch.forget(device);
    // The journal may still hold its points: without this row a replay would bring them back.
    const batches = [batch.take()];
    this.#applyAll(batches, await this.#store.commit({ deletedDevice: device, journal: batches }));
  }

  /** Drops chunks that ended before, a bounded number at a time; gives how many. */
  async drop(series: readonly number[], before: number): Promise<number> {
    const devices = [...new Set(series.flatMap((id) => this.#series.get(id)?.device ?? []))];
    return await this.#store.drop({ series, devices }, before, DROP_CHUNKS);
  }

  #forget(device: number): void {
    this.#hot.removeDevice(device);
    for (const [series, one] of this.#series) if (one.device === device) this.#latest.delete(series);
  }

  /** The batches are durable. */
  #applyAll(batches: readonly Uint8Array[], sequences: readonly number[]): void {
    for (const [index, batch] of batches.entries()) {
      this.#sequence = itemAt(sequences, index);
      this.#apply(batch, this.#sequence);
    }
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
        this.#hot.addColumn(hour, series, definition.kind);
        hour.push(series, value);
      },
      forget: (forgotten) => this.#forget(forgotten),
    };
    readBatch(batch, reader, this.#texts);
  }

  #dueHours(now: number, elapsed: number): readonly HotHour[] {
    const isFull = this.#hot.points > this.#settings.maxHotPoints || this.isScattered;
    for (const hour of this.#hot.all()) hour.seenAt ??= elapsed;
    const time = { now, elapsed, graceMs: this.#settings.graceMs, isFull };
    return dueHours(this.#hot.all(), time, { points: SEAL_POINTS });
  }

  /** In one commit. `damaged` gets the hours of each segment that cannot be read. */
  async #seal(
    hours: readonly HotHour[],
    now: number,
    damaged: (hours: readonly HotHour[], place: StoredPlace) => void,
  ): Promise<void> {
    const { segments, done } = await draftHours(this.#sealed, hours.map(takeHour), damaged);
    if (done.length === 0) return;
    const latest = this.#latest.newer(
      done.flatMap(({ newest }) => newest),
      now,
    );
    const leaving = new Set(done.map(({ hour }) => hour));
    const oldest = oldestNeeded(this.#hot.all(), leaving, this.#sequence + 1);
    failpoint("telemetry.before-seal");
    try {
      await this.#store.commit({ segments, latest, trimBefore: oldest });
    } catch (error) {
      if (!(error instanceof DamagedPiece)) throw error;
      const own = done.map(({ hour }) => hour);
      const broken = own.filter((hour) => this.#isOf(hour, error.place));
      if (broken.length === 0) throw error;
      damaged(broken, error.place);
      return await this.#seal(
        own.filter((hour) => !broken.includes(hour)),
        now,
        damaged,
      );
    }
    failpoint("telemetry.after-seal");
    this.#latest.put(latest);
    for (const hour of leaving) this.#hot.remove(hour);
    this.#journaled = withSealed(this.#journaled, leaving, oldest);
  }

  /** Whether the hour belongs to the stored piece, or to its segment. */
  #isOf({ device, hour }: HotHour, { table, key, start, span }: StoredPlace): boolean {
    const own = table === "segment" ? key : this.#series.get(key)?.device;
    return own === device && start <= hour * HOUR_MS && hour * HOUR_MS < start + span;
  }
}

/** An hour as it would be sealed now. */
export function encodeHour(hour: HotHour): StoredSegment {
  return encodeSegment({ device: hour.device, start: hour.hour * HOUR_MS, span: HOUR_MS }, new Map(hour.columns()));
}

/** When the newest of the hours begins, among those that begin before. */
export function newestHour(hours: Iterable<HotHour>, before: number): number | undefined {
  let newest: number | undefined;
  for (const { hour } of hours) if (hour * HOUR_MS < before) newest = newestOf(newest, hour * HOUR_MS);
  return newest;
}

export function newestOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one;
}
