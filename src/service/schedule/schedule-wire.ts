import { type CommandSchedule, MISSED_RULES, RUN_OUTCOMES, type ScheduleRun } from "#core/schedule/schedule.ts";
import { type Instant, renderInstant } from "#core/time/instant.ts";
import { WEEKDAYS } from "#core/time/weekday.ts";
import { newBulkSchema } from "#service/bulk/bulk-wire.ts";
import { Type } from "#service/operation/schema.ts";
import { described, id, name, nullable, oneOf, strict, timestamp } from "#service/operation/wire.ts";

const MOST_NAMES = 10;

const calendarNames = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: MOST_NAMES, description });

const fields = {
  at: Type.Optional(nullable(Type.String({ format: "date-time", description: "Once, at this time. Or cron." }))),
  cron: Type.Optional(
    nullable(Type.String({ maxLength: 100, description: "Five fields: minute, hour, day, month, weekday. Or at." })),
  ),
  daily: Type.Optional(
    nullable(
      strict("ScheduleDaily", {
        at: Type.String({ maxLength: 40, description: "07:30, or by the sun of the site: sunrise, sunset-30m." }),
        days: Type.Optional(
          Type.Array(oneOf(WEEKDAYS), { minItems: 1, maxItems: 7, description: "Default: every day." }),
        ),
      }),
    ),
  ),
  except: Type.Optional(calendarNames("Calendars of the site: a time while one of them is on is left out.")),
  only: Type.Optional(calendarNames("Calendars of the site: only times while one of them is on count.")),
  timezone: Type.Optional(
    Type.String({ maxLength: 100, description: "Of cron and daily. Default: that of the first device's site." }),
  ),
  missed: Type.Optional(
    oneOf(MISSED_RULES, { description: "What becomes of a time at which nothing ran. Default: skip." }),
  ),
  late_within: Type.Optional(
    Type.String({ maxLength: 50, description: "run_late: for so long, up to 7d. Default: 1h." }),
  ),
  is_enabled: Type.Optional(Type.Boolean({ description: "Default: true." })),
};

export const newScheduleSchema = strict("NewCommandSchedule", {
  name: name("For people."),
  bulk: newBulkSchema,
  ...fields,
});

export const scheduleChangeSchema = strict("CommandScheduleChange", {
  revision: Type.Integer({ minimum: 1, description: "The one that was read: another one is refused." }),
  name: Type.Optional(name("For people.")),
  bulk: Type.Optional(newBulkSchema),
  ...fields,
});

export const scheduleTimesSchema = strict("NewScheduleTimes", {
  site_id: Type.Optional(id("Whose sun and calendars count: the site of the devices.")),
  at: fields.at,
  cron: fields.cron,
  daily: fields.daily,
  except: fields.except,
  only: fields.only,
  timezone: fields.timezone,
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: "Default: 5." })),
});

export const scheduleSchema = described("CommandSchedule", "A command that runs at a time or by a schedule.", {
  id: id("Schedule identifier."),
  name: Type.String(),
  owner: Type.String({ description: "Name of the token whose rights it has: of the one who changed it last." }),
  is_enabled: Type.Boolean(),
  site_id: nullable(Type.String({ description: "Whose sun and calendars count. Null: it has neither." })),
  at: nullable(timestamp),
  cron: nullable(Type.String()),
  daily: nullable(strict("ShownScheduleDaily", { at: Type.String(), days: nullable(Type.Array(oneOf(WEEKDAYS))) })),
  except: Type.Array(Type.String()),
  only: Type.Array(Type.String()),
  timezone: Type.String(),
  missed: oneOf(MISSED_RULES),
  late_within_seconds: Type.Number(),
  next_at: nullable(timestamp),
  bulk: Type.Object({}, { additionalProperties: true, description: "What it runs; sensitive arguments read ***." }),
  revision: Type.Integer(),
  created_at: timestamp,
  updated_at: timestamp,
});

export const runSchema = described("ScheduleRun", "What became of one time of a schedule.", {
  due_at: timestamp,
  at: timestamp,
  outcome: oneOf(RUN_OUTCOMES),
  bulk_id: nullable(Type.String({ description: "The bulk command that began." })),
  reason: nullable(Type.String()),
});

const optional = (at: Instant | undefined) => (at === undefined ? null : renderInstant(at));

export function renderSchedule(schedule: CommandSchedule) {
  return {
    id: schedule.id,
    name: schedule.name,
    owner: schedule.owner.tokenName,
    is_enabled: schedule.isEnabled,
    site_id: schedule.timing?.siteId ?? null,
    at: optional(schedule.at),
    cron: schedule.cron ?? null,
    daily: renderDaily(schedule),
    except: [...(schedule.timing?.except ?? [])],
    only: [...(schedule.timing?.only ?? [])],
    timezone: schedule.timezone,
    missed: schedule.missed,
    late_within_seconds: schedule.lateMs / 1_000,
    next_at: schedule.isEnabled ? optional(schedule.nextAt) : null,
    bulk: schedule.shown,
    revision: schedule.revision,
    created_at: renderInstant(schedule.createdAt),
    updated_at: renderInstant(schedule.updatedAt),
  };
}

function renderDaily({ timing }: CommandSchedule) {
  const daily = timing?.daily;
  return daily === undefined ? null : { at: daily.at, days: daily.days === undefined ? null : [...daily.days] };
}

export function renderRun(run: ScheduleRun) {
  return {
    due_at: renderInstant(run.dueAt),
    at: renderInstant(run.at),
    outcome: run.outcome,
    bulk_id: run.bulkId ?? null,
    reason: run.reason ?? null,
  };
}
