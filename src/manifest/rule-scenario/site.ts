// The site that a rule's scenario describes: devices with what they measure, variables and calendars.
import { type PlanRange, planProblems, type WeeklyPlan } from "#core/calendar/site-calendar.ts";
import { VARIABLE_NAME } from "#core/rule/site-rule.ts";
import { WEEKDAYS, type Weekday } from "#core/time/weekday.ts";
import * as r from "#manifest/reader.ts";
import { byKey, lasting } from "#manifest/rule/rule-context.ts";
import { byDevice, plainValue } from "./scenario-context.ts";

const ABSENT = { kind: "absent" } as const;

/** `absent`: it is not sent. */
export type Measured =
  | { readonly kind: "value"; readonly value: string | number | boolean }
  | typeof ABSENT
  /** A number, and what attributes of other devices measure: a meter sees what devices take. */
  | { readonly kind: "sum"; readonly value: number; readonly adds: ReadonlyMap<string, string> }
  /** What counts for a control of the device, as a device that follows it. */
  | { readonly kind: "follows"; readonly control: string; readonly times: number; readonly otherwise: number };

const FOLLOWS = {
  follows: r.must(r.text, "The control of the same device whose value is measured."),
  times: r.withDefault(r.number, 1, "The value of the control times this. Default: 1."),
  otherwise: r.withDefault(r.number, 0, "What is measured while nobody claims the control. Default: 0."),
} satisfies r.Fields;

const SUM = {
  value: r.must(r.number, "What is measured besides."),
  adds: r.must(byDevice(r.text), "Attributes of other devices that are added, by device: {heater: power}."),
} satisfies r.Fields;

const follows = r.mapped(
  r.object("value", FOLLOWS),
  ({ follows: followed, times, otherwise }): Measured => ({ kind: "follows", control: followed, times, otherwise }),
);
const sum = r.mapped(r.object("value", SUM), (given): Measured => ({ kind: "sum", ...given }));
const plain = r.mapped(
  r.wordOr("absent", ABSENT, plainValue),
  (given): Measured => (typeof given === "object" ? given : { kind: "value", value: given }),
);

const measured = r.byForm<Measured>({
  scalar: plain,
  map: byKey("value", [
    ["follows", follows],
    ["adds", sum],
    ["value", sum],
  ]),
  wanted: "a value, absent, {follows: control}, or {value: -2000, adds: {heater: power}}",
});

export const COMMAND_ENDS = ["success", "error"] as const;
type CommandEnd = (typeof COMMAND_ENDS)[number];

const CHANGING = {
  telemetry: r.withDefault(
    r.record(r.anyKey("attribute"), measured),
    new Map(),
    "What it measures from now on, by attribute; absent: it sends nothing of it.",
  ),
  properties: r.withDefault(r.record(r.anyKey("property"), r.anything), new Map(), "Its properties, for scripts."),
  alerts: r.may(r.listOf(r.text), "Exactly these alerts are active."),
  every: r.may(lasting("1s", "1d"), "How often it sends its telemetry. Default: 10s."),
  commands: r.withDefault(
    r.record(r.anyKey("command"), r.oneOf(COMMAND_ENDS)),
    new Map<string, CommandEnd>(),
    "How its commands end: success or error. Default: success.",
  ),
} satisfies r.Fields;

const CONTROL = {
  unit: r.may(r.text, "Its unit."),
  min: r.may(r.number, "The lowest value that it can have."),
  max: r.may(r.number, "The highest value that it can have."),
} satisfies r.Fields;

export type DeclaredControl = r.ReadFields<typeof CONTROL>;

const control = r.objectOr("control", CONTROL, {
  field: "unit",
  wanted: "a unit, or {unit: W, min: 0, max: 11000}",
});

