// Who is told when, minute by minute. A script says what happens; `plan` says what goes out.
import { describe, expect, test } from "vitest";
import { createCalendarBook, type ReadCalendar } from "#core/calendar/calendar-book.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { planMessages } from "./plan-messages.ts";
import type { Route } from "./route.ts";
import { NEW_WATCH, type Watch, type WatchContext, type Watched } from "./watch.ts";

const MINUTE = 60_000;
const NOON = Date.parse("2026-11-17T12:00:00Z");
const TIMES = { createdAt: instant(0), updatedAt: instant(0) };

const route = (fields: Partial<Route> = {}): Route => ({
  ...{ id: "r", siteId: "s", name: "R", isEnabled: true, severity: "info", profiles: [], hours: undefined },
  ...{ tellsRules: true, groupMs: 0, remindMs: undefined, tellsOver: true, ...TIMES },
  steps: [{ channels: ["a"], afterMs: 0 }],
  ...fields,
});

const ALERT: Watched = {
  ...{ kind: "alert", severity: "warning", readLevel: "readonly", blueprintId: "b1", isHard: true, isActive: true },
  ...{ isAcknowledged: false, silencedUntil: undefined },
};

type Moment = Partial<Watched> & { readonly behind?: readonly string[]; readonly clock?: number };

interface World {
  readonly routes?: readonly Route[];
  readonly quiet?: { readonly calendar: string; readonly except: "error" | undefined };
  readonly calendars?: readonly ReadCalendar[];
  readonly start?: number;
  readonly level?: "readonly" | "owner";
}

/** What goes out of some alerts, as `minute channel kind:alerts`. Looks each minute, like a service that is up or restarted. */
function run(minutes: number, script: Readonly<Record<string, Readonly<Record<number, Moment>>>>, world: World = {}) {
  const { routes = [route()], quiet, calendars = [], start = NOON, level = "owner" } = world;
  const book = createCalendarBook(calendars);
  const channel = { quiet, level };
  let watches = new Map<
    string,
    { readonly watch: Watch; readonly watched: Watched; readonly nextAt: Instant | undefined }
  >();
  let behind = new Set<string>();
  let clock = start;
  const out: string[] = [];
  for (let minute = 0; minute < minutes; minute += 1) {
    const now = instant(clock + minute * MINUTE);
    for (const [name, moments] of Object.entries(script)) {
      const { behind: waiting, clock: shift, ...moment } = moments[minute] ?? {};
      if (moments[minute] === undefined) continue;
      const known = watches.get(name);
      if (waiting !== undefined) behind = new Set(waiting);
      if (shift !== undefined) clock += shift;
      const watched = { ...(known?.watched ?? ALERT), ...moment };
      watches.set(name, { watch: known?.watch ?? NEW_WATCH, watched, nextAt: instant(0) });
    }
    const context: WatchContext = {
      ...{ now: instant(clock + minute * MINUTE), routes, behind },
      channels: new Map(["a", "b", "c"].map((id) => [id, channel])),
      calendar: (name) => book.stateAt(name, now),
      implementing: (profile) => new Set(profile === "energy.battery" ? ["b1"] : []),
    };
    // Only what is due, or may join: as the service asks for it.
    const due = [...watches].filter(([, { nextAt }]) => nextAt !== undefined && nextAt <= context.now + 30 * MINUTE);
    if (!due.some(([, { nextAt }]) => (nextAt ?? 0) <= context.now)) continue;
    const { watches: after, messages } = planMessages(
      due.map(([key, { watch, watched }]) => ({ key, watch, watched })),
      context,
    );
    // Stored and read back.
    watches = new Map(watches);
    for (const { key, watch, nextAt } of after) {
      const known = watches.get(key);
      if (watch === undefined || known === undefined) watches.delete(key);
      else watches.set(key, { ...known, watch, nextAt });
    }
    for (const { channelId, kind, keys, count } of messages)
      out.push(`${minute} ${channelId} ${kind}${count > 0 ? count : ""}:${keys.join("+")}`);
  }
  return out;
}

const OVER: Moment = { isActive: false };
const ACKNOWLEDGED: Moment = { isAcknowledged: true };

