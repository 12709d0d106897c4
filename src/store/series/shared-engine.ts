// The writing side on a database that several nodes share. Points go into the journal of their partition. A node that
// needs the points that are not sealed first reads what any node has added to these partitions, so it sees every point
// that was acknowledged before.
//
// Invariants: a batch is acknowledged after its rows are durable. A row goes only when all its points are in segments,
// in the commit that puts the last of them there or later. Whatever changes segments fails if another node changed the
// partition's segments since they were read. So background work may be claimed, lost and done twice without harm.
import { dueHours, oldestNeeded, type SealTime } from "#core/telemetry/open-hours.ts";
import { DAY_MS, HOUR_MS } from "#core/time/hour.ts";
import { failpoint } from "#store/failpoint.ts";
import { BatchWriter, type SeriesDefinition } from "./batch.ts";
import type { Latest, StoredSegment } from "./chunk.ts";
import type { StoreState } from "./chunk-reader.ts";
import type { ChunkStore, OnDamaged } from "./chunk-store.ts";
import { type Column, sortColumn } from "./column.ts";
import { copyHour, draftHours } from "./draft-hours.ts";
import { type EngineSettings, encodeHour, type HotSeries, newestHour, newestOf } from "./engine.ts";
import type { HotHour } from "./hot-hour.ts";
import { lastOf } from "./latest-values.ts";
import { PartitionMemory } from "./partition-memory.ts";
import { type Load, planLoad } from "./plan-load.ts";
import { SealedSegments } from "./sealed-segments.ts";
import type { SharedPartition } from "./shared-partition.ts";
import { OutpacedError, PARTITIONS, partitionOf, type SeriesName, type SharedStore } from "./shared-store.ts";
import { splitBatch } from "./split-batch.ts";

/** Hours of devices that one commit seals: so a node that is stopped has little to finish. */
const SEAL_HOURS = 64;
const DROP_CHUNKS = 500;
/** A load is planned so often at most while other nodes change the same partition. */
const ATTEMPTS = 20;

/** A device in a query. */
export interface DeviceSeries {
  readonly series: number;
  readonly device: number;
}

export interface NamedLatest extends Latest {
  readonly attribute: string;
}

export class SharedEngine {
  readonly #store: SharedStore;
  readonly #settings: EngineSettings;
  readonly #onDamaged: OnDamaged;
  readonly #partitions: PartitionMemory;
  #claimed: readonly number[] = [];

  constructor(store: SharedStore, settings: EngineSettings, onDamaged: OnDamaged = () => {}) {
    this.#store = store;
    this.#settings = settings;
    this.#onDamaged = onDamaged;
    this.#partitions = new PartitionMemory(store, onDamaged);
  }

  get hotPoints(): number {
    return this.#partitions.points;
  }

  define(wanted: readonly SeriesName[]): Promise<readonly SeriesDefinition[]> {
    return this.#store.define(wanted);
  }

  seriesOf(deviceIds: readonly string[]): Promise<readonly SeriesDefinition[]> {
    return this.#store.seriesOf(deviceIds);
  }

  /** Durable when it resolves. The series of its values are defined. */
  async append(batches: readonly Uint8Array[]): Promise<void> {
    const rows = batches.flatMap((batch) =>
      [...splitBatch(batch, partitionOf)].map(([partition, part]) => ({ partition, batch: part })),
    );
    if (rows.length === 0) return;
    failpoint("telemetry.before-journal");
    await this.#store.append(rows);
    failpoint("telemetry.after-journal");
  }

  /** The unsealed points of these series in [from, to), of all nodes. Must be taken before sealed chunks are read. */
  async snapshot(series: readonly DeviceSeries[], from: number, to: number): Promise<readonly HotSeries[]> {
    await this.#partitions.update(series.map(({ device }) => partitionOf(device)));
    return series.map(({ series: id, device }) => {
      const columns: Column[] = [];
      for (const hour of this.#partitions.ofDevice(device)?.hot.hours(device, from, to) ?? []) {
        const column = hour.column(id);
        if (column !== undefined) columns.push(column);
      }
      return { series: id, columns };
    });
  }

