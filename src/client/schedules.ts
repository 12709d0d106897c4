import { listOf, listUnder } from "./list-of.ts";
import type { CommandScheduleChange, NewCommandSchedule, NewScheduleTimes, Queries } from "./resources.ts";
import type { Transport } from "./transport.ts";

/** Commands that run at a time or by a schedule. */
export function schedules({ perform }: Transport) {
  const of = (schedule_id: string) => ({ params: { schedule_id } });
  return {
    create: (body: NewCommandSchedule) => perform("createCommandSchedule", { body }),
    list: listOf("schedules", (query: Queries["listCommandSchedules"] = {}) =>
      perform("listCommandSchedules", { query }),
    ),
    /** The next times of a schedule, with calendars as they are now. Stores nothing. */
    preview: (body: NewScheduleTimes) => perform("previewScheduleTimes", { body }),
    get: (id: string) => perform("getCommandSchedule", of(id)),
    /** Refused if somebody has changed it since the given revision. */
    update: (id: string, body: CommandScheduleChange) => perform("updateCommandSchedule", { ...of(id), body }),
    delete: (id: string) => perform("deleteCommandSchedule", of(id)),
    /** What became of its times, newest first. */
    runs: listUnder("runs", (id: string, query: Queries["listScheduleRuns"] = {}) =>
      perform("listScheduleRuns", { ...of(id), query }),
    ),
  };
}
