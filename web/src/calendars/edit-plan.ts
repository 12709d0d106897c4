// How blocks of a plan are drawn, moved and stretched. What is drawn never overlaps: a neighbour stops it. Pure.
import { MINUTES_OF_DAY, MOST_RANGES_OF_DAY } from "#core/calendar/site-calendar.ts";
import { type Block, dayOf, inOrder, piecesOf, WEEK_MINUTES } from "./plan.ts";

type Blocks = readonly Block[];

/** What a finger or a mouse has taken hold of. */
export type Hold =
  | { readonly kind: "draw"; readonly day: number; readonly anchor: number }
  /** `by`: how far into the block it was taken. */
  | { readonly kind: "move"; readonly id: number; readonly by: number }
  | { readonly kind: "start" | "end"; readonly id: number };

/** A point of the grid: minutes of a day. */
export type Point = { readonly day: number; readonly minute: number };

const at = ({ day, minute }: Point): number => day * MINUTES_OF_DAY + minute;
const round = (minutes: number, step: number): number => Math.round(minutes / step) * step;
const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), high);

/** What lies at a point. `edge`: so many minutes beside its begin or end still mean them. */
export function holdAt(blocks: Blocks, point: Point, edge: number): Hold {
  const { day, minute } = point;
  const piece = piecesOf(blocks, day).find(({ from, to }) => minute >= from - edge && minute < to + edge);
  if (piece === undefined) return { kind: "draw", day, anchor: minute };
  const { block, from, to, isRest, goesOn } = piece;
  // The middle of a short one stays the middle.
  const reach = Math.min(edge, (to - from) / 3);
  if (!isRest && minute < from + reach) return { kind: "start", id: block.id };
  if (!goesOn && minute >= to - reach) return { kind: "end", id: block.id };
  const inside = at(point) - block.start;
  return { kind: "move", id: block.id, by: inside < 0 ? inside + WEEK_MINUTES : inside };
}

/** The free stretch around a moment of the week, as far as a day away. */
function freeAround(others: Blocks, moment: number): { readonly low: number; readonly high: number } {
  let [low, high] = [moment - MINUTES_OF_DAY, moment + MINUTES_OF_DAY];
  for (const { start, length } of others)
    for (const shift of [-WEEK_MINUTES, 0, WEEK_MINUTES]) {
      const [from, to] = [start + shift, start + shift + length];
      if (to <= moment) low = Math.max(low, to);
      else if (from >= moment) high = Math.min(high, from);
    }
  return { low, high };
}

const isFree = (others: Blocks, start: number, length: number): boolean => {
  const { low, high } = freeAround(others, start);
  return low <= start && start + length <= high && !others.some((one) => covers(one, start));
};

const covers = ({ start, length }: Block, moment: number): boolean =>
  [-WEEK_MINUTES, 0, WEEK_MINUTES].some((shift) => start + shift <= moment && moment < start + shift + length);

/** A range that begins and ends at the same time is a whole day, and that begins at midnight. */
const longest = (start: number, step: number): number =>
  start % MINUTES_OF_DAY === 0 ? MINUTES_OF_DAY : MINUTES_OF_DAY - step;

const wrap = (start: number): number => ((start % WEEK_MINUTES) + WEEK_MINUTES) % WEEK_MINUTES;

/** The blocks while something is held and the finger is at a point. `base` are those from before. */
export function dragged(
  base: Blocks,
  hold: Hold,
  { point, step, value }: { readonly point: Point; readonly step: number; readonly value: string },
): Blocks {
  return hold.kind === "draw" ? drawn(base, hold, point, step, value) : changed(base, hold, point, step);
}

function drawn(base: Blocks, hold: Extract<Hold, { kind: "draw" }>, point: Point, step: number, value: string): Blocks {
  const { day, anchor } = hold;
  const [first, last] = [Math.min(anchor, point.minute), Math.max(anchor, point.minute)];
  const { low, high } = freeAround(base, at({ day, minute: anchor }));
  const floor = Math.max(day * MINUTES_OF_DAY, low);
  const ceiling = Math.min((day + 1) * MINUTES_OF_DAY, high);
  const start = clamp(day * MINUTES_OF_DAY + Math.floor(first / step) * step, floor, ceiling);
  const end = clamp(day * MINUTES_OF_DAY + Math.ceil(last / step) * step, floor, ceiling);
  return end <= start ? base : added(base, { start, length: end - start, value });
}

