// What rules do with calendars: as conditions, as numbers, and as exceptions of times.
import { expect, test } from "vitest";
import { type CalendarBook, createCalendarBook } from "#core/calendar/calendar-book.ts";
import type { PlanRange, WeeklyPlan } from "#core/calendar/site-calendar.ts";
import { parseRule } from "#manifest/rule/parse-rule.ts";
import { RuleRun, RuleSiteInTime } from "../../../test/support/rule-run.ts";

const NONE: WeeklyPlan = { mon: [], tue: [], wed: [], thu: [], fri: [], sat: [], sun: [] };
const range = (from: number, to: number, value?: number): PlanRange => ({ from: from * 60, to: to * 60, value });

/** 2026-06-01 is a Monday. */
function bookOf(plan: Partial<WeeklyPlan>, name = "plan"): CalendarBook {
  const base = { kind: "weekly", except: [], timezone: "UTC" } as const;
  return createCalendarBook([{ ...base, name, plan: { ...NONE, ...plan } }]);
}

function runOf(text: string, calendars: CalendarBook | undefined): RuleRun {
  const site = new RuleSiteInTime();
  site.calendars = calendars;
  return new RuleRun(text, site).start();
}

const WHILE_ON = `
when: { calendar: plan }
then: [{ notify: on }]
else: [{ notify: off }]
`;

test("a rule is on while its calendar is, and asks to be woken at the changes alone", () => {
  const run = runOf(WHILE_ON, bookOf({ mon: [range(8, 12)], tue: [range(0, 24)] }));
  expect(run.nextDue).toBe(run.begun + 8 * 3_600_000);
  expect(run.pass("2d").done()).toEqual([
    "28800s notify on",
    "43200s notify off",
    "86400s notify on",
    "172800s notify off",
  ]);
});

test("a calendar that is missing is unknown: the rule stays as it is", () => {
  const run = runOf(WHILE_ON, bookOf({ mon: [range(0, 12)] }));
  expect(run.done()).toEqual(["0s notify on"]);
  run.site.calendars = undefined;
  run.step();
  expect(run.pass("2d").done()).toEqual([]);
  run.site.calendars = bookOf({});
  run.step();
  expect(run.done()).toEqual(["172800s notify off"]);
});

test("off is a condition of its own, and unknown is neither", () => {
  const text = "when: { calendar: plan, is: off }\nthen: [{ notify: off }]";
  expect(runOf(text, bookOf({})).done()).toEqual(["0s notify off"]);
  expect(runOf(text, bookOf({ mon: [range(0, 24)] })).done()).toEqual([]);
  expect(runOf(text, undefined).done()).toEqual([]);
});

test("values of a plan are compared, and are numbers for claims", () => {
  const text = `
when: { calendar: plan, above: 20 }
then: [{ claim: heat, device: boiler, target: { calendar: plan, plus: 1 } }]
`;
  const run = runOf(text, bookOf({ mon: [range(6, 8, 21), range(8, 9, 22), range(9, 10, 19)] }));
  expect(run.pass("1d").done()).toEqual([
    "21600s claim boiler.heat=22",
    "28800s claim boiler.heat=23",
    "32400s release boiler.heat",
  ]);
});

test.each(["at: '08:00'", "cron: '0 8 * * *'", "every: 8h"])(
  "%s does nothing while an exception is on, and says so",
  (moment) => {
    const run = runOf(`when: { ${moment}, except: plan }\nthen: [{ notify: now }]`, bookOf({ mon: [range(0, 24)] }));
    run.pass("23h");
    expect(run.done()).toEqual([]);
    expect(run.traces.map(({ outcome, why }) => [outcome, why])).toContainEqual(["skipped", "the calendar plan is on"]);
    expect(run.pass("9h30m").done()).toContain(`${(moment.startsWith("every") ? 24 : 32) * 3_600}s notify now`);
  },
);

test("with an exception that is missing nothing happens, and it is said that nobody knows", () => {
  const run = runOf("when: { at: '08:00', except: [plan] }\nthen: [{ notify: now }]", undefined);
  expect(run.pass("1d").done()).toEqual([]);
  expect(run.traces.map(({ outcome, why }) => [outcome, why])).toEqual([
    ["unknown", "nobody knows whether the calendar plan is on"],
  ]);
});

test.each([
  ["when: { calendar: holidais }", 'There is no calendar "holidais". Did you mean holidays?'],
  ["when: { at: '08:00', except: [holidais] }", 'There is no calendar "holidais". Did you mean holidays?'],
  ["when: { calendar: holidays, is: off, above: 5 }", "A calendar that is off has no value to compare."],
  ["when: { calendar: holidays, is: closed }", "closed"],
])("%s is refused: %s", (when, message) => {
  const site = { devices: new Map(), variables: undefined, calendars: new Set(["holidays"]), hasLocation: true };
  const { issues, rule } = parseRule(`${when}\nthen: [{ notify: now }]`, { site });
  expect(rule).toBeUndefined();
  expect(issues.map((issue) => issue.message).join(" ")).toContain(message);
});
