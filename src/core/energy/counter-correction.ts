// What people say about a doubtful step of a counter. A correction is a record of its own: the points stay as they are.
import type { Instant } from "#core/time/instant.ts";

/**
 * counter_replaced: from the step on another counter counts. value_wrong: what the step counted never flowed. accept: the
 * step is right.
 */
export const CORRECTION_KINDS = ["counter_replaced", "value_wrong", "accept"] as const;
export type CorrectionKind = (typeof CORRECTION_KINDS)[number];

/** Of a device. */
export const MAX_CORRECTIONS = 100;
export const LONGEST_CORRECTION_NOTE = 500;

export interface CounterCorrection {
  readonly id: string;
  readonly attribute: string;
  /** The step, in the unit of the counter: the value before it, and the one after it. */
  readonly beforeAt: Instant;
  readonly before: number;
  readonly at: Instant;
  readonly value: number;
  readonly kind: CorrectionKind;
  /** What the new counter showed when it was installed. Undefined: what it showed first. */
  readonly newStart: number | undefined;
  readonly note: string | undefined;
  readonly author: { readonly tokenId: string; readonly name: string };
  readonly createdAt: Instant;
}

/**
 * What has to be added to what the points count, in the unit of the counter. It never takes away more than the step
 * counted.
 *
 * A rise from 50,003 to 90,000 counts 39,997. Wrong: -39,997, so that it counts nothing. Replaced by a counter that began
 * at 89,990: 10 - 39,997, so that it counts 10. A fall from 50,002 to 20,000 counts nothing. Replaced by a counter that
 * began at 19,990: 10.
 */
export function adjustmentOf(
  { kind, value, newStart }: Pick<CounterCorrection, "kind" | "value" | "newStart">,
  counted: number,
): number {
  switch (kind) {
    case "accept":
      return 0;
    case "value_wrong":
      return 0 - counted;
    case "counter_replaced":
      return value - (newStart ?? value) - counted;
  }
}

/** What is wrong with the start of a new counter. Undefined when nothing is. */
export function newStartProblem(kind: CorrectionKind, newStart: number | undefined, value: number): string | undefined {
  if (newStart === undefined) return undefined;
  if (kind !== "counter_replaced") return "new_start belongs to counter_replaced alone";
  if (!Number.isFinite(newStart) || newStart < 0 || newStart > value) {
    return `new_start must be between 0 and the value after the step, ${value}`;
  }
  return undefined;
}
