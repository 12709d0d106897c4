import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { localOffsets } from "#core/time/calendar.ts";
import { DAY_MS } from "#core/time/hour.ts";
import { WEEKDAYS } from "#core/time/weekday.ts";
import { createCalendarBook, type ReadCalendar } from "./calendar-book.ts";
import { exceptProblem } from "./except-problem.ts";
import { readIcal } from "./ical/read-ical.ts";
import { type CalendarValue, type PlanRange, planProblems, type WeeklyPlan } from "./site-calendar.ts";

const MINUTE_MS = 60_000;
const minutes = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

/** `mon 22:00-06:00=18 tue 08:00-09:00`: what is not named has no range. */
function plan(text: string): WeeklyPlan {
  const days: Record<string, PlanRange[]> = { mon: [], tue: [], wed: [], thu: [], fri: [], sat: [], sun: [] };
  for (const [, day = "", from = "", to = "", value] of text.matchAll(/(\w{3}) (\d\d:\d\d)-(\d\d:\d\d)(?:=(\S+))?/g)) {
    days[day]?.push({ from: minutes(from), to: minutes(to), value: value === undefined ? undefined : Number(value) });
  }
  return days as unknown as WeeklyPlan;
}

const weekly = (name: string, text: string, more: Partial<ReadCalendar> = {}): ReadCalendar =>
  ({ name, kind: "weekly", plan: plan(text), except: [], timezone: "Europe/Berlin", ...more }) as ReadCalendar;

const at = (text: string) => Date.parse(text);
const shown = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 16));

describe("a weekly plan", () => {
  const book = createCalendarBook([
    weekly("p", "mon 22:00-06:00=18 tue 06:00-08:00=18 tue 08:00-09:00=21 sun 23:00-24:00"),
  ]);
  test.each([
    ["2026-11-16T20:59Z", false, undefined, undefined, "2026-11-16T21:00"],
    ["2026-11-16T21:00Z", true, 18, "2026-11-16T21:00", "2026-11-17T07:00"],
    ["2026-11-17T06:59Z", true, 18, "2026-11-16T21:00", "2026-11-17T07:00"],
    ["2026-11-17T07:00Z", true, 21, "2026-11-17T07:00", "2026-11-17T08:00"],
    ["2026-11-17T08:00Z", false, undefined, "2026-11-17T08:00", "2026-11-22T22:00"],
    ["2026-11-22T22:30Z", true, undefined, "2026-11-22T22:00", "2026-11-22T23:00"],
  ] as const)("at %s it is on: %s, with %s, since %s and until %s", (when, isOn, value, since, until) => {
    const state = book.stateAt("p", at(when));
    expect(state).toEqual({ isOn, value, title: undefined, until: at(`${until}Z`) });
    if (since !== undefined) expect(shown(book.since("p", at(when)))).toBe(since);
  });

  test("a plan that is always on has no change, and none that is never on", () => {
    const always = WEEKDAYS.map((day) => `${day} 00:00-24:00`).join(" ");
    const both = createCalendarBook([weekly("on", always), weekly("off", "")]);
    expect(both.stateAt("on", 0)).toEqual({ isOn: true, value: undefined, title: undefined, until: undefined });
    expect(both.stateAt("off", 0)).toEqual({ isOn: false, value: undefined, title: undefined, until: undefined });
    expect([both.since("on", 0), both.since("off", 0)]).toEqual([undefined, undefined]);
  });

  test("its entries follow each other, and the first one is whole", () => {
    const entries = book.entries("p", { from: at("2026-11-17T00:00Z"), to: at("2026-11-24T00:00Z"), limit: 3 });
    expect(entries?.map(({ from, to, value }) => [shown(from), shown(to), value])).toEqual([
      ["2026-11-16T21:00", "2026-11-17T07:00", 18],
      ["2026-11-17T07:00", "2026-11-17T08:00", 21],
      ["2026-11-22T22:00", "2026-11-22T23:00", undefined],
    ]);
  });
});

