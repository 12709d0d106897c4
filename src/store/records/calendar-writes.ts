import type { AuditEntry } from "#core/access/audit-entry.ts";
import { refuse } from "#core/app-error.ts";
import { exceptProblem } from "#core/calendar/except-problem.ts";
import { MOST_CALENDARS, MOST_SITE_CALENDAR_TEXT, type SiteCalendar } from "#core/calendar/site-calendar.ts";
import type { CalendarInput, NamedCalendar } from "#service/ports/calendar-store.ts";
import type { Database, WriteDatabase } from "#store/database.ts";
import { recordAudit, recordIfChanged } from "./audit-writes.ts";
import { CALENDAR_COLUMNS, findCalendar, storedContent } from "./calendar-row.ts";
import { number, text } from "./row.ts";
import { requireOwnSite } from "./tariff-writes.ts";
import { NOBODY, write } from "./write.ts";

export const calendarWrites = {
  putCalendar: write({
    locks: ({ input }) => [`site ${input.calendar.siteId}`],
    informs: NOBODY,
    fromReserve: false,
    async run(
      database: WriteDatabase,
      { input: { calendar, expected }, trail }: { input: CalendarInput; trail: AuditEntry },
    ): Promise<SiteCalendar> {
      const { siteId, name, timezone, except, createdAt, updatedAt } = calendar;
      await requireOwnSite(database, siteId);
      const before = await findCalendar(database, siteId, name);
      requireExpected(before, expected);
      await requireRoom(database, calendar);
      await requireExcept(database, calendar);
      const stored = {
        ...calendar,
        revision: (before?.revision ?? 0) + 1,
        createdAt: before?.createdAt ?? createdAt,
      };
      await database.run(
        `INSERT INTO site_calendar (${CALENDAR_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (site_id, name) DO UPDATE SET kind = excluded.kind, timezone = excluded.timezone,
         except_names = excluded.except_names, content = excluded.content, revision = excluded.revision,
         updated_at = excluded.updated_at`,
        siteId,
        name,
        calendar.kind,
        timezone ?? null,
        JSON.stringify(except),
        storedContent(calendar),
        stored.revision,
        stored.createdAt,
        updatedAt,
      );
      await recordAudit(database, trail);
      return stored;
    },
  }),

  deleteCalendar: write({
    locks: ({ named }) => [`site ${named.siteId}`],
    informs: NOBODY,
    fromReserve: true,
    async run(
      database: WriteDatabase,
      { named: { siteId, name, expected }, trail }: { named: NamedCalendar; trail: AuditEntry },
    ): Promise<boolean> {
      await requireOwnSite(database, siteId);
      const before = await findCalendar(database, siteId, name);
      requireExpected(before, expected);
      if (before === undefined) return false;
      const [user] = (await exceptsOf(database, siteId)).filter(({ except }) => except.includes(name));
      if (user !== undefined)
        throw refuse("conflict", `the calendar ${user.name} has this one as an exception; change that first`);
      const sql = "DELETE FROM site_calendar WHERE site_id = ? AND name = ?";
      return await recordIfChanged(database, trail, await database.run(sql, siteId, name));
    },
  }),
};

function requireExpected(before: SiteCalendar | undefined, expected: number | undefined): void {
  const revision = before?.revision ?? 0;
  if (expected === undefined || expected === revision) return;
  const message = `the calendar was changed meanwhile: it has revision ${revision}, not ${expected}; read it again`;
  throw refuse("conflict", message, { revision });
}

async function requireRoom(database: Database, calendar: SiteCalendar): Promise<void> {
  const row = await database.one(
    `SELECT count(*) AS total, coalesce(sum(length(content)), 0) AS size FROM site_calendar
     WHERE site_id = ? AND name <> ?`,
    calendar.siteId,
    calendar.name,
  );
  if (number(row, "total") >= MOST_CALENDARS)
    throw refuse("conflict", `the site has ${MOST_CALENDARS} calendars already; delete some first`);
  if (number(row, "size") + storedContent(calendar).length > MOST_SITE_CALENDAR_TEXT)
    throw refuse(
      "conflict",
      `the calendars of a site have at most ${MOST_SITE_CALENDAR_TEXT / 1_048_576} MiB together`,
    );
}

async function requireExcept(database: WriteDatabase, calendar: SiteCalendar): Promise<void> {
  const others = (await exceptsOf(database, calendar.siteId)).filter(({ name }) => name !== calendar.name);
  const problem = exceptProblem(calendar, others);
  if (problem !== undefined) throw refuse("conflict", problem, { pointer: "/except" });
}

async function exceptsOf(
  database: WriteDatabase,
  siteId: string,
): Promise<readonly Pick<SiteCalendar, "name" | "except">[]> {
  return (await database.all("SELECT name, except_names FROM site_calendar WHERE site_id = ?", siteId)).map((row) => ({
    name: text(row, "name"),
    except: textsIn(text(row, "except_names")),
  }));
}

function textsIn(json: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}
