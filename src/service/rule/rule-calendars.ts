// What scripts of rules ask about calendars. Times are Unix seconds, as os.time gives them.
import type { CalendarBook } from "#core/calendar/calendar-book.ts";
import type { SiteCalendars } from "#service/calendar/site-calendars.ts";
import type { Needs } from "#service/ports.ts";
import { nameAt, RuleProblem } from "./rule-arguments.ts";
import type { RuleFunction } from "./rule-function.ts";

export interface CalendarFunctionNeeds extends Pick<Needs, "now"> {
  readonly siteCalendars: Pick<SiteCalendars, "book">;
}

const YEAR_MS = 366 * 86_400_000;

const seconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1_000);

export function calendarFunctions(needs: CalendarFunctionNeeds): Readonly<Record<string, RuleFunction>> {
  const look = async (siteId: string, args: readonly unknown[]) => {
    const name = nameAt(args, 0, "the name of a calendar");
    const book = await needs.siteCalendars.book(siteId);
    const now = needs.now();
    const state = book.stateAt(name, now);
    if (state === undefined) throw unknownCalendar(book, name);
    return { name, book, now, state };
  };
  return {
    async calendar_now(_call, args, { rule: { siteId } }) {
      const { name, book, now, state } = await look(siteId, args);
      const { isOn, value, title, until } = state;
      return [given({ on: isOn, value, title, since: seconds(book.since(name, now)), until: seconds(until) })];
    },
    async calendar_next(_call, args, { rule: { siteId } }) {
      const { name, book, now } = await look(siteId, args);
      const entries = book.entries(name, { from: now, to: now + YEAR_MS, limit: 2 }) ?? [];
      const next = entries.find(({ from }) => from > now);
      if (next === undefined) return [null];
      const { from, to, value, title } = next;
      return [given({ from: seconds(from), to: seconds(to), value, title })];
    },
  };
}

/** Without what nobody knows: it is nil in Lua. */
const given = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

function unknownCalendar(book: CalendarBook, name: string): RuleProblem {
  if (!book.names.includes(name)) return new RuleProblem(`the site has no calendar ${name}`);
  return new RuleProblem(`nobody knows what the calendar ${name} says: one of its exceptions is missing`);
}
