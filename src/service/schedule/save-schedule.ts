import { allows } from "#core/access/level.ts";
import { refuse } from "#core/app-error.ts";
import { parseDayTime } from "#core/rule/day-time.ts";
import { type CommandSchedule, LONGEST_LATE_MS, type MissedRule } from "#core/schedule/schedule.ts";
import { nearestOf } from "#core/text/nearest.ts";
import { durationProblem, parseDuration, toMilliseconds } from "#core/time/duration.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { Weekday } from "#core/time/weekday.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { parseBulk } from "#service/bulk/bulk-wire.ts";
import { type BulkInput, type CreateBulkNeeds, hideArguments, membersOf } from "#service/bulk/create-bulk.ts";
import type { SealedSchedule } from "#service/ports/schedule-store.ts";
import type { Call, Needs } from "#service/ports.ts";
import { cronProblem, timezoneProblem } from "./next-time.ts";
import { nextTimes, type ScheduleTimeNeeds } from "./schedule-times.ts";

export interface ScheduleNeeds extends CreateBulkNeeds, ScheduleTimeNeeds, Pick<Needs, "schedules"> {}

type BulkBody = Parameters<typeof parseBulk>[0];

export interface TimeFields {
  readonly at?: string | null | undefined;
  readonly cron?: string | null | undefined;
  readonly daily?: { readonly at: string; readonly days?: readonly Weekday[] | undefined } | null | undefined;
  readonly except?: readonly string[] | undefined;
  readonly only?: readonly string[] | undefined;
  readonly timezone?: string | undefined;
}

/** As in the interface; what is left out stays as it was, or has its default. */
export interface ScheduleFields extends TimeFields {
  readonly name?: string | undefined;
  readonly bulk?: BulkBody | undefined;
  readonly missed?: MissedRule | undefined;
  readonly late_within?: string | undefined;
  readonly is_enabled?: boolean | undefined;
}

const USUAL_LATE_MS = 3_600_000;

export async function createSchedule(
  needs: ScheduleNeeds,
  call: Call,
  given: ScheduleFields & { readonly name: string; readonly bulk: BulkBody },
): Promise<CommandSchedule> {
  const now = needs.now();
  const id = needs.newId();
  const what = await readBulk(needs, call, { id, body: given.bulk });
  const base = { id, name: given.name, isEnabled: true, at: undefined, cron: undefined, timezone: what.timezone };
  const rest = { missed: "skip", lateMs: USUAL_LATE_MS, nextAt: undefined, revision: 0, createdAt: now } as const;
  const owner = { tokenId: call.caller.tokenId, tokenName: call.caller.tokenName };
  const before = { ...base, ...rest, owner, shown: what.shown, updatedAt: now };
  const schedule = await changed(needs, before, { given, now, siteId: what.siteId });
  await needs.schedules.insert({ schedule, sealed: what.sealed }, trailOf(needs, call, schedule));
  return schedule;
}

/** Whoever changes it: it has their rights from then on, so nobody gets the rights of others by it. */
export async function changeSchedule(
  needs: ScheduleNeeds,
  call: Call,
  { id, revision, given }: { readonly id: string; readonly revision: number; readonly given: ScheduleFields },
): Promise<CommandSchedule> {
  const before = await visibleSchedule(needs, call, id);
  const owner = { tokenId: call.caller.tokenId, tokenName: call.caller.tokenName };
  const what = given.bulk === undefined ? undefined : await readBulk(needs, call, { id, body: given.bulk });
  const base = { ...before.schedule, owner, revision, shown: what?.shown ?? before.schedule.shown };
  const siteId = what === undefined ? before.schedule.timing?.siteId : what.siteId;
  const schedule = await changed(needs, base, { given, now: needs.now(), siteId });
  const sealed = what?.sealed ?? before.sealed;
  const keepsTime = !isTimeChanged(before.schedule, schedule);
  const stored = await needs.schedules.update({ schedule, sealed, keepsTime }, trailOf(needs, call, schedule));
  if (stored === undefined) throw gone(id);
  return stored;
}

export async function deleteSchedule(needs: ScheduleNeeds, call: Call, id: string): Promise<void> {
  const { schedule } = await visibleSchedule(needs, call, id);
  if (!(await needs.schedules.delete(id, trailOf(needs, call, schedule)))) throw gone(id);
}

export const seesAll = ({ caller }: Pick<Call, "caller">) => caller.sites === "all" && allows(caller.level, "owner");

/** The refusal is the same whether it does not exist or the caller may not see it. */
export async function visibleSchedule(needs: ScheduleNeeds, call: Call, id: string): Promise<SealedSchedule> {
  const found = await needs.schedules.find(id);
  const isVisible = found?.schedule.owner.tokenId === call.caller.tokenId || seesAll(call);
  if (found === undefined || !isVisible) throw gone(id);
  return found;
}

const gone = (id: string) => refuse("not_found", `there is no schedule ${id.slice(0, 80)}`);

const trailOf = (needs: ScheduleNeeds, call: Call, { id, name }: CommandSchedule) =>
  auditTrail(needs, call, { target: {}, details: { schedule_id: id, name } });

function isTimeChanged(before: CommandSchedule, after: CommandSchedule): boolean {
  if (JSON.stringify(before.timing?.daily) !== JSON.stringify(after.timing?.daily)) return true;
  return (["at", "cron", "timezone", "isEnabled"] as const).some((key) => before[key] !== after[key]);
}

const wrong = (pointer: string, message: string) => refuse("invalid_body", message, { pointer });

