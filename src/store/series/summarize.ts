// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.
import { itemAt } from "#core/item-at.ts";
import { addSum, addValues, type ExactSum } from "#core/telemetry/exact-sum.ts";
import { HOUR_MS } from "#core/time/hour.ts";
import type { ChunkHead } from "./chunk.ts";
import { type Column, valueAt } from "./column.ts";
import { heldGrainOf, heldParts, QUARTER_MS } from "./held-parts.ts";
import { createParts, encodeParts, firstParts, grainOf, type HeldLevels, type Parts } from "./parts.ts";

type Summarized = Pick<ChunkHead, "summary" | "grain" | "held"> & { readonly parts: Uint8Array };

interface Figures {
  readonly sum: ExactSum;
  readonly min: number;
  readonly max: number;
}

/** The summaries that answer whole buckets without the values: of the chunk [start, start + span), and of its parts. */
export function summarize(column: Column, start: number, span: number): Summarized {
  const { count, times } = column;
  const grain = column.kind === "number" ? grainOf(column, span) : 0;
  const { figures, parts, held } =
    grain === 0
      ? { figures: figuresOf(column, 0, count), parts: new Uint8Array(0), held: 0 }
      : byParts(column, start, { grain, span });
  const [firstAt, lastAt] = [itemAt(times, 0), itemAt(times, count - 1)];
  const [first, last] = [valueAt(column, 0), valueAt(column, count - 1)];
  // If no double is large enough, the sum is infinite. NaN could not be stored.
  const sum = Number.isFinite(figures.sum.high) ? figures.sum : { high: Number.POSITIVE_INFINITY, low: 0 };
  return { summary: { count, firstAt, lastAt, first, last, ...figures, sum }, grain, held, parts };
}

function byParts(
  column: Column,
  start: number,
  { grain, span }: { readonly grain: number; readonly span: number },
): { readonly figures: Figures; readonly parts: Uint8Array; readonly held: number } {
  const parts = foldParts(column, start, grain);
  const count = parts.start.length;
  const sum = { high: 0, low: 0 };
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let part = 0; part < count; part++) {
    addSum(sum, { high: itemAt(parts.sum, part), low: itemAt(parts.rest, part) });
    min = Math.min(min, itemAt(parts.min, part));
    max = Math.max(max, itemAt(parts.max, part));
  }
  const held = heldGrainOf(column, { min, max }, { span, grain });
  const levels = held === 0 ? undefined : heldLevels(column, held);
  return { figures: { sum, min, max }, parts: encodeParts(parts, count, { start, grain, held: levels }), held };
}

/** The summaries of the parts of a column of numbers, whose chunk begins at `start`. */
export function foldParts(column: Column, start: number, grain: number): Parts {
  const { times, count } = column;
  const values = column.values as Float64Array;
  const parts = createParts(Math.floor((itemAt(times, count - 1) - start) / grain) + 1);
  let part = 0;
  for (let from = 0; from < count; part++) {
    const partStart = Math.floor(itemAt(times, from) / grain) * grain;
    let to = from + 1;
    while (to < count && (times[to] ?? 0) < partStart + grain) to++;
    const own = figuresOf(column, from, to);
    parts.start[part] = partStart;
    parts.count[part] = to - from;
    parts.sum[part] = own.sum.high;
    parts.rest[part] = own.sum.low;
    parts.min[part] = own.min;
    parts.max[part] = own.max;
    parts.first[part] = itemAt(values, from);
    parts.last[part] = itemAt(values, to - 1);
    from = to;
  }
  return firstParts(parts, part);
}

function heldLevels(column: Column, held: number): HeldLevels {
  const quarters = held === QUARTER_MS ? heldParts(column, QUARTER_MS) : undefined;
  return { hours: heldParts(column, HOUR_MS), quarters };
}

/** Zero for values that are no numbers. */
function figuresOf({ kind, values }: Column, from: number, to: number): Figures {
  const sum = { high: 0, low: 0 };
  if (kind !== "number") return { sum, min: 0, max: 0 };
  const numbers = values as Float64Array;
  addValues(sum, numbers, { from, to });
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = from; i < to; i++) {
    const value = numbers[i] ?? 0;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { sum, min, max };
}