test("an alert is told once, and that it is over once, however often it is looked at", () => {
  expect(run(60, { x: { 0: {}, 5: {}, 9: {}, 20: OVER, 25: OVER } })).toEqual(["0 a raised:x", "20 a over:x"]);
});

test("whoever was not told of it is not told that it is over", () => {
  const late = route({ steps: [{ channels: ["a"], afterMs: 10 * MINUTE }] });
  expect(run(60, { x: { 0: {}, 5: OVER } }, { routes: [late] })).toEqual([]);
  expect(run(60, { x: { 0: { isHard: false }, 5: OVER } })).toEqual([]);
});

test("the next ones are told after their time, and nobody after an acknowledgement", () => {
  const steps = [
    { channels: ["a"], afterMs: 0 },
    { channels: ["b"], afterMs: 10 * MINUTE },
    { channels: ["c"], afterMs: 30 * MINUTE },
  ];
  const routes = [route({ steps, remindMs: 15 * MINUTE })];
  expect(run(60, { x: { 0: {}, 20: ACKNOWLEDGED, 50: OVER } }, { routes })).toEqual([
    ...["0 a raised:x", "10 b raised:x", "15 a reminder1:x", "50 a over:x", "50 b over:x"],
  ]);
  // Taken back: it goes on.
  expect(run(40, { x: { 0: {}, 5: ACKNOWLEDGED, 35: { isAcknowledged: false } } }, { routes })).toEqual([
    ...["0 a raised:x", "35 a reminder1:x", "35 b raised:x", "35 c raised:x"],
  ]);
});

test("what comes together is one message, and so are its reminders and its end", () => {
  const routes = [route({ groupMs: 5 * MINUTE, remindMs: 20 * MINUTE })];
  const script = { x: { 0: {}, 40: OVER }, y: { 3: {}, 42: OVER }, z: { 6: {} } };
  expect(run(60, script, { routes })).toEqual([
    ...["5 a raised:x+y", "11 a raised:z", "25 a reminder1:x+y", "31 a reminder1:z"],
    ...["45 a over:x+y", "51 a reminder2:z"],
  ]);
});

test("a thousand alerts make ten messages, each of them in one", () => {
  const names = Array.from({ length: 1_000 }, (_, n) => `n${n}`);
  const out = run(1, Object.fromEntries(names.map((name) => [name, { 0: {} }])));
  expect(out).toHaveLength(10);
  expect(out.flatMap((line) => (line.split(":")[1] ?? "").split("+"))).toEqual(names);
});

test("several routes that name a channel tell it once, by the earliest step and the shortest reminder", () => {
  const slow = route({ id: "slow", steps: [{ channels: ["a", "b"], afterMs: 5 * MINUTE }], remindMs: 10 * MINUTE });
  expect(run(12, { x: { 0: {} } }, { routes: [slow, route({ remindMs: 30 * MINUTE })] })).toEqual([
    ...["0 a raised:x", "5 b raised:x", "10 a reminder1:x"],
  ]);
});

test.each([
  ["severity", { severity: "error" }, {}, []],
  ["severity", { severity: "warning" }, {}, ["0 a raised:x"]],
  ["profile", { profiles: ["energy.meter"] }, {}, []],
  ["profile", { profiles: ["energy.meter", "energy.battery"] }, {}, ["0 a raised:x"]],
  ["profile of a device without blueprint", { profiles: ["energy.battery"] }, { blueprintId: undefined }, []],
  ["being disabled", { isEnabled: false }, {}, []],
  ["having been made later", { createdAt: instant(NOON + 1) }, {}, []],
  ["level of the channel", {}, { readLevel: "vendor" }, []],
] as const)("a route has the condition %s: %j of %j", (_name, fields, moment, told) => {
  expect(run(3, { x: { 0: moment } }, { routes: [route(fields as Partial<Route>)] })).toEqual(told);
});

test("a maintenance window silences; what is active when it ends is told then, and what is over is not", () => {
  const silencedUntil = instant(NOON + 10 * MINUTE);
  const ended = { silencedUntil: undefined };
  expect(run(30, { x: { 0: { silencedUntil }, 10: ended }, y: { 0: { silencedUntil }, 5: OVER } })).toEqual([
    "10 a raised:x",
  ]);
});