interface Change {
  readonly given: ScheduleFields;
  readonly now: Instant;
  /** That of the first device. */
  readonly siteId: string | undefined;
}

/** A new time counts from now on: it never makes up for what was before the change. */
async function changed(
  needs: ScheduleNeeds,
  before: CommandSchedule,
  { given, now, siteId }: Change,
): Promise<CommandSchedule> {
  const when = await readTimes(needs, before, { given, siteId });
  const lateMs = given.late_within === undefined ? before.lateMs : readLate(given.late_within);
  const schedule = { ...before, ...when, lateMs };
  const isEnabled = given.is_enabled ?? before.isEnabled;
  // Who changes something else must not lose a time that is due now.
  const isSameTime = before.revision > 0 && !isTimeChanged(before, { ...schedule, isEnabled });
  const next = isSameTime ? before.nextAt : (await nextTimes(needs, schedule))(now);
  if (next === undefined && isEnabled && !isSameTime) throw wrong(`/${kindOf(schedule)}`, "this time never comes");
  return {
    ...schedule,
    name: given.name ?? before.name,
    missed: given.missed ?? before.missed,
    isEnabled,
    nextAt: next === undefined ? undefined : instant(next),
    revision: before.revision + 1,
    updatedAt: now,
  };
}

type Times = Pick<CommandSchedule, "at" | "cron" | "timezone" | "timing">;

const kindOf = ({ cron, timing }: Times) =>
  cron !== undefined ? "cron" : timing?.daily === undefined ? "at" : "daily";

/** When it runs, checked. What is not given stays as it was. */
export async function readTimes(
  needs: ScheduleTimeNeeds,
  before: Times,
  { given, siteId }: { readonly given: TimeFields; readonly siteId: string | undefined },
): Promise<Times> {
  const isTimed = [given.at, given.cron, given.daily].some((one) => one !== undefined);
  const at = isTimed ? (given.at ?? undefined) : before.at;
  const cron = isTimed ? (given.cron ?? undefined) : before.cron;
  const daily = isTimed ? (given.daily ?? undefined) : before.timing?.daily;
  if ([at, cron, daily].filter((one) => one !== undefined).length !== 1)
    throw wrong("/at", "give either at, cron or daily");
  const timezone = given.timezone ?? before.timezone;
  const noCron = cron === undefined ? undefined : cronProblem(cron);
  if (noCron !== undefined) throw wrong("/cron", noCron);
  const noZone = timezoneProblem(timezone);
  if (noZone !== undefined) throw wrong("/timezone", noZone);
  const { except = before.timing?.except ?? [], only = before.timing?.only ?? [] } = given;
  await requireDaily(needs, daily, siteId);
  await requireCalendars(needs, siteId, { except: given.except ?? [], only: given.only ?? [] });
  const time = typeof at === "string" ? instant(Date.parse(at)) : at;
  const isPlain = daily === undefined && except.length + only.length === 0;
  const timing = { siteId, daily: daily && { at: daily.at, days: daily.days }, except, only };
  return { at: time, cron, timezone, timing: isPlain ? undefined : timing };
}

async function requireDaily(
  needs: ScheduleTimeNeeds,
  daily: { readonly at: string } | undefined,
  siteId: string | undefined,
): Promise<void> {
  if (daily === undefined) return;
  const time = parseDayTime(daily.at);
  if (time === undefined) throw wrong("/daily/at", "this is no time of day such as 07:30, sunset or sunrise-30m");
  if (time.kind === "clock") return;
  const { latitude, longitude } = (siteId === undefined ? undefined : await needs.sites.find(siteId))?.location ?? {};
  if (latitude !== undefined && longitude !== undefined) return;
  throw wrong(
    "/daily/at",
    "nobody knows where the sun rises: the site has no location; set its latitude and longitude",
  );
}

async function requireCalendars(
  needs: ScheduleTimeNeeds,
  siteId: string | undefined,
  lists: { readonly except: readonly string[]; readonly only: readonly string[] },
): Promise<void> {
  for (const key of ["except", "only"] as const) {
    if (lists[key].length === 0) continue;
    if (siteId === undefined) throw wrong(`/${key}`, "calendars are those of a site, and the devices have none");
    const { names } = await needs.siteCalendars.book(siteId);
    for (const [n, name] of lists[key].entries()) {
      if (names.includes(name)) continue;
      const nearest = nearestOf(name, names);
      const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
      throw wrong(`/${key}/${n}`, `the site has no calendar ${JSON.stringify(name)}${hint}`);
    }
  }
}

function readLate(text: string): number {
  const parsed = parseDuration(text);
  const ms = parsed === undefined ? undefined : toMilliseconds(parsed);
  if (ms !== undefined && ms >= 0 && ms <= LONGEST_LATE_MS) return ms;
  throw refuse("invalid_body", durationProblem(text) ?? "late_within is at most 7d", { pointer: "/late_within" });
}

async function readBulk(
  needs: ScheduleNeeds,
  call: Call,
  { id, body }: { readonly id: string; readonly body: BulkBody },
) {
  const input: BulkInput = parseBulk(body);
  const members = await membersOf(needs, call, input);
  const siteId = members.find(({ member }) => member.siteId !== undefined)?.member.siteId;
  const site = siteId === undefined ? undefined : await needs.sites.find(siteId);
  return {
    shown: { ...body, arguments: await hideArguments(needs, input, members) },
    sealed: needs.seal.seal(JSON.stringify(input), id),
    timezone: site?.timezone ?? "UTC",
    siteId,
  };
}
