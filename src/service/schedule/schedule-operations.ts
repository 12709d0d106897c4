// Commands that run at a time or by a schedule.
import { instant, renderInstant } from "#core/time/instant.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { pageOf, paging } from "#service/operation/query.ts";
import { Type } from "#service/operation/schema.ts";
import { listAnswer, NOTHING, renderPage, timestamp } from "#service/operation/wire.ts";
import { visibleSite } from "#service/site/visible-site.ts";
import {
  changeSchedule,
  createSchedule,
  deleteSchedule,
  readTimes,
  type ScheduleNeeds,
  seesAll,
  visibleSchedule,
} from "./save-schedule.ts";
import { comingTimes } from "./schedule-times.ts";
import {
  newScheduleSchema,
  renderRun,
  renderSchedule,
  runSchema,
  scheduleChangeSchema,
  scheduleSchema,
  scheduleTimesSchema,
} from "./schedule-wire.ts";

const USUAL_TIMES = 5;
const tag = "Commands";
const level = "readonly";
const answer = Type.Object({ schedule: scheduleSchema }, { additionalProperties: false });

export function scheduleOperations(needs: ScheduleNeeds): readonly Operation[] {
  return [
    operation({
      method: "POST",
      path: "/v3/commands/schedules",
      name: "createCommandSchedule",
      summary: "Schedule a command",
      description:
        "Once at a time, each day at a time by the clock or the sun, or by a cron expression in a time zone, for one device or for many. Each time begins a bulk command, with the rights that the caller's token has then.",
      tag,
      level,
      body: newScheduleSchema,
      answer,
      run: async (call) => ({ schedule: renderSchedule(await createSchedule(needs, call, call.body)) }),
    }),
    operation({
      method: "GET",
      path: "/v3/commands/schedules",
      name: "listCommandSchedules",
      summary: "List scheduled commands, by name",
      description: "The caller's own. With level owner and all sites: of everybody.",
      tag,
      level,
      query: paging,
      answer: listAnswer("schedules", scheduleSchema),
      run: async (call) => {
        const whose = seesAll(call) ? undefined : call.caller.tokenId;
        return renderPage("schedules", await needs.schedules.list(whose, pageOf(call.query)), renderSchedule);
      },
    }),
    operation({
      method: "POST",
      path: "/v3/commands/schedules/preview",
      name: "previewScheduleTimes",
      summary: "Work out the next times of a schedule",
      description: "With the calendars as they are now. Stores nothing.",
      tag,
      level,
      body: scheduleTimesSchema,
      answer: Type.Object({ times: Type.Array(timestamp) }, { additionalProperties: false }),
      run: async (call) => {
        const { site_id, count = USUAL_TIMES, ...given } = call.body;
        const site = site_id === undefined ? undefined : await visibleSite(needs, call, site_id);
        const nothing = { at: undefined, cron: undefined, timezone: site?.timezone ?? "UTC", timing: undefined };
        const times = await readTimes(needs, nothing, { given, siteId: site?.id });
        const coming = await comingTimes(needs, times, { after: needs.now(), count });
        return { times: coming.map((at) => renderInstant(instant(at))) };
      },
    }),
    operation({
      method: "GET",
      path: "/v3/commands/schedules/:schedule_id",
      name: "getCommandSchedule",
      summary: "Read a scheduled command",
      tag,
      level,
      answer,
      run: async (call) => ({
        schedule: renderSchedule((await visibleSchedule(needs, call, call.params.schedule_id)).schedule),
      }),
    }),
    operation({
      method: "PATCH",
      path: "/v3/commands/schedules/:schedule_id",
      name: "updateCommandSchedule",
      summary: "Change a scheduled command",
      description:
        "Refused with 409 if somebody has changed it since the given revision. From then on it has the rights of the one who changed it. Times before the change are not made up for.",
      tag,
      level,
      body: scheduleChangeSchema,
      answer,
      run: async (call) => {
        const { revision, ...given } = call.body;
        const change = { id: call.params.schedule_id, revision, given };
        return { schedule: renderSchedule(await changeSchedule(needs, call, change)) };
      },
    }),
    operation({
      method: "DELETE",
      path: "/v3/commands/schedules/:schedule_id",
      name: "deleteCommandSchedule",
      summary: "Delete a scheduled command",
      description: "What it has begun goes on.",
      tag,
      level,
      answer: NOTHING,
      run: async (call) => {
        await deleteSchedule(needs, call, call.params.schedule_id);
        return {};
      },
    }),
    operation({
      method: "GET",
      path: "/v3/commands/schedules/:schedule_id/runs",
      name: "listScheduleRuns",
      summary: "List what became of the times of a schedule, newest first",
      description: "The last 100, also times that were missed and why.",
      tag,
      level,
      query: paging,
      answer: listAnswer("runs", runSchema),
      run: async (call) => {
        const { schedule } = await visibleSchedule(needs, call, call.params.schedule_id);
        return renderPage("runs", await needs.schedules.runs(schedule.id, pageOf(call.query)), renderRun);
      },
    }),
  ];
}
