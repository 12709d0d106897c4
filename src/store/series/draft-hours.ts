import { HOUR_MS } from "#core/time/hour.ts";
import { DamagedPiece, type StoredPlace } from "./checksum.ts";
import type { Latest, NewSegment } from "./chunk.ts";
import type { HotHour } from "./hot-hour.ts";
import { type PointSource, pointsIn, type SealedSegments, type SegmentDraft } from "./sealed-segments.ts";

interface TakenHour {
  readonly hour: HotHour;
  readonly points: PointSource;
  readonly newest: readonly Latest[];
}

/** An hour that gets no more points until it is sealed. */
export function takeHour(hour: HotHour): TakenHour {
  const points = { series: [...hour.series()], times: () => hour.times(), column: hour.column.bind(hour) };
  return { hour, points, newest: hour.newest() };
}

/** An hour with its points at one moment: it may get more while the database is waited for. */
export function copyHour(hour: HotHour): TakenHour {
  const columns = new Map([...hour.columns()].map(([series, column]) => [series, [column]] as const));
  return { hour, points: pointsIn(columns), newest: hour.newest() };
}

interface DraftedHours {
  readonly segments: readonly NewSegment[];
  /** The hours that are in the segments. */
  readonly done: readonly TakenHour[];
}

/** The segments that the hours belong to, with their points. `damaged` gets the hours of each segment that cannot be read. */
export async function draftHours(
  sealed: SealedSegments,
  taken: readonly TakenHour[],
  damaged: (hours: readonly HotHour[], place: StoredPlace) => void,
): Promise<DraftedHours> {
  const drafts: { readonly draft: SegmentDraft; readonly hours: TakenHour[] }[] = [];
  for (const one of taken) {
    const { device, hour } = one.hour;
    const isIn = ({ draft: { device: own, start, span } }: { readonly draft: SegmentDraft }) =>
      own === device && start <= hour * HOUR_MS && hour * HOUR_MS < start + span;
    let found = drafts.find(isIn);
    if (found === undefined) {
      found = { draft: await sealed.draftOf(device, hour), hours: [] };
      drafts.push(found);
    }
    found.hours.push(one);
    found.draft.added.push(one.points);
  }
  const segments: NewSegment[] = [];
  const done: TakenHour[] = [];
  for (const { draft, hours } of drafts) {
    try {
      segments.push(await sealed.encode(draft));
      done.push(...hours);
    } catch (error) {
      if (!(error instanceof DamagedPiece)) throw error;
      damaged(
        hours.map(({ hour }) => hour),
        error.place,
      );
    }
  }
  return { segments, done };
}
