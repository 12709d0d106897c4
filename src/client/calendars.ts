import { listUnder } from "./list-of.ts";
import type { NewCalendar, Queries } from "./resources.ts";
import type { Transport } from "./transport.ts";

/** Calendars of a site: weekly plans and iCalendar files, which rules and schedules ask. */
export function calendars({ perform }: Transport) {
  const of = (site_id: string, calendar: string) => ({ params: { site_id, calendar } });
  const withRevision = (revision: number | undefined) =>
    revision === undefined ? {} : { headers: { "If-Match": `"${revision}"` } };
  return {
    list: listUnder("calendars", (site_id: string, query: Queries["listCalendars"] = {}) =>
      perform("listCalendars", { params: { site_id }, query }),
    ),
    get: (site_id: string, calendar: string) => perform("getCalendar", of(site_id, calendar)),
    /** `revision` is the one that was read, 0 for a new one: refused with 409 if it is another one. */
    put: (site_id: string, calendar: string, body: NewCalendar, revision?: number) =>
      perform("putCalendar", { ...of(site_id, calendar), body, ...withRevision(revision) }),
    delete: (site_id: string, calendar: string, revision?: number) =>
      perform("deleteCalendar", { ...of(site_id, calendar), ...withRevision(revision) }),
    /** When it is on, from a time on. */
    entries: (site_id: string, calendar: string, query: Queries["listCalendarEntries"] = {}) =>
      perform("listCalendarEntries", { ...of(site_id, calendar), query }),
    /** Everything that is wrong with a calendar, or when it is on next. Stores nothing. */
    preview: (site_id: string, body: NewCalendar) => perform("previewCalendar", { params: { site_id }, body }),
  };
}