describe("hours", () => {
  const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
  const daily = (name: string, from: string, to: string): ReadCalendar => {
    const minutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
    const range = { from: minutes(from), to: minutes(to), value: undefined };
    const plan = Object.fromEntries(DAYS.map((day) => [day, [range]])) as never;
    return { name, kind: "weekly", plan, except: [], timezone: "Europe/Berlin" };
  };
  const night = [daily("night", "22:00", "06:00")];
  const quiet = { calendar: "night", except: "error" } as const;
  const atLocal = (text: string) => Date.parse(text);

  test("a quiet channel is told in the morning what is still active; the gravest goes out at once", () => {
    const start = atLocal("2026-11-17T22:00:00+01:00");
    const script = { x: { 0: {} }, y: { 1: { severity: "error" } }, z: { 2: {}, 100: OVER } } as const;
    expect(run(500, script, { quiet, calendars: night, start })).toEqual(["1 a raised:y", "480 a raised:x"]);
  });

  test("the end waits, too, and nobody is reminded at night", () => {
    const start = atLocal("2026-11-17T21:50:00+01:00");
    const routes = [route({ remindMs: 60 * MINUTE })];
    expect(run(600, { x: { 0: {} }, y: { 0: {}, 30: OVER } }, { quiet, calendars: night, start, routes })).toEqual([
      ...["0 a raised:x+y", "490 a reminder1:x", "490 a over:y", "550 a reminder2:x"],
    ]);
  });

  test.each([
    ["2026-03-28T22:00:00+01:00", 7 * 60],
    ["2026-10-24T22:00:00+02:00", 9 * 60],
  ])("the night from %s lasts %i minutes, because the clocks change", (start, minutes) => {
    const out = run(600, { x: { 0: {} } }, { quiet, calendars: night, start: atLocal(start) });
    expect(out).toEqual([`${minutes} a raised:x`]);
  });

  test("a route for some hours tells what is still active when they begin", () => {
    const routes = [route({ hours: "night" })];
    const start = atLocal("2026-11-17T21:00:00+01:00");
    expect(run(120, { x: { 0: {} }, y: { 0: {}, 30: OVER } }, { routes, calendars: night, start })).toEqual([
      "60 a raised:x",
    ]);
  });

  test("a calendar that nobody knows keeps nobody from being told", () => {
    expect(
      run(3, { x: { 0: {} } }, { quiet: { ...quiet, except: undefined }, routes: [route({ hours: "gone" })] }),
    ).toEqual(["0 a raised:x"]);
  });
});

test("a clock that is put back tells nothing twice, and delays a reminder by no more than its time", () => {
  const routes = [route({ remindMs: 10 * MINUTE })];
  const out = run(40, { x: { 0: {}, 5: { clock: -60 * MINUTE }, 9: {} } }, { routes });
  expect(out).toEqual(["0 a raised:x", "15 a reminder1:x", "25 a reminder2:x", "35 a reminder3:x"]);
});

test("nobody is reminded of what has not arrived", () => {
  const routes = [route({ remindMs: 10 * MINUTE })];
  expect(run(31, { x: { 0: {}, 1: { behind: ["a"] }, 25: { behind: [] } } }, { routes })).toEqual([
    ...["0 a raised:x", "25 a reminder1:x"],
  ]);
});

test("a message of a rule is told once, to the first of a route without profiles", () => {
  const steps = [
    { channels: ["a"], afterMs: 0 },
    { channels: ["b"], afterMs: 0 },
  ];
  const rule = { kind: "rule" } as const;
  const routes = [route({ steps, remindMs: MINUTE }), route({ id: "p", profiles: ["energy.battery"] })];
  expect(run(30, { x: { 0: rule, 9: rule } }, { routes }).slice(0, 1)).toEqual(["0 a rule:x"]);
  expect(run(9, { x: { 0: rule } }, { routes: [route({ tellsRules: false })] })).toEqual([]);
});
