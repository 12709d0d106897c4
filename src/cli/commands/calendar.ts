// Calendars of a site: when something is on, for rules and schedules.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, addWindowOptions, clientCommand, type WindowFlags } from "#cli/client-command.ts";
import { confirm } from "#cli/confirm.ts";
import { fetchList } from "#cli/fetch-list.ts";
import { findSite } from "#cli/find-site.ts";
import { printAnswer, printTable } from "#cli/print.ts";
import { type ClientFlags, openSession, type Session } from "#cli/session.ts";
import type { Columns } from "#cli/table.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Window } from "#client/page.ts";
import type { Calendar, CalendarEntry, NewCalendar } from "#client/resources.ts";

type SiteFlags = ClientFlags & { readonly siteId?: string };
type PutFlags = SiteFlags & { readonly timezone?: string; readonly except?: readonly string[] };

export function addCalendarCommands(calendar: Command, cli: Cli): void {
  addExamples(
    calendar,
    "calendar import holidays holidays.ics",
    "calendar set heating heating.json",
    "calendar list",
    "calendar next holidays",
  );
  addReading(calendar, cli);
  addChanging(calendar, cli);
}

const siteCommand = (parent: Command, usage: string, about: string) =>
  clientCommand(parent, usage, about).option("-s, --site-id <site>", "name or id of the site (default: the only one)");

/** The site that is named, or the only one. */
async function siteOf(session: Session, { siteId }: SiteFlags): Promise<string> {
  if (siteId !== undefined) return await findSite(session, siteId);
  return (await session.wait(session.client.perform("getOnlySite"))).site.id;
}

function addReading(calendar: Command, cli: Cli): void {
  addWindowOptions(siteCommand(calendar, "list", "List the calendars of a site, with what they say now.")).action(
    async (flags: SiteFlags & WindowFlags) => {
      const session = await openSession(cli, flags);
      const site = await siteOf(session, flags);
      const list = (window: Window) => session.client.calendars.list(site, window);
      await printTable(cli, flags, { ...(await session.wait(fetchList("calendars", list, flags))), columns: COLUMNS });
    },
  );
  siteCommand(calendar, "show <calendar>", "Show a calendar: its plan as JSON, or its file.").action(
    async (name: string, flags: SiteFlags) => {
      const session = await openSession(cli, flags);
      const answer = await session.wait(session.client.calendars.get(await siteOf(session, flags), name));
      await printAnswer(cli, flags, answer, () => documentOf(answer.calendar));
    },
  );
  siteCommand(calendar, "next <calendar>", "Show when a calendar is on, from now on.")
    .option("-n, --limit <count>", "so many entries (default 10)")
    .action(async (name: string, flags: SiteFlags & { readonly limit?: string }) => {
      const session = await openSession(cli, flags);
      const limit = Number(flags.limit ?? "10");
      if (!Number.isInteger(limit) || limit < 1) throw new UsageError("--limit must be a whole number from 1 on");
      const site = await siteOf(session, flags);
      const { entries } = await session.wait(session.client.calendars.entries(site, name, { limit }));
      await printTable(cli, flags, { answer: { entries }, rows: entries, columns: ENTRY_COLUMNS });
    });
}

function addChanging(calendar: Command, cli: Cli): void {
  const put = async (name: string, body: NewCalendar, flags: SiteFlags) => {
    const session = await openSession(cli, flags);
    const answer = await session.wait(session.client.calendars.put(await siteOf(session, flags), name, body));
    await printAnswer(cli, flags, answer, () => `${name} ${stateOf(answer.calendar)}`);
  };
  siteCommand(
    calendar,
    "set <calendar> <file>",
    "Set a calendar from a JSON file, such as show prints for a weekly plan.",
  ).action(async (name: string, file: string, flags: SiteFlags) => {
    await put(name, parseDocument(contentOf(cli, file)), flags);
  });
  siteCommand(calendar, "import <calendar> <file>", "Set a calendar from an iCalendar file (.ics).")
    .option("--timezone <zone>", "of times that name none (default that of the site)")
    .option("--except <calendar...>", "while one of these calendars is on, this one is off")
    .action(async (name: string, file: string, { timezone, except, ...flags }: PutFlags) => {
      const text = contentOf(cli, file);
      await put(name, { kind: "ical", text, ...(timezone && { timezone }), ...(except && { except }) }, flags);
    });
  siteCommand(calendar, "delete <calendar>", "Delete a calendar. Rules that name it then find no calendar.")
    .option("-y, --yes", "do not ask")
    .action(async (name: string, flags: SiteFlags & { readonly yes?: boolean }) => {
      await confirm(cli, flags, `Delete the calendar ${name}?`);
      const session = await openSession(cli, flags);
      const answer = await session.wait(session.client.calendars.delete(await siteOf(session, flags), name));
      await printAnswer(cli, flags, answer, () => `${name} is deleted.`);
    });
}

function contentOf(cli: Cli, file: string): string {
  const path = resolve(cli.cwd, file);
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parseDocument(text: string): NewCalendar {
  try {
    // The server checks it.
    return JSON.parse(text) as NewCalendar;
  } catch (error) {
    throw new UsageError(`the file is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** What `set` or `import` takes. */
function documentOf({ kind, text, plan, timezone, except }: Calendar): string {
  if (kind === "ical") return (text ?? "").trimEnd();
  return JSON.stringify({ kind, ...(timezone && { timezone }), plan, except }, undefined, 2);
}

function stateOf({ state }: Calendar): string {
  if (state === null) return "is unknown: one of its exceptions is missing";
  const until = state.until === null ? "" : ` until ${state.until}`;
  const value = state.value === null ? "" : `, with ${String(state.value)}`;
  return state.on ? `is on${until}${value}` : `is off${until}`;
}

const COLUMNS: Columns<Calendar> = {
  CALENDAR: ({ name }) => name,
  KIND: ({ kind }) => kind,
  NOW: ({ state }) => (state === null ? "unknown" : state.on ? "on" : "off"),
  VALUE: ({ state }) => String(state?.value ?? state?.title ?? ""),
  UNTIL: ({ state }) => state?.until ?? "",
};

const ENTRY_COLUMNS: Columns<CalendarEntry> = {
  FROM: ({ from }) => from,
  TO: ({ to }) => to,
  VALUE: ({ value }) => String(value ?? ""),
  TITLE: ({ title }) => title ?? "",
};
