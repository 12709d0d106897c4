import { AppError } from "#core/app-error.ts";
import type { ReadCalendar } from "#core/calendar/calendar-book.ts";
import { exceptProblem } from "#core/calendar/except-problem.ts";
import type { SiteCalendar } from "#core/calendar/site-calendar.ts";
import { requesterOf } from "#core/share/requester.ts";
import type { Site } from "#core/site/site.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { Call, Needs } from "#service/ports.ts";
import { type CalendarProblem, inText, type NewCalendar, parseCalendar } from "./calendar-wire.ts";
import type { SiteCalendars } from "./site-calendars.ts";

export interface SaveCalendarNeeds extends Pick<Needs, "calendars" | "sites" | "now" | "newId" | "readIcal"> {
  readonly siteCalendars: SiteCalendars;
}

interface Named {
  readonly site: Site;
  readonly name: string;
}

export interface CheckedCalendar {
  readonly problems: readonly CalendarProblem[];
  /** Undefined if there are problems. */
  readonly calendar: ReadCalendar | undefined;
}

/** Everything that is wrong with a calendar of this name, and what it says if nothing is. */
export async function checkCalendar(
  needs: SaveCalendarNeeds,
  call: Call,
  { site, name, given }: Named & { readonly given: NewCalendar },
): Promise<CheckedCalendar> {
  const { content, timezone = site.timezone, except, problems: found } = parseCalendar(given);
  const problems = [...found];
  const base = { name, except, timezone };
  const others = (await needs.calendars.ofSite(site.id)).filter((one) => one.name !== name);
  for (const [n, one] of (given.except ?? []).entries()) {
    const problem = problems.some(({ pointer }) => pointer === `/except/${n}`)
      ? undefined
      : exceptProblem({ name, except: [one] }, others);
    if (problem !== undefined) problems.push({ pointer: `/except/${n}`, message: problem, line: undefined });
  }
  const isRead =
    content !== undefined && !problems.some(({ pointer }) => pointer === "/text" || pointer === "/timezone");
  if (!isRead) return { problems, calendar: undefined };
  if (content.kind === "weekly")
    return { problems, calendar: problems.length > 0 ? undefined : { ...base, kind: "weekly", plan: content.plan } };
  const requester = requesterOf(call.caller, call.remoteAddress);
  const read = await needs.readIcal(content.text, timezone, requester);
  problems.push(...read.problems.map(inText));
  return { problems, calendar: problems.length > 0 ? undefined : { ...base, kind: "ical", entries: read.entries } };
}

/** Refuses a calendar with everything that is wrong with it. */
export async function putCalendar(
  needs: SaveCalendarNeeds,
  call: Call,
  { site, name, given, expected }: Named & { readonly given: NewCalendar; readonly expected: number | undefined },
): Promise<SiteCalendar> {
  const { problems } = await checkCalendar(needs, call, { site, name, given });
  const { content, timezone, except } = parseCalendar(given);
  const [first, ...rest] = problems.map(refusalOf);
  if (first !== undefined) throw new AppError([first, ...rest]);
  if (content === undefined) throw new TypeError("a calendar without problems has a content");
  const now = needs.now();
  const calendar = {
    ...{ siteId: site.id, name, timezone, except, ...content },
    ...{ revision: 0, createdAt: now, updatedAt: now },
  };
  const trail = auditTrail(needs, call, {
    target: { siteId: site.id },
    details: { calendar: name, kind: content.kind },
  });
  const stored = await needs.calendars.put({ calendar, expected }, trail);
  needs.siteCalendars.changed(site.id);
  return stored;
}

const refusalOf = ({ message, pointer, line }: CalendarProblem) => ({
  code: "invalid_body" as const,
  message,
  details: line === undefined ? { pointer } : { pointer, line },
});
