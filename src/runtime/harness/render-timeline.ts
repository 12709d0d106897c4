import type { TimelineEntry } from "#core/scenario/test-report.ts";
import { describeHappening, type Happening } from "./scenario-event.ts";

export interface StepMark {
  /** Index of the first happening of the step. */
  readonly from: number;
  readonly at: number;
  readonly text: string;
}

interface Window {
  readonly steps: readonly StepMark[];
  /** What is later is left out. */
  readonly until: number;
  /** So many of the latest. */
  readonly most: number;
}

/** Happenings and the steps between them, in words. Only what is shown is put into words. */
export function renderTimeline(
  happenings: readonly Happening[],
  { steps, until, most }: Window,
): readonly TimelineEntry[] {
  const entries: (StepMark | Happening)[] = [];
  const waiting = [...steps];
  for (const [index, happening] of happenings.entries()) {
    while (waiting[0] !== undefined && waiting[0].from <= index) entries.push(...waiting.splice(0, 1));
    entries.push(happening);
  }
  entries.push(...waiting);
  const end = entries.findLastIndex(({ at }) => at <= until) + 1;
  return entries
    .slice(Math.max(0, end - most), end)
    .map((entry) =>
      "kind" in entry
        ? { at: entry.at, text: describeHappening(entry), isStep: false }
        : { at: entry.at, text: entry.text, isStep: true },
    );
}