  /** The state of the partitions in memory: what a snapshot of them lacks is in chunks of this state. */
  stateOf(series: readonly DeviceSeries[]): StoreState {
    const numbers = new Set(series.map(({ device }) => partitionOf(device)));
    return [...numbers].map((number) => [number, this.#partitions.get(number)?.epoch ?? 0]);
  }

  /** As SeriesEngine.stretches. */
  async stretches(device: number, from: number, to: number): Promise<readonly StoredSegment[]> {
    await this.#partitions.update([partitionOf(device)]);
    const hours = this.#partitions.ofDevice(device)?.hot.hours(device, from, to) ?? [];
    const hot = [...hours].map(encodeHour);
    return [...(await this.#store.readSegments(device, from, to)), ...hot];
  }

  /** As SeriesEngine.newestBefore. */
  async newestBefore(device: number, before: number): Promise<number | undefined> {
    await this.#partitions.update([partitionOf(device)]);
    const hot = newestHour(this.#partitions.ofDevice(device)?.hot.ofDevice(device) ?? [], before);
    return newestOf(hot, (await this.#store.newestSegment(device, before))?.start);
  }

  /** The newest value of each series of the device, as far as each of its hours and its segments know it. */
  async latest(deviceId: string): Promise<readonly NamedLatest[]> {
    const definitions = await this.#store.seriesOf([deviceId]);
    const device = definitions[0]?.device;
    if (device === undefined) return [];
    await this.#partitions.update([partitionOf(device)]);
    const hours = this.#partitions.ofDevice(device)?.hot.ofDevice(device) ?? [];
    const hot = [...hours].toSorted((a, b) => a.hour - b.hour).flatMap((hour) => hour.newest());
    // Read after memory, so that a value that is being sealed is in one of them.
    const stored = await this.#store.latest(device, this.#onDamaged);
    // A node may have defined a series after the first reading.
    const isKnown = (one: Latest) => definitions.some(({ series }) => series === one.series);
    const all = [...stored, ...hot];
    const names = all.every(isKnown) ? definitions : await this.#store.seriesOf([deviceId]);
    const attributes = new Map(names.map(({ series, attribute }) => [series, attribute]));
    return all.map((one) => ({ ...one, attribute: attributes.get(one.series) ?? "" }));
  }

  /** As SeriesEngine.load. */
  async load({ device, columns }: Pick<Load, "device" | "columns">, now: number): Promise<void> {
    const sorted = columns.map(([series, column]) => [series, sortColumn(column)] as const);
    const values = sorted.flatMap(([series, column]) => lastOf(series, column).map((one) => ({ ...one, device })));
    await this.#untilCommitted(async () => {
      const { partition, epoch } = await this.#partitions.current(device);
      const sealed = await this.#segmentsOf([device]);
      const isJournaled = (one: number, hour: number) => partition.hot.has(one, hour);
      const { segments, journal } = await planLoad({ sealed, isJournaled }, device, sorted);
      failpoint("telemetry.before-load");
      await this.#store.commit(partitionOf(device), epoch, {
        segments,
        latest: { values, now },
        ...(journal !== undefined && { journal }),
      });
      failpoint("telemetry.after-load");
    });
  }

  async deleteDevice(deviceId: string): Promise<void> {
    const device = (await this.#store.seriesOf([deviceId]))[0]?.device;
    if (device === undefined) return;
    const batch = new BatchWriter();
    batch.forget(device);
    // The journal may still hold its points: without this row they would come back.
    await this.#store.commit(partitionOf(device), undefined, { deletedDevice: device, journal: batch.take() });
  }

  async drop(deviceId: string, series: readonly number[], before: number): Promise<number> {
    const device = (await this.#store.seriesOf([deviceId]))[0]?.device;
    return device === undefined ? 0 : await this.#store.drop({ series, devices: [device] }, before, DROP_CHUNKS);
  }

  /** Takes its part of the background work, and reads what is new in these partitions. */
  async claim(): Promise<void> {
    this.#claimed = await this.#store.claim();
    this.#partitions.forgetIdle(this.#claimed, this.hotPoints > this.#settings.maxHotPoints);
    await this.#partitions.update(this.#claimed, false);
  }

  /** Seals some hours of one partition that are due; false when none is. */
  async sealOne(now: number, elapsed: number): Promise<boolean> {
    return await this.#sealSome(this.#claimed, now, elapsed);
  }

  /** Joins the hours of one device and day; false when none is due. */
  async compactOne(now: number): Promise<boolean> {
    return await this.#compactSome(this.#claimed, now);
  }

  /** Does everything that is due now, whoever has claimed it. */
  async settle(now: number): Promise<void> {
    while (await this.settleStep(now));
    while (await this.settleStep(now, "compaction"));
  }

  /** Seals everything, so that the journal holds no point. No other node may be there. */
  async sealAll(now: number): Promise<void> {
    do await this.#partitions.update(PARTITIONS);
    while (await this.#sealSome(PARTITIONS, now, performance.now(), true));
  }

  /** One step of it; false when there was nothing to do. */
  async settleStep(now: number, kind: "sealing" | "compaction" = "sealing"): Promise<boolean> {
    if (kind === "compaction") return await this.#compactSome(PARTITIONS, now);
    await this.#partitions.update(PARTITIONS);
    return await this.#sealSome(PARTITIONS, now, performance.now());
  }

  async #sealSome(numbers: readonly number[], now: number, elapsed: number, isAll = false): Promise<boolean> {
    const isFull = isAll || this.hotPoints > this.#settings.maxHotPoints;
    for (const number of numbers) {
      const partition = this.#partitions.get(number);
      const due = partition === undefined ? [] : this.#dueHours(partition, { now, elapsed, isFull });
      if (partition === undefined || due.length === 0) continue;
      await this.#orOutpaced(() => this.#seal(number, partition, { due, now, elapsed }));
      await this.#partitions.update([number], false);
      return true;
    }
    return false;
  }

  #dueHours({ hot }: SharedPartition, time: Omit<SealTime, "graceMs">): readonly HotHour[] {
    for (const hour of hot.all()) hour.seenAt ??= time.elapsed;
    return dueHours(hot.all(), { ...time, graceMs: this.#settings.graceMs }, { hours: SEAL_HOURS });
  }

  async #seal(
    number: number,
    partition: SharedPartition,
    { due, now, elapsed }: { readonly due: readonly HotHour[]; readonly now: number; readonly elapsed: number },
  ): Promise<void> {
    const { last, epoch } = partition;
    // All of this is taken at once: the partition may be read further while this waits for the database.
    const taken = due.map(copyHour);
    const open = [...partition.hot.all()];
    const sealed = await this.#segmentsOf([...new Set(due.map(({ device }) => device))]);
    const { segments, done } = await draftHours(sealed, taken, (hours, place) => {
      // Nothing can be added to a damaged segment. The points stay in the journal; other hours go on.
      for (const hour of hours) hour.waitsUntil = elapsed + HOUR_MS;
      this.#onDamaged(place);
    });
    if (done.length === 0) return;
    const values = done.flatMap(({ hour: { device }, newest }) => newest.map((one) => ({ ...one, device })));
    const before = oldestNeeded(open, new Set(done.map(({ hour }) => hour)), last + 1);
    failpoint("telemetry.before-seal");
    await this.#store.commit(number, epoch, {
      segments,
      latest: { values, now },
      sealed: { last, hours: done.map(({ hour: { device, hour } }) => ({ device, hour })) },
      trimBefore: before,
    });
    failpoint("telemetry.after-seal");
  }

  async #compactSome(numbers: readonly number[], now: number): Promise<boolean> {
    const before = Math.floor((now - this.#settings.graceMs) / DAY_MS) * DAY_MS - HOUR_MS;
    let isDone = false;
    await this.#orOutpaced(async () => {
      const due = await this.#store.dayToCompact(before, numbers);
      isDone = due === undefined;
      if (due === undefined) return;
      const { epoch } = await this.#partitions.current(due.device);
      const sealed = await this.#segmentsOf([due.device], {
        commit: async ({ deletedSegments = [], segments = [] }) => {
          await this.#store.commit(partitionOf(due.device), epoch, { deletedSegments, segments });
          return [];
        },
      });
      await sealed.compact(due, this.#onDamaged);
    });
    return !isDone;
  }

  /** Segments with the kinds of all series of these devices. */
  async #segmentsOf(devices: readonly number[], more: Partial<Pick<ChunkStore, "commit">> = {}) {
    const kinds = new Map((await this.#store.seriesOfNumbers(devices)).map(({ series, kind }) => [series, kind]));
    const { findSegments, readSegments, skipDay } = this.#store;
    const commit = () => {
      throw new Error("segments are committed by their partition");
    };
    return new SealedSegments({ findSegments, readSegments, skipDay, commit, ...more }, (series) => kinds.get(series));
  }

  async #untilCommitted(work: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof OutpacedError) || attempt >= ATTEMPTS) throw error;
      }
    }
  }

  /** Another node was quicker: the next round sees what is left. */
  async #orOutpaced(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof OutpacedError)) throw error;
    }
  }
}
