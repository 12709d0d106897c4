// Many points of one device at once: decides which go straight into segments, and which take the usual way through the
// journal.

import { itemAt } from "#core/item-at.ts";
import { DAY_MS, HOUR_MS } from "#core/time/hour.ts";
import { BatchWriter, type SeriesDefinition } from "./batch.ts";
import type { NewSegment } from "./chunk.ts";
import { type Column, lowerBound, sliceColumn, valueAt } from "./column.ts";
import { pointsIn, type SealedSegments, type SegmentDraft } from "./sealed-segments.ts";

/** With this many hours that have points, a loaded day counts as whole. */
const WHOLE_DAY_HOURS = 20;

export interface Load {
  readonly device: number;
  /** The definitions of new series. */
  readonly definitions: readonly SeriesDefinition[];
  /** In any order; for equal times the last one counts. */
  readonly columns: LoadColumns;
}

type Parts = Map<number, [Column, ...Column[]]>;
type LoadColumns = readonly (readonly [series: number, column: Column])[];

interface PlanNeeds {
  readonly sealed: SealedSegments;
  /** Such an hour has to take the usual way, because a replay would put older writes over the loaded points. */
  readonly isJournaled: (device: number, hour: number) => boolean;
}

interface LoadPlan {
  readonly segments: readonly NewSegment[];
  /** A batch for the journal, if any point needs one. */
  readonly journal: Uint8Array | undefined;
}

/** The columns are in order of time here. */
export async function planLoad(needs: PlanNeeds, device: number, columns: LoadColumns): Promise<LoadPlan> {
  const drafts = await wholeDays(needs, device, columns);
  const parts = new Map<SegmentDraft, Parts>();
  const recent = new BatchWriter();
  for (const [series, column] of columns) {
    for (const { hour, part } of hoursOf(column)) {
      if (needs.isJournaled(device, hour)) {
        writePoints(recent, { device, series, part });
        continue;
      }
      let draft = drafts.find(({ start, span }) => start <= hour * HOUR_MS && hour * HOUR_MS < start + span);
      if (draft === undefined) {
        draft = await needs.sealed.draftOf(device, hour);
        drafts.push(draft);
      }
      const own: Parts = parts.get(draft) ?? new Map();
      own.set(series, [...(own.get(series) ?? []), part]);
      parts.set(draft, own);
    }
  }
  const segments: NewSegment[] = [];
  for (const [draft, own] of parts) {
    draft.added.push(pointsIn(own));
    segments.push(await needs.sealed.encode(draft));
  }
  return { segments, journal: recent.length === 0 ? undefined : recent.take() };
}

/** A day that arrives almost whole is stored as a day, so that its hours need not be joined later. */
async function wholeDays(
  { sealed, isJournaled }: PlanNeeds,
  device: number,
  columns: LoadColumns,
): Promise<SegmentDraft[]> {
  const hours = new Set(columns.flatMap(([, column]) => [...hoursOf(column)].map(({ hour }) => hour)));
  const days = Map.groupBy(hours, (hour) => Math.floor((hour * HOUR_MS) / DAY_MS) * DAY_MS);
  const whole: SegmentDraft[] = [];
  for (const [start, own] of days) {
    if (own.length < WHOLE_DAY_HOURS || own.some((hour) => isJournaled(device, hour))) continue;
    if (await sealed.hasDay(device, start)) continue;
    whole.push({ device, start, span: DAY_MS, existing: false, added: [] });
  }
  return whole;
}

function* hoursOf(column: Column): Iterable<{ readonly hour: number; readonly part: Column }> {
  const { times, count } = column;
  for (let from = 0; from < count; ) {
    const hour = Math.floor(itemAt(times, from) / HOUR_MS);
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
    batch.message(device, itemAt(part.times, i), 1);
    batch.value(series, valueAt(part, i));
  }
}
