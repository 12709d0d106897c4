// Random schedules, changes, kills and clocks that jump, against a plain reading of the calendar: each time that is due runs at most
// once, and what does not run is noted.
import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import type { ScheduleFields, ScheduleNeeds } from "#service/schedule/save-schedule.ts";
import { changeSchedule, createSchedule } from "#service/schedule/save-schedule.ts";
import { createScheduleRunner, type ScheduleRunnerNeeds } from "#service/schedule/schedule-runner.ts";
import { ALL } from "../contract/stores.ts";
import { randomFrom } from "../support/random.ts";
import { newId } from "../support/records.ts";
import { roundsOf } from "../support/rounds.ts";
import { useRecords } from "../support/sqlite-records.ts";

const { emptied, rows } = useRecords();
const MINUTE = 60_000;
/** Some hours before the clocks change in Berlin, in New York, and not at all. */
const STARTS = [
  "2026-03-28T20:10:30Z",
  "2026-10-24T20:10:30Z",
  "2026-03-08T03:00:00Z",
  "2026-11-01T02:00:00Z",
  "2026-07-01T10:00:00Z",
];
const ZONES = ["Europe/Berlin", "America/New_York", "UTC"];

class Killed extends Error {}

/** `at` is one time; `daily` is every day at this local time, the first moment at or after it; `hourly` is at a minute of each hour. */
type Times =
  | { readonly kind: "at"; readonly at: number }
  | { readonly kind: "daily"; readonly hour: number; readonly minute: number; readonly zone: string }
  | { readonly kind: "hourly"; readonly minute: number; readonly zone: string };

function fieldsOf(times: Times): ScheduleFields {
  if (times.kind === "at") return { at: new Date(times.at).toISOString(), cron: null };
  const cron = times.kind === "daily" ? `${times.minute} ${times.hour} * * *` : `${times.minute} * * * *`;
  return { cron, at: null, timezone: times.zone };
}

const clocks = new Map(
  ZONES.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat("en-CA", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
    }),
  ]),
);

function localOf(zone: string, at: number) {
  const parts = new Map((clocks.get(zone)?.formatToParts(at) ?? []).map(({ type, value }) => [type, value]));
  const day = `${parts.get("year")}-${parts.get("month")}-${parts.get("day")}`;
  return { day, minutes: Number(parts.get("hour")) * 60 + Number(parts.get("minute")) };
}

/** Minute by minute. */
function naiveTimes(times: Times, after: number, to: number): readonly number[] {
  if (times.kind === "at") return times.at > after && times.at <= to ? [times.at] : [];
  const found: number[] = [];
  let done = "";
  const isPast = (minutes: number) => times.kind === "daily" && minutes >= times.hour * 60 + times.minute;
  const from = Math.floor(after / MINUTE) * MINUTE;
  const first = localOf(times.zone, from);
  if (isPast(first.minutes)) done = first.day;
  for (let at = from + MINUTE; at <= to; at += MINUTE) {
    const { day, minutes } = localOf(times.zone, at);
    if (times.kind === "hourly" ? minutes % 60 !== times.minute : done === day || !isPast(minutes)) continue;
    done = day;
    found.push(at);
  }
  return found;
}

async function live(seed: number): Promise<void> {
  const random = randomFrom(seed);
  const below = (most: number) => Math.floor(random() * most);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  const stores = await emptied();
  let now = Date.parse(pick(STARTS));
  const risky = async <Result>(step: () => Promise<Result>): Promise<Result> => {
    if (random() > 0.25) return await step();
    if (random() < 0.5) await step();
    throw new Killed();
  };
  const caller = { tokenId: newId(), tokenName: "admin", level: "owner", sites: "all" } as const;
  const call = { caller, operation: "test", requestId: "r", remoteAddress: "test" };
  const base = {
    ...stores,
    now: () => instant(now),
    newId,
    seal: {
      seal: (text: string) => new TextEncoder().encode(text),
      open: (bytes: Uint8Array) => new TextDecoder().decode(bytes),
      fingerprint: () => new Uint8Array(),
    },
    catalog: {},
  } as unknown as ScheduleNeeds;
  const runnerNeeds = {
    ...base,
    schedules: {
      ...stores.schedules,
      step: (...given: Parameters<typeof stores.schedules.step>) => risky(() => stores.schedules.step(...given)),
    },
    authenticator: { holder: () => ({ token: {}, caller }) },
    log: {
      warn(about: object) {
        throw (about as { err: unknown }).err;
      },
    },
  } as unknown as ScheduleRunnerNeeds;
  const someTimes = (): Times => {
    const zone = pick(ZONES);
    const kind = below(4);
    if (kind === 0) return { kind: "at", at: now + 1 + below(600) * MINUTE };
    return kind === 1
      ? { kind: "hourly", minute: below(60), zone }
      : { kind: "daily", hour: below(24), minute: pick([0, 15, 30, 45]), zone };
  };
  let times = someTimes();
  const bulk = { name: "stop", devices: { device_ids: ["nobody"] } };
  const missed = () => pick(["skip", "run_late"] as const);
  const made = await createSchedule(base, call, {
    ...fieldsOf(times),
    name: "s",
    bulk,
    missed: missed(),
    late_within: "2h",
  });
  let { revision } = made;
  let [isEnabled, expected] = [true, 0];
  /** What the plain reading has looked at: all up to here is accounted for. */
  let seen = now;
  const account = (most = Infinity) => {
    if (isEnabled) expected += Math.min(naiveTimes(times, seen, now).length, most);
    seen = Math.max(seen, now);
  };
  const tick = async () => {
    for (let isDone = false; !isDone; ) {
      try {
        await createScheduleRunner(runnerNeeds).runDue();
        isDone = true;
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
      }
    }
    account();
  };
  const change = async (given: ScheduleFields) => {
    revision = (await changeSchedule(base, call, { id: made.id, revision, given })).revision;
  };
  for (let step = 0; step < 25; step += 1) {
    const what = random();
    now += what < 0.15 ? -below(90) * MINUTE : 1 + below(pick([30_000, 10 * MINUTE, 90 * MINUTE, 400 * MINUTE]));
    if (random() < 0.6) await tick();
    if (random() < 0.2) await change({ name: `s${step}`, missed: missed() });
    // A new time counts from now on. Of what was due before, one time is noted.
    else if (random() < 0.15 && now >= seen) {
      account(1);
      times = someTimes();
      isEnabled = random() < 0.8;
      await change({ ...fieldsOf(times), is_enabled: isEnabled });
      seen = now;
    }
  }
  now = Math.max(now, seen);
  await tick();
  const runs = (await stores.schedules.runs(made.id, ALL)).items;
  const bulks = Number(
    rows(`SELECT count(*) AS total FROM bulk_command WHERE schedule_id = '${made.id}'`)[0]?.["total"],
  );
  const ran = runs.filter(({ outcome }) => outcome === "RAN");
  const lost = runs
    .filter(({ outcome }) => outcome !== "RAN")
    .map(({ reason }) => Number(/^\d+/.exec(reason ?? "")?.[0] ?? 1));
  const accounted = ran.length + lost.reduce((sum, count) => sum + count, 0);
  expect({ seed, bulks, accounted }).toEqual({ seed, bulks: ran.length, accounted: expected });
}

test("each time that is due runs at most once, and none is forgotten", { timeout: 600_000 }, async () => {
  for (let seed = 1; seed <= roundsOf("random lives of scheduled commands"); seed += 1) await live(seed);
});
