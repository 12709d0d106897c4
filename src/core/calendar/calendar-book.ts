// The calendars of a site: what they say at any moment, and when that changes. Answers come from memory, and are worked out in
// pieces of four weeks when somebody asks.
import { DAY_MS } from "#core/time/hour.ts";
import { entrySpans, flatten, goesOn, planSpans, type Span, type SpansIn, without } from "./calendar-spans.ts";
import type { IcalEntry } from "./ical/read-ical.ts";
import type { CalendarValue, WeeklyPlan } from "./site-calendar.ts";

export interface CalendarState {
  readonly isOn: boolean;
  readonly value: CalendarValue | undefined;
  /** Of the entry that began last. */
  readonly title: string | undefined;
  /**
   * It is so up to this moment, when it goes on, off or to another value, or up to which it was looked. Undefined: for a year at
   * least.
   */
  readonly until: number | undefined;
}

export interface CalendarBook {
  readonly names: readonly string[];
  /** What it was made of: another thread makes the same book of it. */
  readonly calendars: readonly ReadCalendar[];
  /** Undefined: there is no such calendar, or one of its exceptions is missing. Nobody knows then. */
  stateAt(name: string, at: number): CalendarState | undefined;
  /** Since when it is as it is at this moment. Undefined: for four weeks at least, or unknown. */
  since(name: string, at: number): number | undefined;
  /** What is on or comes, in order, up to this time and number. Undefined: unknown. */
  entries(
    name: string,
    range: { readonly from: number; readonly to: number; readonly limit: number },
  ): readonly Span[] | undefined;
}

/** A calendar that was read. Plain data, so that it travels between threads. */
export type ReadCalendar = {
  readonly name: string;
  readonly except: readonly string[];
  /** An IANA name. */
  readonly timezone: string;
} & (
  | { readonly kind: "weekly"; readonly plan: WeeklyPlan }
  | { readonly kind: "ical"; readonly entries: readonly IcalEntry[] }
);

interface BookCalendar extends Pick<ReadCalendar, "name" | "except"> {
  readonly spansIn: SpansIn;
}

const spansOf = (calendar: ReadCalendar): SpansIn =>
  calendar.kind === "weekly"
    ? planSpans(calendar.plan, calendar.timezone)
    : entrySpans(calendar.entries, calendar.timezone);

const CHUNK_MS = 28 * DAY_MS;
/** How far it is looked for a change: more than a year. */
const MOST_CHUNKS = 14;
const MOST_KEPT = 64;
/** Changes that follow each other at once, such as ranges of the same value. */
const MOST_STEPS = 20_000;
/**
 * Spans that are worked out in search of a change, and for a list. A calendar may have hundreds on one day, and so may its exceptions: then
 * what comes within four weeks is known at least.
 */
const MOST_SEARCHED = 2_500;
const MOST_LISTED = 50_000;

interface Search {
  readonly most: number;
  /** Called with how far it was looked. */
  readonly reach?: (to: number) => void;
}

interface Piece {
  /** In order and without overlaps. */
  readonly spans: readonly Span[];
  /** Spans that it was made of. */
  readonly cost: number;
}

