// Segments on the writing side: they are read, merged with newer points and rewritten, or joined to a day. This file
// knows neither memory nor the journal.
// A device may have any number of points in an hour. So series are merged one after the other, and where the store can
// answer at once, each is read and stored before the next one.

import type { ColumnKind } from "#core/telemetry/aggregation.ts";
import { DAY_MS, HOUR_MS } from "#core/time/hour.ts";
import { failpoint } from "#store/failpoint.ts";
import { DamagedPiece, type StoredPlace } from "./checksum.ts";
import type { Chunk, NewSegment, OpenSegment, StoredSegment, Stretch } from "./chunk.ts";
import type { ChunkStore, DeviceDay } from "./chunk-store.ts";
import { type Column, joinColumns, mergeColumns } from "./column.ts";
import { decodeChunk, decodeSegmentTimes, encodeChunk, encodeRowTimes, unionOfTimes } from "./segment-codec.ts";

/** Points of one device, read series by series. */
export interface PointSource {
  readonly series: Iterable<number>;
  /** All times of its points, in order, each once. */
  times(): Float64Array;
  column(series: number): Column | undefined;
}

/** A segment that is to be stored, and the new points in it. */
export interface SegmentDraft extends Stretch {
  /** Whether it replaces an existing segment. */
  readonly existing: boolean;
  /** New points, from the earliest write to the latest. */
  readonly added: PointSource[];
}

/** What it needs of a store. */
type SegmentStore = Pick<ChunkStore, "findSegments" | "readSegments" | "openSegments" | "skipDay" | "commit">;

export class SealedSegments {
  readonly #store: SegmentStore;
  readonly #kindOf: (series: number) => ColumnKind | undefined;

  constructor(store: SegmentStore, kindOf: (series: number) => ColumnKind | undefined) {
    this.#store = store;
    this.#kindOf = kindOf;
  }

  /** The segment that the hour belongs to: an existing one, which may be a whole day, or a new one for the hour. */
  async draftOf(device: number, hour: number): Promise<SegmentDraft> {
    const [existing] = await this.#store.findSegments(device, hour * HOUR_MS, (hour + 1) * HOUR_MS);
    const start = existing?.start ?? hour * HOUR_MS;
    return { device, start, span: existing?.span ?? HOUR_MS, existing: existing !== undefined, added: [] };
  }

  async hasDay(device: number, start: number): Promise<boolean> {
    return (await this.#store.findSegments(device, start, start + DAY_MS)).length > 0;
  }

  /**
   * The draft in its stored form, merged with the existing points. It must be committed before anything else is. What is
   * damaged may be found only then: the commit throws the DamagedPiece.
   */
  async encode({ device, start, span, existing, added }: SegmentDraft): Promise<NewSegment> {
    const stored = existing ? await this.#open(device, start, start + 1) : [];
    return this.#join({ device, start, span }, stored, added);
  }

  /** Joins the hours of a device and day. */
  async compact(due: DeviceDay, onDamaged: (place: StoredPlace) => void): Promise<void> {
    try {
      await this.#compact(due);
    } catch (error) {
      if (!(error instanceof DamagedPiece)) throw error;
      // Damaged segments stay where they are, so that they are reported and not forgotten.
      this.#store.skipDay(due);
      onDamaged(error.place);
    }
  }

  async #compact({ device, day }: DeviceDay): Promise<void> {
    const start = day * DAY_MS;
    const hours = await this.#open(device, start, start + DAY_MS);
    const joined = this.#join({ device, start, span: DAY_MS }, hours, []);
    failpoint("telemetry.before-compaction");
    await this.#store.commit({ segments: [joined], deletedSegments: hours.map(({ segment }) => segment) });
    failpoint("telemetry.after-compaction");
  }

  async #open(device: number, from: number, to: number): Promise<readonly OpenSegment[]> {
    if (this.#store.openSegments !== undefined) return this.#store.openSegments(device, from, to);
    return (await this.#store.readSegments(device, from, to)).map(openInMemory);
  }

  #join(stretch: Stretch, stored: readonly OpenSegment[], added: readonly PointSource[]): NewSegment {
    const before = stored.map((one) => this.#pointsOf(one));
    const all = [...before, ...added];
    const times = unionOfTimes(all.map((one) => one.times()).map((own) => ({ times: own, count: own.length })));
    const chunks = {
      *[Symbol.iterator](): Iterator<Chunk> {
        for (const series of new Set(all.flatMap((one) => [...one.series]))) {
          const column = mergedOf(joinedOf(before, series), joinedOf(added, series));
          if (column !== undefined) yield encodeChunk(stretch, times, { series, column });
        }
      },
    };
    const isOpen = this.#store.openSegments !== undefined;
    return { segment: encodeRowTimes(stretch, times), chunks: isOpen ? chunks : [...chunks] };
  }

  #pointsOf({ segment, series, chunk }: OpenSegment): PointSource {
    const times = decodeSegmentTimes(segment);
    const own = new Set(series);
    return {
      series,
      times: () => times,
      column: (one) => {
        const kind = own.has(one) ? this.#kindOf(one) : undefined;
        return kind && decodeChunk(kind, chunk(one), { times: () => times });
      },
    };
  }
}

/** Columns in memory. Those of one series are ordered from the earliest write to the latest. */
export function pointsIn(columns: ReadonlyMap<number, readonly [Column, ...Column[]]>): PointSource {
  return {
    series: [...columns.keys()],
    times: () => unionOfTimes([...columns.values()].flat()),
    column: (series) => {
      const own = columns.get(series);
      return own && joinColumns(own);
    },
  };
}

function openInMemory({ segment, chunks }: StoredSegment): OpenSegment {
  const bySeries = new Map(chunks.map((chunk) => [chunk.series, chunk]));
  return {
    segment,
    series: [...bySeries.keys()],
    chunk(series) {
      const found = bySeries.get(series);
      if (found === undefined) throw new Error(`the segment has no chunk of series ${series}`);
      return found;
    },
  };
}

function joinedOf(sources: readonly PointSource[], series: number): Column | undefined {
  const [first, ...others] = sources.flatMap((one) => one.column(series) ?? []);
  return first && joinColumns([first, ...others]);
}

function mergedOf(earlier: Column | undefined, later: Column | undefined): Column | undefined {
  return earlier === undefined || later === undefined ? (later ?? earlier) : mergeColumns(earlier, later);
}
