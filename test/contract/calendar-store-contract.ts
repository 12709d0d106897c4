import { expect, test } from "vitest";
import { MOST_CALENDARS, type SiteCalendar } from "#core/calendar/site-calendar.ts";
import { instant } from "#core/time/instant.ts";
import { makeEntry, NOON } from "../support/records.ts";
import { auditIds, expectRefusal, type OpenStores } from "./stores.ts";
import { withSite } from "./with-site.ts";

const LATER = instant(NOON + 1000);
const PLAN = {
  ...{ mon: [{ from: 1_320, to: 360, value: 18.5 }], tue: [{ from: 0, to: 1_440, value: undefined }] },
  ...{ wed: [], thu: [], fri: [], sat: [], sun: [] },
};

const makeCalendar = (siteId: string, name: string, fields: Partial<SiteCalendar> = {}): SiteCalendar =>
  ({
    ...{ siteId, name, timezone: undefined, except: [], kind: "weekly", plan: PLAN },
    ...{ revision: 1, createdAt: NOON, updatedAt: NOON },
    ...fields,
  }) as SiteCalendar;

export function calendarStoreContract(open: OpenStores): void {
  test("calendars are put, found, listed by name, and replaced with the next revision", async () => {
    const { stores, siteId } = await withSite(open);
    const { calendars } = stores;
    const ical = { kind: "ical", text: "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", timezone: "Europe/Berlin" } as const;
    const holidays = makeCalendar(siteId, "holidays", { ...ical, plan: undefined } as Partial<SiteCalendar>);
    const heating = makeCalendar(siteId, "heating", { except: ["holidays"] });
    expect(await calendars.put({ calendar: holidays, expected: 0 }, makeEntry())).toEqual(holidays);
    expect(await calendars.put({ calendar: heating, expected: undefined }, makeEntry())).toEqual(heating);
    expect(await calendars.find(siteId, "holidays")).toEqual(holidays);
    expect(await calendars.find("elsewhere", "holidays")).toBeUndefined();
    const page = await calendars.list(siteId, { limit: 1, offset: 0 });
    expect([page.items, page.total]).toEqual([[heating], 2]);
    const mark = await calendars.mark(siteId);
    const changed = makeCalendar(siteId, "heating", { createdAt: LATER, updatedAt: LATER });
    const stored = { ...changed, revision: 2, createdAt: NOON };
    expect(await calendars.put({ calendar: changed, expected: 1 }, makeEntry())).toEqual(stored);
    expect(await calendars.ofSite(siteId)).toEqual([stored, holidays]);
    expect(await calendars.mark(siteId)).not.toBe(mark);
  });

  test("another revision than the one that was read is refused, and changes nothing", async () => {
    const { stores, siteId } = await withSite(open);
    const { calendars } = stores;
    const calendar = makeCalendar(siteId, "heating");
    await calendars.put({ calendar, expected: 0 }, makeEntry());
    const refused = makeEntry();
    await expectRefusal(calendars.put({ calendar, expected: 0 }, refused), "conflict");
    await expectRefusal(calendars.delete({ siteId, name: "heating", expected: 2 }, refused), "conflict");
    expect(await calendars.find(siteId, "heating")).toEqual(calendar);
    expect(await auditIds(stores)).not.toContain(refused.id);
    expect(await calendars.delete({ siteId, name: "heating", expected: 1 }, makeEntry())).toBe(true);
    expect(await calendars.delete({ siteId, name: "heating", expected: undefined }, makeEntry())).toBe(false);
  });

  test("exceptions exist, do not lead back, and are not deleted while they are used", async () => {
    const { stores, siteId } = await withSite(open);
    const { calendars } = stores;
    const put = (name: string, except: readonly string[] = []) =>
      calendars.put({ calendar: makeCalendar(siteId, name, { except }), expected: undefined }, makeEntry());
    await expectRefusal(put("a", ["b"]), "conflict");
    await put("b");
    await put("a", ["b"]);
    await expectRefusal(put("b", ["a"]), "conflict");
    await expectRefusal(calendars.delete({ siteId, name: "b", expected: undefined }, makeEntry()), "conflict");
    await put("a");
    expect(await calendars.delete({ siteId, name: "b", expected: undefined }, makeEntry())).toBe(true);
  });

  test(`a site has at most ${MOST_CALENDARS} calendars, and they go with it`, async () => {
    const { stores, siteId } = await withSite(open);
    const { calendars } = stores;
    for (let n = 0; n < MOST_CALENDARS; n += 1)
      await calendars.put({ calendar: makeCalendar(siteId, `c${n}`), expected: 0 }, makeEntry());
    await expectRefusal(
      calendars.put({ calendar: makeCalendar(siteId, "more"), expected: 0 }, makeEntry()),
      "conflict",
    );
    await calendars.put({ calendar: makeCalendar(siteId, "c0"), expected: 1 }, makeEntry());
    await stores.sites.delete(siteId, makeEntry());
    expect(await calendars.ofSite(siteId)).toEqual([]);
  });
}
