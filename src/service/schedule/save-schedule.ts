import { allows } from "#core/access/level.ts";
import { refuse } from "#core/app-error.ts";
import { type CommandSchedule, LONGEST_LATE_MS, type MissedRule } from "#core/schedule/schedule.ts";
import { durationProblem, parseDuration, toMilliseconds } from "#core/time/duration.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { parseBulk } from "#service/bulk/bulk-wire.ts";
import { type BulkInput, type CreateBulkNeeds, hideArguments, membersOf } from "#service/bulk/create-bulk.ts";
import type { SealedSchedule } from "#service/ports/schedule-store.ts";
import type { Call, Needs } from "#service/ports.ts";
import { cronProblem, timezoneProblem } from "./next-time.ts";
import { nextTimes } from "./schedule-runner.ts";

export interface ScheduleNeeds extends CreateBulkNeeds, Pick<Needs, "schedules"> {}

type BulkBody = Parameters<typeof parseBulk>[0];

/** As in the interface; what is left out stays as it was, or has its default. */
export interface ScheduleFields {
  readonly name?: string | undefined;
  readonly bulk?: BulkBody | undefined;
  readonly at?: string | null | undefined;
  readonly cron?: string | null | undefined;
  readonly timezone?: string | undefined;
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
  const schedule = changed({ ...base, ...rest, owner, shown: what.shown, updatedAt: now }, given, now);
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
  const schedule = changed(base, given, needs.now());
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
  return (["at", "cron", "timezone", "isEnabled"] as const).some((key) => before[key] !== after[key]);
}

/** A new time counts from now on: it never makes up for what was before the change. */
function changed(before: CommandSchedule, given: ScheduleFields, now: Instant): CommandSchedule {
  const wrong = (pointer: string, message: string) => refuse("invalid_body", message, { pointer });
  const isTimed = given.at !== undefined || given.cron !== undefined;
  const at = isTimed ? (given.at ?? undefined) : before.at;
  const cron = isTimed ? (given.cron ?? undefined) : before.cron;
  if ((at === undefined) === (cron === undefined)) throw wrong("/at", "give either at or cron");
  const timezone = given.timezone ?? before.timezone;
  const noCron = cron === undefined ? undefined : cronProblem(cron);
  if (noCron !== undefined) throw wrong("/cron", noCron);
  const noZone = timezoneProblem(timezone);
  if (noZone !== undefined) throw wrong("/timezone", noZone);
  const lateMs = given.late_within === undefined ? before.lateMs : readLate(given.late_within);
  const time = typeof at === "string" ? instant(Date.parse(at)) : at;
  const schedule = { ...before, at: time, cron, timezone, lateMs };
  const isEnabled = given.is_enabled ?? before.isEnabled;
  // Who changes something else must not lose a time that is due now.
  const isSameTime = before.revision > 0 && !isTimeChanged(before, { ...schedule, isEnabled });
  const next = isSameTime ? before.nextAt : nextTimes(schedule)(now);
  if (next === undefined && isEnabled && !isSameTime)
    throw wrong(cron === undefined ? "/at" : "/cron", "this time never comes");
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
  };
}
