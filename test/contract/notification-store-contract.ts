import { expect, test } from "vitest";
import type { Notification } from "#core/notification/notification.ts";
import { instant } from "#core/time/instant.ts";
import type { NewNotification } from "#service/ports/notification-store.ts";
import { makeEntry, NOON, newId } from "../support/records.ts";
import type { OpenStores } from "./stores.ts";
import { withSite } from "./with-site.ts";

const PAGE = { limit: 10, offset: 0 };

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
