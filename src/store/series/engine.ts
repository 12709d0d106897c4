// The writing side: journal first, then memory, then, in the background and in small steps, segments.
//
// Invariants: a batch is acknowledged after its journal row is durable; a point leaves memory only after the segment that
// holds it is durable; a journal row goes only when all its points are in segments. Applying a batch or a merge twice
// changes nothing, so a crash between any two steps loses nothing and doubles nothing.
import { failpoint } from "#store/failpoint.ts";
import { BatchWriter, readBatch, readDefinitions, type Scalar, type SeriesDefinition } from "./batch.ts";
import { type Column, joinColumns, lowerBound, mergeColumns, sliceColumn, sortColumn, valueAt } from "./column.ts";
import type { HotHour } from "./hot-hour.ts";
import { HOUR_MS, HotStore } from "./hot-store.ts";
import type { Keeper, Latest } from "./keeper.ts";
import { decodeChunk, decodeSegmentTimes, encodeSegment } from "./segment-codec.ts";

/** Chunks that one step drops: an acknowledgement may have to wait for it. */
const DROP_CHUNKS = 500;
export const DAY_MS = 24 * HOUR_MS;
/** Hours with points from which on a loaded day counts as whole. */
const WHOLE_DAY_HOURS = 20;

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

/** Many points of one device at once. */
export interface Load {
  readonly device: number;
  /** Those of the series that are new. */
  readonly definitions: readonly SeriesDefinition[];
  /** In any order; of equal times the last one counts. */
  readonly columns: readonly (readonly [series: number, column: Column])[];
}

/** A segment to be, and what is new in it. */
interface Target {
  readonly start: number;
  readonly span: number;
  readonly existing: boolean;
  /** Of each series, in order of time. */
  readonly parts: Map<number, [Column, ...Column[]]>;
}

export class SeriesEngine {
  readonly #keeper: Keeper;
  readonly #settings: EngineSettings;
  readonly #hot = new HotStore();
  readonly #series = new Map<number, SeriesDefinition>();
  readonly #latest = new Map<number, { series: number; at: number; value: Scalar }>();
  readonly #changedLatest = new Set<number>();
  /** Hours that are sealed but still in the journal, by `device/hour`: the newest journal row with points of theirs. */
  readonly #journaled = new Map<string, number>();
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

