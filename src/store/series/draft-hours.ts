import { DamagedPiece, type StoredPlace } from "./checksum.ts";
import type { Latest, StoredSegment } from "./chunk.ts";
import type { Column } from "./column.ts";
import type { HotHour } from "./hot-hour.ts";
import { HOUR_MS } from "./hot-store.ts";
import { addPart, type SealedSegments, type SegmentDraft } from "./sealed-segments.ts";

/** An hour with its points at one moment: it may get more while the database is waited for. */
interface TakenHour {
  readonly hour: HotHour;
  readonly columns: readonly (readonly [series: number, column: Column])[];
  readonly newest: readonly Latest[];
}

export function takeHour(hour: HotHour): TakenHour {
  return { hour, columns: [...hour.columns()], newest: hour.newest() };
}

interface DraftedHours {
  readonly segments: readonly StoredSegment[];
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
    for (const [series, column] of one.columns) addPart(found.draft.parts, series, column);
  }
  const segments: StoredSegment[] = [];
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