const DECLARED = {
  ...CHANGING,
  units: r.withDefault(
    r.record(r.anyKey("attribute"), r.text),
    new Map<string, string>(),
    "Units of its attributes, for rules that compare in another one.",
  ),
  controls: r.withDefault(
    r.record(r.anyKey("control"), control),
    new Map<string, DeclaredControl>(),
    "What can be controlled, with its unit: {power: W}, or {current_limit: {unit: A, min: 0, max: 32}}.",
  ),
  implements: r.withDefault(r.listOf(r.text), [], "Profiles, for scripts."),
} satisfies r.Fields;

export type DeclaredDevice = r.ReadFields<typeof DECLARED>;

export const devices = r.record(r.anyKey("device"), r.object("device", DECLARED));

const CONDITIONS = ["silent", "offline", "well"] as const;

/** silent: it sends nothing. offline: nor is it connected. well: neither of the two. */
export type DeviceChange = r.ReadFields<typeof CHANGING> & { readonly becomes?: (typeof CONDITIONS)[number] };

export const deviceChanges = byDevice(
  r.byForm<DeviceChange>({
    scalar: r.mapped(r.oneOf(CONDITIONS), (becomes) => ({
      becomes,
      telemetry: new Map<string, Measured>(),
      properties: new Map(),
      commands: new Map<string, CommandEnd>(),
    })),
    map: r.object("change of a device", CHANGING),
    wanted: "silent, offline, well, or an object such as {telemetry: {power: -3000}}",
  }),
);

const variableName = r.keyOf(
  "variable",
  "It has letters, digits and _, and begins with no digit, at most 64.",
  (key) => (VARIABLE_NAME.test(key) ? key : undefined),
);

export const variables = r.record(variableName, plainValue);

export type GivenCalendar =
  | { readonly kind: "state"; readonly isOn: boolean; readonly value: string | number | boolean | undefined }
  | { readonly kind: "weekly"; readonly plan: WeeklyPlan };

const CLOCK = /^(?:[01]\d|2[0-3]):[0-5]\d$|^24:00$/;
const clock = r.scalar({ type: "string", pattern: CLOCK.source }, 'a time in quotes such as "22:00"', ({ value }) => {
  if (typeof value !== "string" || !CLOCK.test(value)) return undefined;
  const [hours = 0, minutes = 0] = value.split(":").map(Number);
  return hours * 60 + minutes;
});

const range = r.mapped(
  r.object("range of a plan", {
    from: r.must(clock, "By the clock of the site, such as 22:00."),
    to: r.must(clock, "On the next day if it is not later. 24:00 is the end of the day."),
    value: r.may(plainValue, "What holds during the range."),
  }),
  ({ from, to, value }): PlanRange => ({ from, to, value }),
);

const weekday = r.keyOf<Weekday>("day", `Days are ${WEEKDAYS.join(", ")}.`, (key) =>
  WEEKDAYS.find((day) => day === key),
);
const ranges = r.record(weekday, r.listOf(range));

/** As far as a plan says nothing of a day, nothing is on. */
const plan = r.reader<WeeklyPlan>(ranges.schema, (context, trail) => {
  const given = ranges.read(context, trail);
  if (given === undefined) return undefined;
  const whole = Object.fromEntries(WEEKDAYS.map((day) => [day, given.get(day) ?? []])) as WeeklyPlan;
  const [problem] = planProblems(whole);
  if (problem === undefined) return whole;
  const message = `${problem.day}, range ${problem.index + 1}: ${problem.message}.`;
  return context.reporter.atValue(trail, { code: "conflicting_keys", message });
});

/** on, off, or the value that it is on with. */
export const calendarState = r.mapped(plainValue, (given) => ({
  kind: "state" as const,
  isOn: given !== "off",
  value: given === "on" || given === "off" ? undefined : given,
}));

const calendar = r.byForm<GivenCalendar>({
  scalar: calendarState,
  map: r.mapped(r.object("calendar", { plan: r.must(plan, "Ranges by day, mon to sun.") }), (given) => ({
    kind: "weekly" as const,
    plan: given.plan,
  })),
  wanted: "on, off, a value, or a weekly plan",
});

export const calendars = r.record(r.anyKey("calendar"), calendar);
