import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { SiteCalendar } from "#core/calendar/site-calendar.ts";
import type { Page, PageRequest } from "./page.ts";

export interface NamedCalendar {
  readonly siteId: string;
  readonly name: string;
  /** What the caller has seen; 0: there is none. Undefined: whatever there is. Refused with `conflict` if it is another one. */
  readonly expected: number | undefined;
}

export interface CalendarInput {
  /** Its revision, and when it was created if there is one already, are the store's business. */
  readonly calendar: SiteCalendar;
  readonly expected: number | undefined;
}

/** Calendars of sites. They go with the site. */
export interface CalendarStore {
  /**
   * Puts it in the place of the one of this name. Refused with `conflict` if the site has too many, or too much text, or if an
   * exception is missing or leads back to it.
   */
  put(input: CalendarInput, trail: AuditEntry): Promise<SiteCalendar>;
  /** False when there is none. Refused with `conflict` while another calendar has it as an exception. */
  delete(named: NamedCalendar, trail: AuditEntry): Promise<boolean>;
  find(siteId: string, name: string): Promise<SiteCalendar | undefined>;
  /** By name. */
  list(siteId: string, page: PageRequest): Promise<Page<SiteCalendar>>;
  /** All of a site, by name. */
  ofSite(siteId: string): Promise<readonly SiteCalendar[]>;
  /** Something else after each change of a calendar of the site. */
  mark(siteId: string): Promise<string>;
}
