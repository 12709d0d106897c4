// Which event was the newest at each of the last seconds, so that a listener can begin a moment ago: what happened between
// the reading of a list and the opening of a stream is not lost.
import type { Instant } from "#core/time/instant.ts";

export const MAX_REPLAY_MS = 60_000;
/** Marks are at least so far apart, so their number is bounded. */
const STEP_MS = 1_000;
const MAX_MARKS = MAX_REPLAY_MS / STEP_MS + 1;

interface Mark {
  readonly at: Instant;
  /** Of the newest event before this moment. */
  readonly position: number;
}

export interface RecentPositions {
  /** An event happens now; the newest one before it is at this position. */
  note(mark: Mark): void;
  /** A position after which everything follows that happened since, and little before that. */
  since(at: Instant): number;
}

export function createRecentPositions(first: Mark): RecentPositions {
  let marks: readonly Mark[] = [first];
  return {
    note(mark) {
      const distance = mark.at - (marks.at(-1)?.at ?? 0);
      // A clock that was set back begins anew, so that marks stay in order.
      if (distance < 0) marks = [mark];
      else if (distance >= STEP_MS) marks = [...marks.slice(-(MAX_MARKS - 1)), mark];
    },
    since: (at) => (marks.findLast((mark) => mark.at <= at) ?? marks[0] ?? first).position,
  };
}
