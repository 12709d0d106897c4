import { refuse } from "#core/app-error.ts";
import type { CalendarState } from "#core/calendar/calendar-book.ts";
import type { Span } from "#core/calendar/calendar-spans.ts";
import type { IcalProblem } from "#core/calendar/ical/read-ical.ts";
import {
  CALENDAR_NAME,
  type CalendarContent,
  clockText,
  LONGEST_CALENDAR_VALUE,
  MINUTES_OF_DAY,
  MOST_EXCEPT,
  MOST_ICAL_BYTES,
  MOST_RANGES_OF_DAY,
  type PlanRange,
  planProblems,
  type SiteCalendar,
} from "#core/calendar/site-calendar.ts";
import { isTimezone } from "#core/site/timezone.ts";
import { instant, renderInstant } from "#core/time/instant.ts";
import { WEEKDAYS } from "#core/time/weekday.ts";
import { type Static, Type } from "#service/operation/schema.ts";
import { described, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";

const CALENDAR_KINDS = ["weekly", "ical"] as const;

const value = Type.Unsafe<string | number | boolean>({
  anyOf: [{ type: "string", maxLength: LONGEST_CALENDAR_VALUE }, { type: "number" }, { type: "boolean" }],
  description: "What holds during the range, such as a set point. All values of a plan have one type.",
});

const clock = (description: string) => Type.String({ pattern: "^([01]\\d|2[0-3]):[0-5]\\d$|^24:00$", description });

const rangeSchema = strict("PlanRange", {
  from: clock("By the local clock, such as 22:00."),
  to: clock("Such as 06:00: on the next day if it is not later. 24:00 is the end of the day."),
  value: Type.Optional(value),
});

const day = Type.Optional(Type.Array(rangeSchema, { maxItems: MOST_RANGES_OF_DAY }));

const planSchema = strict("WeeklyPlan", { mon: day, tue: day, wed: day, thu: day, fri: day, sat: day, sun: day });

const calendarName = Type.String({ minLength: 1, maxLength: 64 });

const content = {
  kind: oneOf(CALENDAR_KINDS, { description: "weekly: needs plan. ical: needs text." }),
  timezone: Type.Optional(
    nullable(
      Type.String({
        maxLength: 100,
        description: "Of a plan, and of times of a file without a zone. Default: that of the site.",
      }),
    ),
  ),
  plan: Type.Optional(planSchema),
  text: Type.Optional(
    Type.String({ maxLength: MOST_ICAL_BYTES, description: "An iCalendar file (RFC 5545), at most 256 KiB." }),
  ),
  except: Type.Optional(
    Type.Array(calendarName, {
      maxItems: MOST_EXCEPT,
      description: "Calendars of the site: while one of them is on, this one is off.",
    }),
  ),
};

export const newCalendarSchema = strict("NewCalendar", content);
export type NewCalendar = Static<typeof newCalendarSchema>;

const stateSchema = strict("CalendarState", {
  on: Type.Boolean(),
  value: nullable(value),
  title: nullable(Type.String({ description: "Of the entry that began last." })),
  since: nullable({ ...timestamp, description: "Null: for more than a year, or nobody knows." }),
  until: nullable({ ...timestamp, description: "Null: for a year at least." }),
});

export const calendarSchema = described("Calendar", "When something is on, for rules and schedules of a site.", {
  name: Type.String(),
  kind: oneOf(CALENDAR_KINDS),
  timezone: nullable(Type.String({ description: "Null: that of the site." })),
  plan: nullable(planSchema),
  text: Type.Optional(Type.String({ description: "Of kind ical, where one calendar is read." })),
  except: Type.Array(Type.String()),
  state: nullable(stateSchema),
  revision: Type.Integer(),
  created_at: timestamp,
  updated_at: timestamp,
});

export const entrySchema = strict("CalendarEntry", {
  from: timestamp,
  to: timestamp,
  value: nullable(value),
  title: nullable(Type.String()),
});

export const problemSchema = strict("CalendarProblem", {
  message: Type.String(),
  pointer: Type.String({ description: "Where, in the body." }),
  line: nullable(Type.Integer({ description: "Of the text." })),
});

/** What is wrong with a calendar, and where. */
export interface CalendarProblem {
  readonly message: string;
  readonly pointer: string;
  readonly line: number | undefined;
}

export interface ParsedCalendar {
  /** Undefined: it cannot be read at all. A text is checked elsewhere. */
  readonly content: CalendarContent | undefined;
  readonly timezone: string | undefined;
  readonly except: readonly string[];
  readonly problems: readonly CalendarProblem[];
}

export function parseCalendarName(given: string): string {
  if (CALENDAR_NAME.test(given)) return given;
  const message =
    "the name of a calendar begins with a letter, and has up to 64 of the letters a to z, digits, _ and -";
  throw refuse("invalid_request", message, { parameter: "calendar" });
}

/** Everything that is wrong besides the schema. */
export function parseCalendar(given: NewCalendar): ParsedCalendar {
  const problems: CalendarProblem[] = [];
  const wrong = (pointer: string, message: string) => problems.push({ pointer, message, line: undefined });
  const { kind, text, timezone } = given;
  if (typeof timezone === "string" && !isTimezone(timezone))
    wrong("/timezone", "this is no time zone, such as Europe/Berlin");
  const [needed, other] = kind === "weekly" ? (["plan", "text"] as const) : (["text", "plan"] as const);
  if (given[needed] === undefined) wrong(`/${needed}`, `a calendar of kind ${kind} needs ${needed}`);
  if (given[other] !== undefined) wrong(`/${other}`, `a calendar of kind ${kind} has no ${other}`);
  if (text !== undefined && Buffer.byteLength(text) > MOST_ICAL_BYTES)
    wrong("/text", "an iCalendar text has at most 256 KiB");
  for (const [n, name] of (given.except ?? []).entries())
    if (!CALENDAR_NAME.test(name)) wrong(`/except/${n}`, "this is no name of a calendar");
  const content = contentOf(given);
  if (content?.kind === "weekly")
    for (const { day: of, index, message } of planProblems(content.plan)) wrong(`/plan/${of}/${index}`, message);
  return { content, timezone: timezone ?? undefined, except: [...new Set(given.except)], problems };
}

function contentOf({ kind, text, plan }: NewCalendar): CalendarContent | undefined {
  if (kind === "ical") return text === undefined ? undefined : { kind, text };
  if (plan === undefined) return undefined;
  const rangesOf = (name: (typeof WEEKDAYS)[number]) => (plan[name] ?? []).map(parseRange);
  const [mon, tue, wed, thu, fri, sat, sun] = WEEKDAYS.map(rangesOf);
  const none: readonly PlanRange[] = [];
  return {
    kind,
    plan: {
      ...{ mon: mon ?? none, tue: tue ?? none, wed: wed ?? none, thu: thu ?? none },
      ...{ fri: fri ?? none, sat: sat ?? none, sun: sun ?? none },
    },
  };
}

const parseRange = (range: Static<typeof rangeSchema>): PlanRange => ({
  from: minutesOf(range.from) % MINUTES_OF_DAY,
  to: minutesOf(range.to),
  value: range.value,
});

const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

export const inText = ({ line, message }: IcalProblem): CalendarProblem => ({
  message: `line ${line}: ${message}`,
  pointer: "/text",
  line,
});

export const renderProblem = ({ message, pointer, line }: CalendarProblem) => ({
  message,
  pointer,
  line: line ?? null,
});

export interface ShownState extends CalendarState {
  readonly since: number | undefined;
}

const optional = (at: number | undefined) => (at === undefined ? null : renderInstant(instant(at)));

const renderState = ({ isOn, value: held, title, since, until }: ShownState) => ({
  on: isOn,
  value: held ?? null,
  title: title ?? null,
  since: optional(since),
  until: optional(until),
});

export const renderEntry = ({ from, to, value: held, title }: Span) => ({
  from: renderInstant(instant(from)),
  to: renderInstant(instant(to)),
  value: held ?? null,
  title: title ?? null,
});

/** Null as the state: nobody knows, because an exception is missing. */
export function renderCalendar(calendar: SiteCalendar, state: ShownState | undefined, withText: boolean) {
  return {
    name: calendar.name,
    kind: calendar.kind,
    timezone: calendar.timezone ?? null,
    plan: calendar.kind === "weekly" ? renderPlan(calendar.plan) : null,
    ...(withText && calendar.kind === "ical" ? { text: calendar.text } : {}),
    except: [...calendar.except],
    state: state === undefined ? null : renderState(state),
    revision: calendar.revision,
    created_at: renderInstant(calendar.createdAt),
    updated_at: renderInstant(calendar.updatedAt),
  };
}

function renderPlan(plan: Extract<SiteCalendar, { readonly kind: "weekly" }>["plan"]) {
  const [mon, tue, wed, thu, fri, sat, sun] = WEEKDAYS.map((name) => plan[name].map(renderRange));
  return { mon, tue, wed, thu, fri, sat, sun };
}

const renderRange = ({ from, to, value: held }: PlanRange) => ({
  from: clockText(from),
  to: clockText(to),
  ...(held === undefined ? {} : { value: held }),
});