function changed(base: Blocks, hold: Exclude<Hold, { kind: "draw" }>, point: Point, step: number): Blocks {
  const block = base.find(({ id }) => id === hold.id);
  if (block === undefined) return base;
  const others = base.filter((one) => one !== block);
  const { low, high } = freeAround(others, block.start);
  const put = (start: number, length: number) => replaced(base, { ...block, start: wrap(start), length });
  if (hold.kind === "move") {
    const start = round(at(point) - hold.by, step);
    if (isFree(others, wrap(start), block.length)) return put(start, fitting(start, block.length, step));
    // A neighbour stops it on the same day.
    return dayOf(block) === point.day ? put(clamp(start, low, high - block.length), block.length) : base;
  }
  const moment = nearTo(at(point), hold.kind === "start" ? block.start : block.start + block.length);
  if (hold.kind === "end") {
    const end = clamp(
      round(moment, step),
      block.start + step,
      Math.max(block.start + step, Math.min(high, block.start + longest(block.start, step))),
    );
    return end > high ? base : put(block.start, end - block.start);
  }
  const end = block.start + block.length;
  const start = clamp(round(moment, step), Math.max(low, end - MINUTES_OF_DAY), end - Math.min(step, block.length));
  return put(start, fitting(start, end - start, step));
}

const fitting = (start: number, length: number, step: number): number => Math.min(length, longest(wrap(start), step));

/** A moment of the week before or after, if that is nearer. */
function nearTo(moment: number, other: number): number {
  const half = WEEK_MINUTES / 2;
  return moment - other > half ? moment - WEEK_MINUTES : other - moment > half ? moment + WEEK_MINUTES : moment;
}

function added(blocks: Blocks, block: Omit<Block, "id">): Blocks {
  if (blocks.filter((one) => dayOf(one) === dayOf(block)).length >= MOST_RANGES_OF_DAY) return blocks;
  const id = 1 + Math.max(-1, ...blocks.map((one) => one.id));
  return inOrder([...blocks, { ...block, id }]);
}

/** The order stays, so that a form of them does not jump while somebody types. */
export const replaced = (blocks: Blocks, block: Block): Blocks =>
  blocks.map((one) => (one.id === block.id ? block : one));

export const removed = (blocks: Blocks, id: number): Blocks => blocks.filter((one) => one.id !== id);

/** One more on a day, where there is room: after the last one, else in the first gap. Undefined: the day is full. */
export function withOneMore(blocks: Blocks, day: number, value: string): Blocks | undefined {
  const hour = 60;
  const pieces = [...piecesOf(blocks, day)].sort((a, b) => a.from - b.from);
  const last = pieces.at(-1)?.to ?? 8 * hour;
  const gaps = [{ from: last, to: MINUTES_OF_DAY }];
  for (const [n, { from }] of pieces.entries()) gaps.push({ from: pieces[n - 1]?.to ?? 0, to: from });
  const gap = gaps.find(({ from, to }) => to - from >= hour) ?? gaps.find(({ from, to }) => to > from);
  if (gap === undefined) return undefined;
  const next = added(blocks, {
    start: day * MINUTES_OF_DAY + gap.from,
    length: Math.min(2 * hour, gap.to - gap.from),
    value,
  });
  return next === blocks ? undefined : next;
}

/** The blocks of one day on others, in place of what began there. */
export function copied(blocks: Blocks, from: number, days: readonly number[]): Blocks {
  const source = blocks.filter((block) => dayOf(block) === from);
  const targets = days.filter((day) => day !== from);
  let next: Blocks = blocks.filter((block) => !targets.includes(dayOf(block)));
  for (const day of targets)
    for (const block of source) next = added(next, { ...block, start: block.start + (day - from) * MINUTES_OF_DAY });
  return next;
}

/** The times of a block as somebody types them. Undefined: no time, or it begins and ends at the same one. */
export function retimed(block: Block, from: string, to: string): Block | undefined {
  const [start, end] = [readClock(from), readClock(to)];
  if (start === undefined || end === undefined || start === MINUTES_OF_DAY) return undefined;
  const isWholeDay = start === 0 && end === 0;
  if (start === end && !isWholeDay) return undefined;
  const length = end > start ? end - start : end + MINUTES_OF_DAY - start;
  return { ...block, start: dayOf(block) * MINUTES_OF_DAY + start, length };
}

function readClock(text: string): number | undefined {
  const [, hours = "", minutes = ""] = /^(\d{1,2}):(\d\d)/.exec(text) ?? [];
  const value = Number(hours) * 60 + Number(minutes);
  return hours === "" || Number(minutes) > 59 || value > MINUTES_OF_DAY ? undefined : value;
}

export type Nudge =
  | { readonly part: "both" | "end"; readonly by: number }
  | { readonly part: "day"; readonly by: number };

/** One step by the keyboard. */
export function nudged(blocks: Blocks, id: number, { part, by }: Nudge): Blocks {
  const block = blocks.find((one) => one.id === id);
  if (block === undefined) return blocks;
  const others = removed(blocks, id);
  if (part === "end") {
    const length = block.length + by;
    const isFine = length > 0 && length <= longest(block.start, Math.abs(by)) && isFree(others, block.start, length);
    return isFine ? replaced(blocks, { ...block, length }) : blocks;
  }
  const start = wrap(block.start + (part === "day" ? by * MINUTES_OF_DAY : by));
  const length = Math.min(block.length, longest(start, 1));
  return isFree(others, start, length) ? replaced(blocks, { ...block, start, length }) : blocks;
}