describe("entries that begin hundreds of times on one day", () => {
  const often = Array.from({ length: 20 }, (_, n) => {
    const hours = Array.from({ length: 24 }, (_, hour) => hour).join(",");
    return `BEGIN:VEVENT\nUID:${n}\nDTSTART:20200101T000000\nDURATION:PT1H\nRRULE:FREQ=DAILY;BYHOUR=${hours}\nEND:VEVENT\n`;
  });
  const { entries, problems } = readIcal(`BEGIN:VCALENDAR\n${often.join("")}END:VCALENDAR\n`, "UTC");
  const book = createCalendarBook([
    { name: "often", kind: "ical", entries, except: [], timezone: "UTC" },
    { name: "never", kind: "ical", entries, except: ["often"], timezone: "UTC" },
  ]);
  const now = at("2026-06-01T12:00:00Z");

  test("a change is looked for within weeks, not within a year", () => {
    expect(problems).toEqual([]);
    for (const [name, isOn] of [
      ["often", true],
      ["never", false],
    ] as const) {
      const state = book.stateAt(name, now);
      const weeks = ((state?.until ?? Number.POSITIVE_INFINITY) - now) / (7 * DAY_MS);
      expect([state?.isOn, weeks >= 4 && weeks <= 8]).toEqual([isOn, true]);
    }
    expect(book.since("often", now)).toBeUndefined();
  });

  test("a list looks further", () => {
    const to = now + 200 * DAY_MS;
    expect(book.entries("often", { from: now, to, limit: 10 })).toMatchObject([{ to: expect.any(Number) }]);
    const [only] = book.entries("often", { from: now, to, limit: 10 }) ?? [];
    expect((only?.to ?? 0) > now + 50 * DAY_MS).toBe(true);
  });
});

describe("exceptions", () => {
  test("while one is on, the calendar is off", () => {
    const book = createCalendarBook([
      weekly("work", "tue 08:00-18:00=1", { except: ["lunch"] }),
      weekly("lunch", "tue 12:00-13:00"),
    ]);
    const [entries] = [book.entries("work", { from: at("2026-11-17T00:00Z"), to: at("2026-11-18T00:00Z"), limit: 9 })];
    expect(entries?.map(({ from, to }) => [shown(from), shown(to)])).toEqual([
      ["2026-11-17T07:00", "2026-11-17T11:00"],
      ["2026-11-17T12:00", "2026-11-17T17:00"],
    ]);
  });

  test("without one of them nobody knows, and neither in a circle", () => {
    const book = createCalendarBook([
      weekly("a", "", { except: ["gone"] }),
      weekly("b", "", { except: ["c"] }),
      weekly("c", "", { except: ["b"] }),
    ]);
    for (const name of ["a", "b", "c", "none"]) {
      expect([book.stateAt(name, 0), book.since(name, 0)]).toEqual([undefined, undefined]);
      expect(book.entries(name, { from: 0, to: DAY_MS, limit: 1 })).toBeUndefined();
    }
  });

  test.each([
    [["holidais"], 'the site has no calendar "holidais"; did you mean holidays?'],
    [["a"], "the exceptions lead back: a, a"],
    [["back"], "the exceptions lead back: a, back, a"],
    [["holidays"], undefined],
  ])("a calendar with the exceptions %s has the problem: %s", (except, problem) => {
    const others = [
      { name: "holidays", except: [] },
      { name: "back", except: ["a"] },
    ];
    expect(exceptProblem({ name: "a", except }, others)).toBe(problem);
  });

  test("a calendar that gives another one too many levels of exceptions is refused", () => {
    const chain = ["a", "b", "c", "d"].map((name, n) => ({ name, except: ["b", "c", "d", "e"].slice(n, n + 1) }));
    const [last, ...others] = [...chain].reverse();
    expect(exceptProblem({ name: "e", except: [] }, chain)).toContain("exceptions have at most");
    expect(exceptProblem({ ...(last ?? { name: "d" }), except: [] }, others)).toBeUndefined();
  });
});

test.each([
  ["mon 22:00-06:00 tue 05:00-07:00", [["tue", 0, "it overlaps the range mon 22:00 to 06:00"]]],
  ["mon 05:00-07:00 sun 22:00-06:00", [["mon", 0, "it overlaps the range sun 22:00 to 06:00"]]],
  ["mon 05:00-05:00", [["mon", 0, "it begins and ends at the same time; a whole day is 00:00 to 24:00"]]],
  ["mon 22:00-24:00 tue 00:00-06:00 sun 22:00-00:00", []],
])("the plan %s has the problems %j", (text, problems) => {
  expect(planProblems(plan(text)).map(({ day, index, message }) => [day, index, message])).toEqual(problems);
});

