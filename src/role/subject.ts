// A subject as a role lists it: what people can do with it, what it does by itself, and what it counts.
import type { Route } from "#http/route.ts";
import type { Chore } from "#role/repeat.ts";
import type { Figures } from "#service/ports/figures.ts";

export interface Subject {
  /** In the order of the reference. */
  readonly operations?: readonly Route[];
  /** Work that comes again and again. */
  readonly chores?: readonly SharedChore[];
  /** What the metrics say about it. */
  readonly figures?: () => Promise<Partial<Figures>>;
}

/** Work on the records: where several nodes share them, one node does it. */
export interface SharedChore extends Chore {
  readonly isShared?: true;
}

/** The counts of all subjects. A figure that no subject gives fails a test of the metrics. */
export async function countFigures(subjects: readonly Subject[]): Promise<Figures> {
  const counted = await Promise.all(subjects.map(async ({ figures }) => await figures?.()));
  return Object.assign({}, ...counted) as Figures;
}