export function createCalendarBook(calendars: readonly ReadCalendar[]): CalendarBook {
  const named = new Map<string, BookCalendar>(
    calendars.map((calendar) => [calendar.name, { ...calendar, spansIn: spansOf(calendar) }]),
  );
  const kept = new Map(calendars.map(({ name }) => [name, new Map<number, Piece>()]));
  const known = new Map(calendars.map(({ name }) => [name, isKnown(named, name, [])]));

  function chunkOf(calendar: BookCalendar, n: number): Piece {
    const chunks = kept.get(calendar.name) ?? new Map<number, Piece>();
    const before = chunks.get(n);
    if (before !== undefined) return before;
    const range = { from: n * CHUNK_MS, to: (n + 1) * CHUNK_MS };
    const all = calendar.spansIn(range.from, range.to);
    let [spans, cost] = [flatten(all, range), all.length];
    for (const name of calendar.except) {
      const except = named.get(name);
      if (except === undefined) continue;
      const holes = chunkOf(except, n);
      spans = without(spans, holes.spans);
      cost += holes.cost;
    }
    if (chunks.size >= MOST_KEPT) chunks.clear();
    chunks.set(n, { spans, cost });
    return { spans, cost };
  }

  const calendarOf = (name: string) => (known.get(name) === true ? named.get(name) : undefined);

  /** The pieces from this moment on, or back from it: two at least, and then as long as they cost no more. */
  function* pieces(
    calendar: BookCalendar,
    at: number,
    { step, most, reach }: Search & { readonly step: 1 | -1 },
  ): Generator<{ readonly n: number; readonly spans: readonly Span[] }> {
    const first = Math.floor(at / CHUNK_MS);
    let cost = 0;
    for (let passed = 0; passed <= MOST_CHUNKS && (passed < 2 || cost < most); passed += 1) {
      const n = first + step * passed;
      const piece = chunkOf(calendar, n);
      cost += piece.cost;
      reach?.((step === 1 ? n + 1 : n) * CHUNK_MS);
      yield { n, spans: piece.spans };
    }
  }

  /** From the span at this moment, or the next one. */
  function* spansFrom(calendar: BookCalendar, at: number, search: Search): Generator<Span> {
    let open: Span | undefined;
    for (const { n, spans } of pieces(calendar, at, { step: 1, ...search })) {
      for (const span of spans) {
        if (span.to <= at) continue;
        if (open !== undefined && goesOn(open, span)) open = { ...open, to: span.to };
        else {
          if (open !== undefined) yield open;
          open = span;
        }
      }
      // A span may go on in the next piece.
      if (open !== undefined && open.to < (n + 1) * CHUNK_MS) {
        yield open;
        open = undefined;
      }
    }
    if (open !== undefined) yield open;
  }

  /** Back from the span at this moment, or from the one before. */
  function* spansBack(calendar: BookCalendar, at: number, search: Search): Generator<Span> {
    for (const { spans } of pieces(calendar, at, { step: -1, ...search })) {
      for (let i = spans.length - 1; i >= 0; i -= 1) {
        const span = spans[i];
        if (span !== undefined && span.from <= at) yield span;
      }
    }
  }

  /** A span may have begun in an earlier piece. */
  function whole(calendar: BookCalendar, span: Span): Span {
    let found = span;
    for (const before of spansBack(calendar, span.from, { most: MOST_SEARCHED })) {
      if (before.to > found.from) continue;
      if (!goesOn(before, found)) break;
      found = { ...found, from: before.from };
    }
    return found;
  }

  function stateAt(name: string, at: number): CalendarState | undefined {
    const calendar = calendarOf(name);
    if (calendar === undefined) return undefined;
    const end = (Math.floor(at / CHUNK_MS) + MOST_CHUNKS + 1) * CHUNK_MS;
    let state: { value: CalendarValue | undefined; title: string | undefined; until: number } | undefined;
    let [steps, looked] = [0, at];
    const reach = (reached: number) => {
      looked = reached;
    };
    for (const span of spansFrom(calendar, at, { most: MOST_SEARCHED, reach })) {
      if (state === undefined) {
        if (span.from > at) return { isOn: false, value: undefined, title: undefined, until: span.from };
        state = { value: span.value, title: span.title, until: span.to };
      } else if (span.from === state.until && span.value === state.value) state.until = span.to;
      else break;
      if (++steps >= MOST_STEPS) break;
    }
    if (state === undefined)
      return { isOn: false, value: undefined, title: undefined, until: looked < end ? looked : undefined };
    return { isOn: true, ...state, until: state.until >= end ? undefined : state.until };
  }

  function since(name: string, at: number): number | undefined {
    const calendar = calendarOf(name);
    if (calendar === undefined) return undefined;
    let start = at;
    let on: { value: CalendarValue | undefined; from: number } | undefined;
    let steps = 0;
    const reach = (reached: number) => {
      start = reached;
    };
    for (const span of spansBack(calendar, at, { most: MOST_SEARCHED, reach })) {
      if (on === undefined) {
        if (span.to <= at) return span.to;
        on = { value: span.value, from: span.from };
      } else if (span.to === on.from && span.value === on.value) on.from = span.from;
      else break;
      if (++steps >= MOST_STEPS) break;
    }
    return on === undefined || on.from <= start ? undefined : on.from;
  }

  return {
    names: calendars.map(({ name }) => name),
    calendars,
    stateAt,
    since,
    entries(name, { from, to, limit }) {
      const calendar = calendarOf(name);
      if (calendar === undefined) return undefined;
      const entries: Span[] = [];
      for (const span of spansFrom(calendar, from, { most: MOST_LISTED })) {
        if (span.from >= to || entries.length >= limit) break;
        entries.push(entries.length === 0 ? whole(calendar, span) : span);
      }
      return entries;
    },
  };
}

/** All of its exceptions are there, and none of them leads back to it. */
function isKnown(named: ReadonlyMap<string, BookCalendar>, name: string, path: readonly string[]): boolean {
  const calendar = named.get(name);
  if (calendar === undefined || path.includes(name) || path.length > DEEPEST_EXCEPT) return false;
  return calendar.except.every((one) => isKnown(named, one, [...path, name]));
}

/** Exceptions of exceptions. */
export const DEEPEST_EXCEPT = 3;