test("values of one plan have one type", () => {
  const mixed: WeeklyPlan = { ...plan("mon 05:00-06:00=1"), tue: [{ from: 0, to: 60, value: "eco" }] };
  expect(planProblems(mixed).map(({ day, message }) => [day, message])).toEqual([
    ["tue", "all values of a plan are numbers, or all are texts, or all are booleans"],
  ]);
});

/** By going through each minute: the first moment at which the clock of the zone shows this time or a later one. */
function naiveMoment(timezone: string, local: number, cache: Map<number, number>): number {
  const before = cache.get(local);
  if (before !== undefined) return before;
  const offset = localOffsets(timezone);
  let moment = local - 15 * 3_600_000;
  while (moment + offset(moment) < local) moment += MINUTE_MS;
  cache.set(local, moment);
  return moment;
}

function naiveState(
  weeklyPlan: WeeklyPlan,
  timezone: string,
  { when, cache }: { when: number; cache: Map<number, number> },
) {
  const today = Math.floor((when + localOffsets(timezone)(when)) / DAY_MS) * DAY_MS;
  for (const day of [today - DAY_MS, today]) {
    for (const { from, to, value } of weeklyPlan[WEEKDAYS[(new Date(day).getUTCDay() + 6) % 7] ?? "mon"]) {
      const start = naiveMoment(timezone, day + from * MINUTE_MS, cache);
      const end = naiveMoment(timezone, day + (to > from ? to : to + 1_440) * MINUTE_MS, cache);
      if (start <= when && when < end) return { isOn: true, value };
    }
  }
  return { isOn: false, value: undefined };
}

/** The days around the changes of the clocks. */
const CHANGES = [
  ["Europe/Berlin", "2026-03-28", "2026-10-24"],
  ["America/New_York", "2026-03-07", "2026-10-31"],
  ["Australia/Lord_Howe", "2026-04-04", "2026-10-03"],
  ["America/St_Johns", "2026-03-07", "2026-10-31"],
  ["Asia/Kathmandu", "2026-03-28", "2026-10-24"],
  ["America/Sao_Paulo", "2018-02-17", "2018-11-03"],
] as const;

const somePlan = fc
  .array(fc.tuple(fc.nat(6), fc.nat(95), fc.integer({ min: 1, max: 60 }), fc.option(fc.integer({ min: 0, max: 2 }))), {
    maxLength: 12,
  })
  .map((drawn): WeeklyPlan => {
    const days: Record<string, PlanRange[]> = { mon: [], tue: [], wed: [], thu: [], fri: [], sat: [], sun: [] };
    for (const [day, from, length, value] of drawn) {
      const range = {
        from: from * 15,
        to: ((from + length) % 96) * 15,
        value: (value ?? undefined) as CalendarValue | undefined,
      };
      const name = WEEKDAYS[day] ?? "mon";
      days[name]?.push(range);
      if (planProblems(days as unknown as WeeklyPlan).length > 0) days[name]?.pop();
    }
    return days as unknown as WeeklyPlan;
  });

test.each(CHANGES)(
  "in %s random plans are as a plain reading of the clock says, over both changes",
  (timezone, ...days) => {
    const caches = new Map<number, number>();
    fc.assert(
      fc.property(
        somePlan,
        fc.constantFrom(...days),
        fc.array(fc.nat(3 * 1_440), { minLength: 5, maxLength: 8 }),
        (drawn, day, offsets) => {
          const book = createCalendarBook([{ name: "p", kind: "weekly", plan: drawn, except: [], timezone }]);
          for (const minute of offsets) {
            const when = at(`${day}T00:00:00Z`) + minute * MINUTE_MS;
            const naive = (moment: number) => naiveState(drawn, timezone, { when: moment, cache: caches });
            const state = book.stateAt("p", when);
            expect(state).toMatchObject(naive(when));
            const until = state?.until;
            if (until === undefined) continue;
            // It stays so up to the change, and then it is not so any more.
            expect(naive(until)).not.toEqual(naive(when));
            for (let between = when; between < Math.min(until, when + 2 * DAY_MS); between += 7 * MINUTE_MS)
              expect(naive(between)).toEqual(naive(when));
            const since = book.since("p", when);
            if (since === undefined || when - since > 2 * DAY_MS) continue;
            expect(naive(since)).toEqual(naive(when));
            expect(naive(since - 1)).not.toEqual(naive(when));
          }
        },
      ),
      { numRuns: 25, seed: 7 },
    );
  },
);
