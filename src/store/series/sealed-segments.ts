// Segments on the writing side: they are read, merged with newer points and rewritten, or joined to a day. This file
// knows neither memory nor the journal.
import type { ColumnKind } from "#core/telemetry/aggregation.ts";
import { failpoint } from "#store/failpoint.ts";
import { DamagedPiece, type StoredPlace } from "./checksum.ts";
import type { StoredSegment, Stretch } from "./chunk.ts";
import type { ChunkStore, DeviceDay } from "./chunk-store.ts";
import { type Column, joinColumns, mergeColumns } from "./column.ts";
import { HOUR_MS } from "./hot-store.ts";
import { decodeChunk, decodeSegmentTimes, encodeSegment } from "./segment-codec.ts";

export const DAY_MS = 24 * HOUR_MS;

/** A segment that is to be stored, and the new points in it. */
export interface SegmentDraft extends Stretch {
  /** Whether it replaces an existing segment. */
  readonly existing: boolean;
  /** New points by series, in order of time. */
  readonly parts: Map<number, [Column, ...Column[]]>;
}

/** What it needs of a store. */
type SegmentStore = Pick<ChunkStore, "findSegments" | "readSegments" | "skipDay" | "commit">;

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
    return { device, start, span: existing?.span ?? HOUR_MS, existing: existing !== undefined, parts: new Map() };
  }

  async hasDay(device: number, start: number): Promise<boolean> {
    return (await this.#store.findSegments(device, start, start + DAY_MS)).length > 0;
  }

  /** The draft in its stored form, merged with the existing points. */
  async encode({ device, start, span, existing, parts }: SegmentDraft): Promise<StoredSegment> {
    const all = existing ? this.#decode(await this.#store.readSegments(device, start, start + 1)) : new Map();
    for (const [series, own] of parts) {
      const before = all.get(series);
      all.set(series, before === undefined ? joinColumns(own) : mergeColumns(before, joinColumns(own)));
    }
    return encodeSegment({ device, start, span }, all);
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
    const hours = await this.#store.readSegments(device, start, start + DAY_MS);
    const joined = encodeSegment({ device, start, span: DAY_MS }, this.#decode(hours));
    failpoint("telemetry.before-compaction");
    await this.#store.commit({ deletedSegments: hours.map(({ segment }) => segment), segments: [joined] });
    failpoint("telemetry.after-compaction");
  }

  /** The columns of a device, whose segments are in order. */
  #decode(segments: readonly StoredSegment[]): Map<number, Column> {
    const parts: SegmentDraft["parts"] = new Map();
    for (const { segment, chunks } of segments) {
      const times = decodeSegmentTimes(segment);
      for (const chunk of chunks) {
        const kind = this.#kindOf(chunk.series);
        if (kind !== undefined) addPart(parts, chunk.series, decodeChunk(kind, chunk, { times: () => times }));
      }
    }
    return new Map([...parts].map(([series, columns]) => [series, joinColumns(columns)]));
  }
}

export function addPart(parts: SegmentDraft["parts"], series: number, part: Column): void {
  const known = parts.get(series);
  if (known === undefined) parts.set(series, [part]);
  else known.push(part);
}
