import { expect, test } from "vitest";
import { GIVE_UP_MESSAGE_MS } from "#core/notification/after-send.ts";
import type { Channel } from "#core/notification/channel.ts";
import type { MessageContent } from "#core/notification/message.ts";
import { MOST_ROUTES, type Route } from "#core/notification/route.ts";
import { NEW_WATCH } from "#core/notification/watch.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { StoredPlan } from "#service/ports/message-store.ts";
import type { SubjectStores } from "#service/ports/record-store.ts";
import { makeDevice, makeEntry, NOON, newId } from "../support/records.ts";
import { raised } from "./alert-store-contract.ts";
import { ALL, auditIds, expectRefusal, type OpenStores } from "./stores.ts";
import { withSite } from "./with-site.ts";

const HOT = { kind: "raised", at: NOON, alert: raised("hot", 0) } as const;
const NOTHING = { events: [], notices: [] };
const CONTENT: MessageContent = {
  ...{ kind: "raised", site: "Süd", timezone: "UTC", count: 0 },
  items: [{ device: "D", deviceId: "d", alertId: "hot", severity: "error", name: "Heiß", text: "", at: NOON }],
};
const later = (ms: number): Instant => instant(NOON + ms);

function makeChannel(siteId: string, name: string): Channel {
  return {
    ...{ id: newId(), siteId, name, language: "en", allowPrivate: false, level: "owner", quiet: undefined },
    ...{
      target: { kind: "webhook", url: "https://a.example/" },
      sealedSecret: undefined,
      createdAt: NOON,
      updatedAt: NOON,
    },
  };
}

function makeRoute(siteId: string, channels: readonly string[], fields: Partial<Route> = {}): Route {
  return {
    ...{ id: newId(), siteId, name: newId(), isEnabled: true, severity: "warning", profiles: ["p"], hours: undefined },
    ...{ tellsRules: false, groupMs: 5, remindMs: 60_000, tellsOver: true, createdAt: NOON, updatedAt: NOON },
    steps: [{ channels, afterMs: 7 }],
    ...fields,
  };
}

async function withAlert(open: OpenStores) {
  const { stores, siteId } = await withSite(open);
  const [a, b] = [makeChannel(siteId, "a"), makeChannel(siteId, "b")];
  for (const one of [a, b]) await stores.channels.insert(one, makeEntry());
  const route = makeRoute(siteId, [a.id, b.id]);
  await stores.routes.put(route, makeEntry());
  const device = makeDevice(siteId);
  await stores.devices.insert(device, makeEntry());
  await stores.alerts.record(device.id, [HOT], NOTHING);
  return { stores, siteId, device: device.id, a: a.id, b: b.id, route };
}

async function planOf(stores: SubjectStores, siteId: string, channels: readonly string[]): Promise<StoredPlan> {
  const watches = await stores.messages.watches(siteId, NOON, 10);
  return {
    ...{ siteId, now: NOON },
    watches: watches.map(({ id, deviceId, revision }) => ({
      ...{ id, deviceId, revision, nextAt: later(50) },
      watch: {
        since: NOON,
        overAt: undefined,
        notified: new Map(channels.map((one) => [one, { at: NOON, count: 2 }])),
      },
    })),
    messages: channels.map((channelId) => ({ id: newId(), channelId, content: CONTENT })),
  };
}

