// Calendars of a site: weekly plans and iCalendar files, which rules and schedules ask.
import { refuse } from "#core/app-error.ts";
import { type CalendarBook, createCalendarBook } from "#core/calendar/calendar-book.ts";
import type { SiteCalendar } from "#core/calendar/site-calendar.ts";
import { DAY_MS } from "#core/time/hour.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { expectedRevision, IF_MATCH } from "#service/interlock/interlock-wire.ts";
import { askedOfGateway, siteOfPath } from "#service/operation/find-place.ts";
import { type AnyCall, type Operation, operation } from "#service/operation/operation.ts";
import { dateTime, pageOf, paging, wholeNumber } from "#service/operation/query.ts";
import { Type } from "#service/operation/schema.ts";
import { listAnswer, NOTHING, renderPage, strict } from "#service/operation/wire.ts";
import { visibleSite } from "#service/site/visible-site.ts";
import {
  calendarSchema,
  entrySchema,
  newCalendarSchema,
  parseCalendarName,
  problemSchema,
  renderCalendar,
  renderEntry,
  renderProblem,
  type ShownState,
} from "./calendar-wire.ts";
import { checkCalendar, putCalendar, type SaveCalendarNeeds } from "./save-calendar.ts";

const tag = "Calendars";
const level = "owner";
const base = "/v3/sites/:site_id/calendars";
/** A person who changes a calendar wants to see what it says, and only the gateway knows that. */
const atGateway = {
  by: "gateway",
  place: siteOfPath,
  waits: false,
  compares: "nothing",
  expected: (call: AnyCall) => expectedRevision(call),
  shown: (call: AnyCall) => ({ calendar: (call.params as { readonly calendar: string }).calendar.slice(0, 80) }),
} as const;
const answer = Type.Object({ calendar: calendarSchema }, { additionalProperties: false });
const entriesAnswer = Type.Object({ entries: Type.Array(entrySchema) }, { additionalProperties: false });
const USUAL_ENTRIES = 20;
const MOST_ENTRIES = 1_000;
const FARTHEST_MS = 366 * DAY_MS;

export function calendarOperations(needs: SaveCalendarNeeds): readonly Operation[] {
  return [...reading(needs), ...changing(needs)];
}

function stateOf(book: CalendarBook, name: string, now: number): ShownState | undefined {
  const state = book.stateAt(name, now);
  return state && { ...state, since: book.since(name, now) };
}

async function shown(needs: SaveCalendarNeeds, calendar: SiteCalendar) {
  const book = await needs.siteCalendars.book(calendar.siteId);
  return { calendar: renderCalendar(calendar, stateOf(book, calendar.name, needs.now()), true) };
}

async function required(needs: SaveCalendarNeeds, siteId: string, name: string): Promise<SiteCalendar> {
  const calendar = await needs.calendars.find(siteId, name);
  if (calendar === undefined) throw gone(name);
  return calendar;
}

const gone = (name: string) => refuse("not_found", `the site has no calendar ${JSON.stringify(name.slice(0, 80))}`);