  /**
   * Puts points straight into segments, past the journal. Durable when it returns, and later than everything before it.
   * Hours that the journal still holds take the usual way, else a replay would put older writes over these.
   */
  load({ device, definitions, columns }: Load): void {
    const sorted = columns.map(([series, column]) => [series, sortColumn(column)] as const);
    const targets = this.#wholeDays(device, sorted);
    const recent = new BatchWriter();
    for (const [series, column] of sorted) {
      for (const { hour, part } of hoursOf(column)) {
        if (this.#isJournaled(device, hour)) writePoints(recent, { device, series, part });
        else addPart(this.#target(targets, device, hour).parts, series, part);
      }
    }
    const segments = [...targets.values()].map((target) => this.#encode(device, target));
    const latest = this.#latestOf(sorted);
    const journal = recent.length === 0 ? undefined : recent.take();
    failpoint("telemetry.before-load");
    this.#keeper.commit(() => {
      for (const definition of definitions) this.#keeper.define(definition);
      for (const { segment, chunks } of segments) this.#keeper.putSegment(segment, chunks);
      this.#keeper.putLatest(latest);
      if (journal !== undefined) this.#keeper.appendJournal(this.#sequence + 1, journal);
    });
    failpoint("telemetry.after-load");
    for (const definition of definitions) this.#series.set(definition.series, definition);
    for (const one of latest) this.#latest.set(one.series, one);
    if (journal !== undefined) this.#apply(journal, ++this.#sequence);
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

  /** Drops chunks that ended before, a bounded number at a time; gives how many. */
  drop(series: readonly number[], before: number): number {
    let dropped = 0;
    const devices = new Set(series.flatMap((id) => this.#series.get(id)?.device ?? []));
    this.#keeper.commit(() => {
      dropped = this.#keeper.dropChunks(series, before, DROP_CHUNKS);
      if (dropped > 0) for (const device of devices) this.#keeper.dropEmptySegments(device, before);
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

  #isJournaled(device: number, hour: number): boolean {
    return this.#hot.has(device, hour) || this.#journaled.has(`${device}/${hour}`);
  }

  /** The segment that the hour belongs to: the one that is there, which may be a whole day, or one of its own. */
  #target(targets: Map<number, Target>, device: number, hour: number): Target {
    const start = hour * HOUR_MS;
    for (const target of targets.values()) {
      if (target.start <= start && start < target.start + target.span) return target;
    }
    const [existing] = this.#keeper.segments(device, start, start + HOUR_MS);
    const stretch = { start: existing?.start ?? start, span: existing?.span ?? HOUR_MS };
    const target: Target = { ...stretch, existing: existing !== undefined, parts: new Map() };
    targets.set(target.start, target);
    return target;
  }

  /** A day that comes almost as a whole is stored as one, so that nobody has to join its hours later. */
  #wholeDays(device: number, columns: Load["columns"]): Map<number, Target> {
    const hours = new Set(columns.flatMap(([, column]) => [...hoursOf(column)].map(({ hour }) => hour)));
    const days = Map.groupBy(hours, (hour) => Math.floor((hour * HOUR_MS) / DAY_MS) * DAY_MS);
    const whole = [...days].filter(
      ([start, own]) =>
        own.length >= WHOLE_DAY_HOURS &&
        !own.some((hour) => this.#isJournaled(device, hour)) &&
        this.#keeper.segments(device, start, start + DAY_MS).length === 0,
    );
    return new Map(whole.map(([start]) => [start, { start, span: DAY_MS, existing: false, parts: new Map() }]));
  }

  #encode(device: number, { start, span, existing, parts }: Target): ReturnType<typeof encodeSegment> {
    const all = existing ? this.#sealed(device, start, start + 1) : new Map<number, Column>();
    for (const [series, own] of parts) {
      const before = all.get(series);
      all.set(series, before === undefined ? joinColumns(own) : mergeColumns(before, joinColumns(own)));
    }
    return encodeSegment({ device, start, span }, all);
  }

  #latestOf(columns: Load["columns"]): readonly Latest[] {
    return columns.flatMap(([series, column]) => {
      const sorted = sortColumn(column);
      const at = sorted.times[sorted.count - 1];
      const known = this.#latest.get(series);
      if (at === undefined || sorted.count === 0 || (known !== undefined && known.at > at)) return [];
      return [{ series, at, value: valueAt(sorted, sorted.count - 1) }];
    });
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
    const target = this.#target(new Map(), hour.device, hour.hour);
    for (const [series, hot] of hour.columns()) target.parts.set(series, [hot]);
    const { segment, chunks } = this.#encode(hour.device, target);
    const oldest = this.#oldestNeeded(hour);
    failpoint("telemetry.before-seal");
    this.#keeper.commit(() => {
      this.#keeper.putSegment(segment, chunks);
      this.#keeper.putLatest([...this.#changedLatest].flatMap((series) => this.#latest.get(series) ?? []));
      this.#keeper.trimJournal(oldest);
    });
    failpoint("telemetry.after-seal");
    this.#changedLatest.clear();
    this.#hot.remove(hour);
    this.#journaled.set(`${hour.device}/${hour.hour}`, hour.lastSequence);
    for (const [key, sequence] of this.#journaled) if (sequence < oldest) this.#journaled.delete(key);
  }

  /** The first journal row that memory still stands on, once `leaving` is sealed. */
  #oldestNeeded(leaving: HotHour): number {
    let oldest = this.#sequence + 1;
    for (const hour of this.#hot.all()) if (hour !== leaving) oldest = Math.min(oldest, hour.firstSequence);
    return oldest;
  }

  /** The sealed columns of a device whose segments touch [from, to). */
  #sealed(device: number, from: number, to: number): Map<number, Column> {
    const parts = new Map<number, [Column, ...Column[]]>();
    for (const segment of this.#keeper.segments(device, from, to)) {
      const times = decodeSegmentTimes(segment);
      for (const chunk of this.#keeper.chunks(device, segment.start)) {
        const kind = this.#series.get(chunk.series)?.kind;
        if (kind === undefined) continue;
        const column = decodeChunk(kind, chunk, { times: () => times });
        addPart(parts, chunk.series, column);
      }
    }
    return new Map([...parts].map(([series, columns]) => [series, joinColumns(columns)]));
  }
}

function addPart(parts: Target["parts"], series: number, part: Column): void {
  const known = parts.get(series);
  if (known === undefined) parts.set(series, [part]);
  else known.push(part);
}

function* hoursOf(column: Column): Iterable<{ readonly hour: number; readonly part: Column }> {
  const { times, count } = column;
  for (let from = 0; from < count; ) {
    const hour = Math.floor((times[from] ?? 0) / HOUR_MS);
    const to = lowerBound(column, (hour + 1) * HOUR_MS);
    yield { hour, part: sliceColumn(column, from, to) };
    from = to;
  }
}

function writePoints(
  batch: BatchWriter,
  { device, series, part }: { readonly device: number; readonly series: number; readonly part: Column },
): void {
  for (let i = 0; i < part.count; i++) {
    batch.message(device, part.times[i] ?? 0, 1);
    batch.value(series, valueAt(part, i));
  }
}