export function messageStoreContract(open: OpenStores): void {
  test("what waits is counted by kind of channel, with its oldest message", async () => {
    const { stores, siteId, a, b } = await withAlert(open);
    expect(await stores.messages.backlog()).toEqual([]);
    const plan = await planOf(stores, siteId, [a, b]);
    await stores.messages.storePlan(plan);
    expect(await stores.messages.backlog()).toEqual([{ kind: "webhook", count: 2, oldestAt: NOON }]);
    const [first] = plan.messages;
    await stores.messages.beginAttempt(first?.id ?? "", NOON);
    const attempt = { at: NOON, outcome: "taken", error: undefined, number: 1 } as const;
    const result = { state: "SENT", nextAttemptAt: undefined, finishedAt: NOON, error: undefined } as const;
    await stores.messages.settle(first?.id ?? "", attempt, result);
    expect(await stores.messages.backlog()).toEqual([{ kind: "webhook", count: 1, oldestAt: NOON }]);
  });

  test("routes come back as they were stored, are replaced, and keep their channels", async () => {
    const { stores, siteId, a, route } = await withAlert(open);
    expect(await stores.routes.ofSite(siteId)).toEqual([route]);
    const other = { ...route, hours: "night", remindMs: undefined, name: "B", updatedAt: later(1) };
    await stores.routes.put(other, makeEntry());
    expect(await stores.routes.ofSite(siteId)).toEqual([other]);
    await expectRefusal(stores.channels.delete({ siteId, id: a }, makeEntry()), "conflict");
    await expectRefusal(stores.routes.put(makeRoute(siteId, [newId()]), makeEntry()), "not_found");
    await expectRefusal(stores.routes.put(makeRoute(siteId, [a], { name: "B" }), makeEntry()), "conflict");
    for (let count = 1; count < MOST_ROUTES; count++) await stores.routes.put(makeRoute(siteId, [a]), makeEntry());
    await expectRefusal(stores.routes.put(makeRoute(siteId, [a]), makeEntry()), "conflict");
    const entry = makeEntry();
    expect(await stores.routes.delete({ siteId, id: newId() }, entry)).toBe(false);
    expect(await auditIds(stores)).not.toContain(entry.id);
    expect(await stores.routes.delete({ siteId, id: route.id }, makeEntry())).toBe(true);
  });

  test("a change of an alert makes it due with the change itself, only where there is a route", async () => {
    const { stores, siteId, device } = await withAlert(open);
    expect(await stores.messages.dueSites(NOON)).toEqual([siteId]);
    const [watch] = await stores.messages.watches(siteId, NOON, 10);
    expect(watch).toMatchObject({ deviceId: device, watch: NEW_WATCH, nextAt: 0 });
    const elsewhere = await withSite(async () => stores);
    const other = makeDevice(elsewhere.siteId);
    await stores.devices.insert(other, makeEntry());
    await stores.alerts.record(other.id, [HOT], NOTHING);
    expect(await stores.messages.dueSites(NOON)).toEqual([siteId]);
  });

  test("a plan is stored with its messages, once: not after what it saw has changed", async () => {
    const { stores, siteId, a, b } = await withAlert(open);
    const plan = await planOf(stores, siteId, [a, b]);
    expect(await stores.messages.storePlan(plan)).toBe(true);
    expect(
      await stores.messages.storePlan({ ...plan, messages: [{ ...plan.messages[0], id: newId() } as never] }),
    ).toBe(false);
    expect([await stores.messages.dueSites(NOON), await stores.messages.nextLook()]).toEqual([[], later(50)]);
    const [stored] = await stores.messages.watches(siteId, later(50), 10);
    expect(stored?.watch).toEqual(plan.watches[0]?.watch);
    expect((await stores.messages.list({ siteId }, ALL)).items.map(({ channelId }) => channelId)).toEqual([b, a]);
    expect(await stores.messages.behind(siteId)).toEqual(new Set([a, b]));
    await stores.messages.lookAgain(siteId);
    expect(await stores.messages.dueSites(NOON)).toEqual([siteId]);
    const over = await planOf(stores, siteId, []);
    const gone = { ...over, watches: over.watches.map((one) => ({ ...one, watch: undefined })) };
    expect(await stores.messages.storePlan(gone)).toBe(true);
    expect(await stores.messages.watches(siteId, later(99), 10)).toEqual([]);
  });

  test("a message is marked before it is sent, by one only, and settled by its own attempt", async () => {
    const { stores, siteId, a } = await withAlert(open);
    await stores.messages.storePlan(await planOf(stores, siteId, [a]));
    const [head] = await stores.messages.heads([]);
    const id = head?.id ?? "";
    expect(head).toEqual({ id, channelId: a, siteId, state: "WAITING", nextAttemptAt: NOON });
    expect(await stores.messages.heads([a])).toEqual([]);
    expect(await stores.messages.beginAttempt(id, instant(NOON - 1))).toBe(false);
    const began = await Promise.all([1, 2, 3].map(() => stores.messages.beginAttempt(id, NOON)));
    expect(began.filter(Boolean)).toHaveLength(1);
    expect(await stores.messages.find(id)).toMatchObject({ state: "SENDING", attempts: 1, content: CONTENT });
    const attempt = { at: later(3), outcome: "refused", error: "answered 500" } as const;
    const result = { state: "WAITING", nextAttemptAt: later(9), finishedAt: undefined, error: "answered 500" } as const;
    await stores.messages.settle(id, { ...attempt, number: 2 }, result);
    expect((await stores.messages.find(id))?.state).toBe("SENDING");
    await stores.messages.settle(id, { ...attempt, number: 1 }, result);
    expect(await stores.messages.find(id)).toMatchObject({
      ...result,
      history: [attempt],
      giveUpAt: later(GIVE_UP_MESSAGE_MS),
    });
    expect(await stores.messages.beginAttempt(id, later(8))).toBe(false);
    expect(await stores.messages.beginAttempt(id, later(9))).toBe(true);
    // Another node has found the mark; then the answer comes after all.
    const unknown = { state: "UNKNOWN", nextAttemptAt: undefined, finishedAt: later(10), error: "?" } as const;
    await stores.messages.settle(id, { at: later(10), outcome: "unknown", error: "?", number: 2 }, unknown);
    await stores.messages.settle(id, { ...attempt, number: 2 }, result);
    expect((await stores.messages.find(id))?.state).toBe("UNKNOWN");
    const sent = { state: "SENT", nextAttemptAt: undefined, finishedAt: later(11), error: undefined } as const;
    await stores.messages.settle(id, { at: later(11), outcome: "taken", error: undefined, number: 2 }, sent);
    expect(await stores.messages.find(id)).toMatchObject(sent);
    expect(await stores.messages.retry({ siteId, id, now: later(12) }, makeEntry())).toBeUndefined();
    expect(await stores.messages.prune(later(12))).toBe(1);
  });

  test("a person sends again what has failed, and messages go with their channel", async () => {
    const { stores, siteId, a, b, route } = await withAlert(open);
    await stores.messages.storePlan(await planOf(stores, siteId, [a, b]));
    const [head] = await stores.messages.heads([]);
    const id = head?.id ?? "";
    await stores.messages.beginAttempt(id, NOON);
    const failed = { state: "FAILED", nextAttemptAt: undefined, finishedAt: later(1), error: "no" } as const;
    await stores.messages.settle(id, { at: later(1), outcome: "refused", error: "no", number: 1 }, failed);
    expect((await stores.messages.list({ siteId, states: ["FAILED"] }, ALL)).total).toBe(1);
    const entry = makeEntry();
    expect(await stores.messages.retry({ siteId: newId(), id, now: later(2) }, entry)).toBeUndefined();
    expect(await stores.messages.retry({ siteId, id, now: later(2) }, entry)).toMatchObject({ state: "WAITING" });
    expect(await auditIds(stores)).toContain(entry.id);
    await stores.routes.delete({ siteId, id: route.id }, makeEntry());
    for (const channel of [a, b]) await stores.channels.delete({ siteId, id: channel }, makeEntry());
    expect([await stores.messages.find(id), await stores.messages.heads([])]).toEqual([undefined, []]);
  });
}
