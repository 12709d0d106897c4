// The calendars of sites in memory, read again when they change: also by another node, which is noticed within a second.
import { type CalendarBook, createCalendarBook, type ReadCalendar } from "#core/calendar/calendar-book.ts";
import type { SiteCalendar } from "#core/calendar/site-calendar.ts";
import { OWN_WORK } from "#core/share/requester.ts";
import type { Needs } from "#service/ports.ts";

export interface SiteCalendars {
  /** What the calendars of a site say. One that cannot be read is missing. */
  book(siteId: string): Promise<CalendarBook>;
  /** A calendar of the site was changed here. */
  changed(siteId: string): void;
}

export type SiteCalendarNeeds = Pick<Needs, "calendars" | "sites" | "now" | "readIcal">;

interface Kept {
  readonly mark: string;
  readonly book: CalendarBook;
  /** By name and revision: reading a file again takes a while. */
  readonly read: ReadonlyMap<string, ReadCalendar>;
  lookedAt: number;
}

const LOOK_MS = 1_000;
const NEVER = Number.NEGATIVE_INFINITY;
const MOST_SITES = 1_000;

export function createSiteCalendars(needs: SiteCalendarNeeds): SiteCalendars {
  const kept = new Map<string, Kept>();
  const looking = new Map<string, Promise<CalendarBook>>();
  /** Counts changes, so that what was read before one is not taken for what is there after it. */
  const changes = new Map<string, number>();

  async function look(siteId: string): Promise<CalendarBook> {
    const before = kept.get(siteId);
    const seen = changes.get(siteId);
    const lookedAt = needs.now();
    const timezone = (await needs.sites.find(siteId))?.timezone ?? "UTC";
    const mark = `${timezone} ${await needs.calendars.mark(siteId)}`;
    if (before?.mark === mark) {
      before.lookedAt = lookedAt;
      return before.book;
    }
    const read = new Map<string, ReadCalendar>();
    let isWhole = true;
    for (const calendar of await needs.calendars.ofSite(siteId)) {
      const key = `${calendar.name} ${calendar.revision} ${calendar.updatedAt} ${calendar.timezone ?? timezone}`;
      const one = before?.read.get(key) ?? (await readCalendar(needs, calendar, timezone));
      if (one === undefined) isWhole = false;
      else read.set(key, one);
    }
    const book = createCalendarBook([...read.values()]);
    if (kept.size >= MOST_SITES) kept.clear();
    kept.set(siteId, {
      mark: isWhole ? mark : "",
      book,
      read,
      lookedAt: changes.get(siteId) === seen ? lookedAt : NEVER,
    });
    return book;
  }

  return {
    async book(siteId) {
      const known = kept.get(siteId);
      const age = needs.now() - (known?.lookedAt ?? 0);
      if (known !== undefined && age >= 0 && age < LOOK_MS) return known.book;
      const before = looking.get(siteId);
      if (before !== undefined) return await before;
      const own = look(siteId);
      looking.set(siteId, own);
      try {
        return await own;
      } finally {
        if (looking.get(siteId) === own) looking.delete(siteId);
      }
    },
    changed(siteId) {
      changes.set(siteId, (changes.get(siteId) ?? 0) + 1);
      const before = kept.get(siteId);
      if (before !== undefined) before.lookedAt = NEVER;
      looking.delete(siteId);
    },
  };
}

async function readCalendar(
  needs: SiteCalendarNeeds,
  calendar: SiteCalendar,
  siteTimezone: string,
): Promise<ReadCalendar | undefined> {
  const { name, except, timezone = siteTimezone } = calendar;
  if (calendar.kind === "weekly") return { name, except, timezone, kind: "weekly", plan: calendar.plan };
  try {
    const { entries, problems } = await needs.readIcal(calendar.text, timezone, OWN_WORK);
    return problems.length > 0 ? undefined : { name, except, timezone, kind: "ical", entries };
  } catch {
    // The thread that reads has too much to do. The next look tries again.
    return undefined;
  }
}
