// A weekly plan as it is drawn: blocks of a week that goes round. Pure.
import type { Calendar, NewCalendar } from "#client/resources.ts";
import { type CalendarValue, LONGEST_CALENDAR_VALUE, MINUTES_OF_DAY } from "#core/calendar/site-calendar.ts";
import { WEEKDAYS, type Weekday } from "#core/time/weekday.ts";

export const WEEK_MINUTES = 7 * MINUTES_OF_DAY;
export const PLAN_KINDS = ["none", "number", "text", "boolean"] as const;
/** What holds during the ranges of a plan; `none`: it is only on or off. */
export type PlanKind = (typeof PLAN_KINDS)[number];

export type Block = {
  readonly id: number;
  /** Minutes since Monday 00:00. */
  readonly start: number;
  readonly length: number;
  /** As it is typed. Empty: on, without a value. */
  readonly value: string;
};

export type PlanDraft = { readonly kind: PlanKind; readonly blocks: readonly Block[] };

export const EMPTY_PLAN: PlanDraft = { kind: "none", blocks: [] };

export const dayOf = ({ start }: Pick<Block, "start">): number => Math.floor(start / MINUTES_OF_DAY);
const endOf = ({ start, length }: Block): number => start + length;

export function draftOfPlan(plan: NonNullable<Calendar["plan"]>): PlanDraft {
  const blocks = WEEKDAYS.flatMap((day, index) =>
    (plan[day] ?? []).map(({ from, to, value }) => ({ from: minutesOf(from), to: minutesOf(to), value, index })),
  );
  return {
    kind: kindOf(blocks.find(({ value }) => value !== undefined)?.value),
    blocks: inOrder(
      blocks.map(({ from, to, value, index }, id) => ({
        id,
        start: index * MINUTES_OF_DAY + from,
        length: to > from ? to - from : to + MINUTES_OF_DAY - from,
        value: value === undefined ? "" : String(value),
      })),
    ),
  };
}

const kindOf = (value: CalendarValue | undefined): PlanKind =>
  typeof value === "string" ? "text" : typeof value === "number" ? "number" : value === undefined ? "none" : "boolean";

export const inOrder = (blocks: readonly Block[]): readonly Block[] => [...blocks].sort((a, b) => a.start - b.start);

const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

const clockOf = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;

/** When a block begins and ends by the clock: 24:00 is the end of a day. */
export function timesOf(block: Block): { readonly from: string; readonly to: string } {
  const from = block.start % MINUTES_OF_DAY;
  const to = from + block.length;
  return { from: clockOf(from), to: clockOf(to > MINUTES_OF_DAY ? to - MINUTES_OF_DAY : to) };
}

export type BlockProblem = "overlaps" | "noNumber" | "tooLong";

/** What is wrong with a plan, by block. */
export function planProblems({ kind, blocks }: PlanDraft): ReadonlyMap<number, BlockProblem> {
  const problems = new Map<number, BlockProblem>();
  for (const block of blocks) {
    if (kind === "number" && block.value !== "" && numberOf(block.value) === undefined)
      problems.set(block.id, "noNumber");
    if (kind === "text" && block.value.length > LONGEST_CALENDAR_VALUE) problems.set(block.id, "tooLong");
    if (blocks.some((other) => other.id !== block.id && overlap(other, block))) problems.set(block.id, "overlaps");
  }
  return problems;
}

const overlap = (a: Block, b: Block): boolean =>
  [-WEEK_MINUTES, 0, WEEK_MINUTES].some((shift) => a.start + shift < endOf(b) && b.start < endOf(a) + shift);

/** A comma is a point: a form is not asked which language its writer thinks in. */
export function numberOf(text: string): number | undefined {
  const value = Number(text.trim().replace("−", "-").replace(",", "."));
  return text.trim() !== "" && Number.isFinite(value) ? value : undefined;
}

function heldOf(kind: PlanKind, text: string): CalendarValue | undefined {
  if (text === "" || kind === "none") return undefined;
  return kind === "number" ? numberOf(text) : kind === "boolean" ? text === "true" : text;
}

/** As it is stored. Ask `planProblems` first. */
export function renderPlan({ kind, blocks }: PlanDraft): NonNullable<NewCalendar["plan"]> {
  const rangesOf = (index: number) =>
    inOrder(blocks)
      .filter((block) => dayOf(block) === index)
      .map((block) => {
        const value = heldOf(kind, block.value);
        return { ...timesOf(block), ...(value !== undefined && { value }) };
      });
  return Object.fromEntries(WEEKDAYS.map((day, index) => [day, rangesOf(index)])) as Record<
    Weekday,
    ReturnType<typeof rangesOf>
  >;
}

/** Values that do not fit the new kind are left out. */
export function withKind({ blocks }: PlanDraft, kind: PlanKind): PlanDraft {
  const fits = (value: string) =>
    kind === "text" ||
    (kind === "number" && numberOf(value) !== undefined) ||
    (kind === "boolean" && /^(?:true|false)$/.test(value));
  return { kind, blocks: blocks.map((block) => (fits(block.value) ? block : { ...block, value: "" })) };
}

export type Piece = {
  readonly block: Block;
  /** Minutes of the day. */
  readonly from: number;
  readonly to: number;
  /** It began on the day before, or goes on on the next one. */
  readonly isRest: boolean;
  readonly goesOn: boolean;
};

/** What is drawn on a day. */
export function piecesOf(blocks: readonly Block[], day: number): readonly Piece[] {
  const low = day * MINUTES_OF_DAY;
  return blocks.flatMap((block) =>
    [0, WEEK_MINUTES].flatMap((shift) => {
      const [start, end] = [block.start - shift, endOf(block) - shift];
      const [from, to] = [Math.max(start, low), Math.min(end, low + MINUTES_OF_DAY)];
      if (from >= to) return [];
      return [{ block, from: from - low, to: to - low, isRest: start < low, goesOn: end > low + MINUTES_OF_DAY }];
    }),
  );
}
