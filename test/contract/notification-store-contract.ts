import { expect, test } from "vitest";
import { MOST_READERS, MOST_UNREAD_COUNTED, type Notification } from "#core/notification/notification.ts";
import { instant } from "#core/time/instant.ts";
import type { NewNotification } from "#service/ports/notification-store.ts";
import { makeEntry, makeToken, NOON, newId } from "../support/records.ts";
import type { OpenStores } from "./stores.ts";
import { withSite } from "./with-site.ts";

const PAGE = { limit: 10, offset: 0 };

const at = (ms: number) => instant(NOON + ms);

function make(siteId: string, fields: Partial<Notification> = {}, key?: string): NewNotification {
  const source = { kind: "rule", id: "r1", slug: "surplus" } as const;
  const notification: Notification = {
    ...{ id: newId(), siteId, at: NOON, severity: "warning", title: undefined, text: "25 °C, 汉" },
    ...{ source, ...fields },
  };
  const facts = { kind: "notification", siteId, deviceId: "", readLevel: "readonly", at: notification.at } as const;
  return { notification, key, event: { ...facts, data: JSON.stringify({ id: notification.id }) }, notices: [] };
}

export function notificationStoreContract(open: OpenStores): void {
  test("notifications of a site are listed, the newest first, each with its event", async () => {
    const { stores, siteId } = await withSite(open);
    // A position counts as long as its event is kept.
    const earlier = make(siteId, { at: instant(NOON - 1) });
    expect(await stores.notifications.insert(earlier)).toBe(true);
    const before = await stores.outbox.latest();
    const [first, second] = [make(siteId), make(siteId, { at: instant(NOON + 1), title: "Roof" })];
    for (const one of [first, second]) expect(await stores.notifications.insert(one)).toBe(true);
    const page = await stores.notifications.list(siteId, PAGE);
    expect(page).toMatchObject({
      items: [second.notification, first.notification, earlier.notification],
      total: 3,
    });
    expect((await stores.notifications.list(newId(), PAGE)).total).toBe(0);
    const everything = {
      scope: "all",
      level: "system",
      kinds: undefined,
      siteIds: new Set([siteId]),
      deviceIds: undefined,
    } as const;
    const events = await stores.outbox.after(before, everything, NOON);
    expect(events?.events.map((event) => "data" in event && JSON.parse(event.data).id)).toEqual([
      first.notification.id,
      second.notification.id,
    ]);
  });

  test("the same key of the same source is stored once, and announced once", async () => {
    const { stores, siteId } = await withSite(open);
    expect(await stores.notifications.insert(make(siteId, {}, "when@1/then/0"))).toBe(true);
    const position = await stores.outbox.latest();
    expect(await stores.notifications.insert(make(siteId, {}, "when@1/then/0"))).toBe(false);
    expect(await stores.outbox.latest()).toBe(position);
    const other = { kind: "rule", id: "r2", slug: "other" } as const;
    expect(await stores.notifications.insert(make(siteId, { source: other }, "when@1/then/0"))).toBe(true);
    expect((await stores.notifications.list(siteId, PAGE)).total).toBe(2);
  });

  test("each person has read up to a time of their own, never less than before, and no further than the newest", async () => {
    const { stores, siteId } = await withSite(open);
    const { notifications } = stores;
    const [anna, ben] = [newId(), newId()].map((person) => ({ siteId, person }) as const);
    if (anna === undefined || ben === undefined) throw new Error("two people are needed");
    // Nothing is there to be read.
    await notifications.markRead(anna, NOON);
    expect(await notifications.readState(anna)).toEqual({ until: undefined, unread: 0 });
    for (const n of [1, 2, 3]) await notifications.insert(make(siteId, { at: at(n) }));
    expect(await notifications.readState(anna)).toEqual({ until: undefined, unread: 3 });
    for (const [until, read, unread] of [
      [2, 2, 1],
      [1, 2, 1],
      [9, 3, 0],
    ] as const) {
      await notifications.markRead(anna, at(until));
      expect(await notifications.readState(anna)).toEqual({ until: at(read), unread });
    }
    expect(await notifications.readState(ben)).toEqual({ until: undefined, unread: 3 });
    const elsewhere = { ...anna, siteId: newId() };
    await notifications.markRead(elsewhere, NOON);
    expect(await notifications.readState(elsewhere)).toEqual({ until: undefined, unread: 0 });
    await notifications.insert(make(siteId, { at: at(4) }));
    expect((await notifications.readState(anna)).unread).toBe(1);
  });

  test("how far somebody has read goes with the token, with age, and with the site", async () => {
    const { stores, siteId } = await withSite(open);
    const { notifications, tokens } = stores;
    for (const n of [1, 2, 3]) await notifications.insert(make(siteId, { at: at(n) }));
    const [token, other] = [makeToken(), makeToken()];
    for (const one of [token, other]) {
      await tokens.insert(one, makeEntry());
      await notifications.markRead({ siteId, person: one.id }, at(2));
    }
    await tokens.revoke(token.id, NOON, makeEntry());
    expect((await notifications.readState({ siteId, person: token.id })).until).toBeUndefined();
    expect((await notifications.readState({ siteId, person: other.id })).until).toBe(at(2));
    // The first two, and the mark at the second.
    expect(await notifications.prune(at(3))).toBe(3);
    expect(await notifications.readState({ siteId, person: other.id })).toEqual({ until: undefined, unread: 1 });
    await notifications.markRead({ siteId, person: other.id }, at(3));
    await stores.sites.delete(siteId, makeEntry());
    expect(await notifications.readState({ siteId, person: other.id })).toEqual({ until: undefined, unread: 0 });
  });

  test("of a site the people who read last are known, and unread ones are counted up to a number", async () => {
    const { stores, siteId } = await withSite(open);
    const { notifications } = stores;
    const many = Array.from({ length: MOST_UNREAD_COUNTED + 1 }, (_, n) => make(siteId, { at: at(n) }));
    await Promise.all(many.map((one) => notifications.insert(one)));
    const people = Array.from({ length: MOST_READERS + 1 }, newId);
    const read = async (n: number) =>
      (await notifications.readState({ siteId, person: people[n] ?? "" })).until !== undefined;
    expect((await notifications.readState({ siteId, person: newId() })).unread).toBe(MOST_UNREAD_COUNTED);
    await notifications.markRead({ siteId, person: people[0] ?? "" }, at(0));
    await Promise.all(people.slice(1, -1).map((person) => notifications.markRead({ siteId, person }, at(5))));
    expect(await read(0)).toBe(true);
    await notifications.markRead({ siteId, person: people.at(-1) ?? "" }, at(5));
    expect([await read(0), await read(1), await read(MOST_READERS)]).toEqual([false, true, true]);
  });

  test("old ones are deleted, and all of them go with their site", async () => {
    const { stores, siteId } = await withSite(open);
    await stores.notifications.insert(make(siteId));
    const kept = make(siteId, { at: instant(NOON + 5) });
    await stores.notifications.insert(kept);
    expect(await stores.notifications.prune(instant(NOON + 5))).toBe(1);
    expect((await stores.notifications.list(siteId, PAGE)).items).toEqual([kept.notification]);
    await stores.sites.delete(siteId, makeEntry());
    expect((await stores.notifications.list(siteId, PAGE)).total).toBe(0);
    expect(await stores.notifications.insert(make(siteId))).toBe(false);
  });
}