function reading(needs: SaveCalendarNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: base,
      name: "listCalendars",
      summary: "List the calendars of a site, by name",
      description: "With what they say now, and without the text of files.",
      tag,
      level: "readonly",
      atGateway: askedOfGateway,
      query: paging,
      answer: listAnswer("calendars", calendarSchema),
      run: async (call) => {
        const { id } = await visibleSite(needs, call, call.params.site_id);
        const book = await needs.siteCalendars.book(id);
        const now = needs.now();
        const page = await needs.calendars.list(id, pageOf(call.query));
        return renderPage("calendars", page, (one: SiteCalendar) =>
          renderCalendar(one, stateOf(book, one.name, now), false),
        );
      },
    }),
    operation({
      method: "GET",
      path: `${base}/:calendar`,
      name: "getCalendar",
      summary: "Read a calendar of a site",
      description: "With the text of a file, and what it says now.",
      tag,
      level: "readonly",
      atGateway: askedOfGateway,
      answer,
      run: async (call) => {
        const { id } = await visibleSite(needs, call, call.params.site_id);
        return await shown(needs, await required(needs, id, call.params.calendar));
      },
    }),
    operation({
      method: "GET",
      path: `${base}/:calendar/entries`,
      name: "listCalendarEntries",
      summary: "Read when a calendar is on",
      description:
        "From a time on, in order, at most a year: what is on then comes first. Exceptions are left out already.",
      tag,
      level: "readonly",
      atGateway: askedOfGateway,
      query: {
        from: dateTime("Default: now."),
        to: dateTime("Default, and at most: 366 days after from."),
        limit: wholeNumber(`Default: ${USUAL_ENTRIES}. At most ${MOST_ENTRIES}.`),
      },
      answer: entriesAnswer,
      run: async (call) => {
        const { id } = await visibleSite(needs, call, call.params.site_id);
        const { name } = await required(needs, id, call.params.calendar);
        const { from = needs.now(), to, limit = USUAL_ENTRIES } = call.query;
        const farthest = from + FARTHEST_MS;
        const range = { from, to: Math.min(to ?? farthest, farthest), limit: Math.min(limit, MOST_ENTRIES) };
        const entries = (await needs.siteCalendars.book(id)).entries(name, range);
        if (entries === undefined)
          throw refuse("conflict", "nobody knows: the calendar or one of its exceptions cannot be read");
        return { entries: entries.map(renderEntry) };
      },
    }),
  ];
}

const previewSchema = strict("CalendarPreview", {
  problems: Type.Array(problemSchema),
  entries: Type.Array(entrySchema),
});

function changing(needs: SaveCalendarNeeds): readonly Operation[] {
  return [
    operation({
      method: "PUT",
      path: `${base}/:calendar`,
      name: "putCalendar",
      summary: "Set a calendar of a site",
      description:
        "Replaces the one of this name. Rules and schedules hear of it at once. All mistakes are reported at once: of a plan by JSON " +
        "pointer, of a file by line.",
      tag,
      level,
      atGateway,
      headers: IF_MATCH,
      body: newCalendarSchema,
      answer,
      run: async (call) => {
        const site = await visibleSite(needs, call, call.params.site_id);
        const name = parseCalendarName(call.params.calendar);
        const stored = await putCalendar(needs, call, {
          site,
          name,
          given: call.body,
          expected: expectedRevision(call),
        });
        return await shown(needs, stored);
      },
    }),
    operation({
      method: "DELETE",
      path: `${base}/:calendar`,
      name: "deleteCalendar",
      summary: "Delete a calendar of a site",
      description:
        "Refused with 409 while another calendar has it as an exception. What it says is unknown to rules and schedules that name it.",
      tag,
      level,
      atGateway,
      headers: IF_MATCH,
      answer: NOTHING,
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        const name = call.params.calendar;
        const trail = auditTrail(needs, call, { target: { siteId }, details: { calendar: name.slice(0, 80) } });
        const isGone = await needs.calendars.delete({ siteId, name, expected: expectedRevision(call) }, trail);
        if (!isGone) throw gone(name);
        needs.siteCalendars.changed(siteId);
        return {};
      },
    }),
    operation({
      method: "POST",
      path: `${base}/preview`,
      name: "previewCalendar",
      summary: "Check a calendar before it is stored",
      description: "Everything that is wrong with it, or when it is on next, without its exceptions. Stores nothing.",
      tag,
      level,
      atGateway: askedOfGateway,
      body: newCalendarSchema,
      answer: previewSchema,
      run: async (call) => {
        const site = await visibleSite(needs, call, call.params.site_id);
        const { problems, calendar } = await checkCalendar(needs, call, { site, name: PREVIEWED, given: call.body });
        const from = needs.now();
        const range = { from, to: from + FARTHEST_MS, limit: USUAL_ENTRIES };
        const book = calendar && createCalendarBook([{ ...calendar, except: [] }]);
        const entries = book?.entries(PREVIEWED, range) ?? [];
        return { problems: problems.map(renderProblem), entries: entries.map(renderEntry) };
      },
    }),
  ];
}

/** No calendar has this name, so its exceptions can be any. */
const PREVIEWED = "";
