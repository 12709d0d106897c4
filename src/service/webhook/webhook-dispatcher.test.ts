import { expect, test } from "vitest";
import type { EventKind, PreparedEvent } from "#core/event/event.ts";
import { createShares } from "#core/share/shares.ts";
import { instant } from "#core/time/instant.ts";
import { GIVE_UP_AFTER_MS } from "#core/webhook/after-attempt.ts";
import type { Delivery, Webhook } from "#core/webhook/webhook.ts";
import { createBackground } from "#service/background.ts";
import { createEventHub } from "#service/event/event-hub.ts";
import { oneNode } from "#service/ports/nodes.ts";
import { PASS_ON } from "#service/ports/tracer.ts";
import type { SendResult } from "#service/ports/webhook-sender.ts";
import { createFakeClock } from "../../../test/support/fake-clock.ts";
import { NOON } from "../../../test/support/records.ts";
import { createWebhookDispatcher, type WebhookDispatcherNeeds } from "./webhook-dispatcher.ts";

const OK: SendResult = { status: 200, error: undefined };
const FAILED: SendResult = { status: 500, error: "answered 500" };

function hook(id: string, fields: Partial<Webhook> = {}): Webhook {
  return {
    ...{ id, url: `https://${id}.example/`, kinds: ["alert"], sites: "all", level: "owner", createdAt: NOON },
    sealedSecret: new Uint8Array(),
    ...fields,
  };
}

function makeWorld(webhooks: Webhook[]) {
  const clock = createFakeClock(NOON);
  const queue = new Map<string, Delivery>();
  const faults: string[] = [];
  /** Second, webhook and event of each attempt. */
  const attempts: string[] = [];
  const world = { answer: (_webhook: string): SendResult | Promise<SendResult> => OK, isBroken: false };
  const pending = (busy: Iterable<string>) => {
    if (world.isBroken) throw new Error("the disk is in trouble");
    const taken = new Set(busy);
    return [...queue.values()].filter((one) => one.state === "PENDING" && !taken.has(one.webhookId));
  };
  const store = {
    all: async () => webhooks,
    enqueue: async (notices: readonly { event: string }[]) => {
      for (const { event } of notices) for (const { id } of webhooks) queueUp(id, JSON.parse(event).text);
    },
    due: async (now: number, busy: Iterable<string>) => {
      const due = pending(busy).filter((one) => (one.nextAttemptAt ?? 0) <= now);
      return due.filter((one, index) => due.findIndex(({ webhookId }) => webhookId === one.webhookId) === index);
    },
    find: async (id: string) => queue.get(id),
    nextAttempt: async (busy: Iterable<string>) => {
      const times = pending(busy).map((one) => one.nextAttemptAt ?? NOON);
      return times.length === 0 ? undefined : instant(Math.min(...times));
    },
    settle: async (id: string, outcome: Partial<Delivery>) => {
      if (world.isBroken) throw new Error("the disk is in trouble");
      const before = queue.get(id);
      if (before !== undefined) queue.set(id, { ...before, ...outcome });
    },
  };
  function queueUp(webhookId: string, text: string): void {
    const now = clock.now();
    const [id, giveUpAt] = [`${webhookId}-${text}`, instant(now + GIVE_UP_AFTER_MS)];
    queue.set(id, {
      ...{ id, webhookId, kind: "alert", occurredAt: now, event: JSON.stringify({ text }), state: "PENDING" },
      ...{ attempts: 0, queuedAt: now, nextAttemptAt: now, giveUpAt },
      ...{ status: undefined, error: undefined, finishedAt: undefined },
    });
  }
  const needs = {
    ...{ now: clock.now, after: clock.after, webhooks: store, shares: createShares() },
    sender: {
      send: async ({ delivery }: { delivery: Delivery }) => {
        attempts.push(`${(clock.now() - NOON) / 1000} ${delivery.id}`);
        return await world.answer(delivery.webhookId);
      },
    },
    seal: {
      open: (_sealed: Uint8Array, context: string) => {
        if (context === "webhook lost") throw new Error("another key");
        return context;
      },
    },
    nodes: oneNode(),
    tracer: PASS_ON,
    executionTraces: { of: () => undefined },
    // The least jitter: every pause is half of the longest.
    randomBytes: () => new Uint8Array([0]),
    background: createBackground((_name, error) => faults.push(String(error))),
  } as unknown as WebhookDispatcherNeeds;
  const dispatcher = createWebhookDispatcher(needs);
  const states = () => [...queue.values()].map((one) => `${one.id} ${one.state}`);
  return { clock, dispatcher, world, attempts, faults, queue, queueUp, states };
}

test("what is queued is sent at once, oldest first, one after the other", async () => {
  const { clock, dispatcher, attempts, queueUp, states } = makeWorld([hook("a"), hook("b")]);
  for (const [id, text] of [
    ["a", "1"],
    ["a", "2"],
    ["b", "1"],
    ["a", "3"],
  ] as const)
    queueUp(id, text);
  dispatcher.wake();
  await clock.advance(0);
  expect(attempts.map((one) => one.slice(2)).sort()).toEqual(["a-1", "a-2", "a-3", "b-1"]);
  expect(attempts.filter((one) => one.includes("a-"))).toEqual(["0 a-1", "0 a-2", "0 a-3"]);
  expect(states().every((one) => one.endsWith("DELIVERED"))).toBe(true);
});

test("a failure is tried again after a growing pause, until it is taken", async () => {
  const { clock, dispatcher, world, attempts, queueUp, states } = makeWorld([hook("a")]);
  world.answer = () => FAILED;
  queueUp("a", "1");
  dispatcher.wake();
  await clock.advance(40_000);
  expect(attempts).toEqual(["0 a-1", "5 a-1", "15 a-1", "35 a-1"]);
  world.answer = () => OK;
  await clock.advance(40_000);
  expect(attempts.at(-1)).toBe("75 a-1");
  expect(states()).toEqual(["a-1 DELIVERED"]);
  expect(clock.waiting).toBe(0);
});

test("after a day it is dead", async () => {
  const { clock, dispatcher, world, attempts, queueUp, states } = makeWorld([hook("a")]);
  world.answer = () => FAILED;
  queueUp("a", "1");
  dispatcher.wake();
  await clock.advance(GIVE_UP_AFTER_MS);
  expect(states()).toEqual(["a-1 DEAD"]);
  expect(attempts.length).toBeGreaterThan(20);
  expect(clock.waiting).toBe(0);
});

test("a slow receiver holds up nobody else, and never has two at once", async () => {
  const { clock, dispatcher, world, attempts, queueUp } = makeWorld([hook("slow"), hook("quick")]);
  const slow = Promise.withResolvers<SendResult>();
  world.answer = (id) => (id === "slow" ? slow.promise : OK);
  queueUp("slow", "1");
  queueUp("slow", "2");
  dispatcher.wake();
  await clock.advance(0);
  queueUp("quick", "1");
  dispatcher.wake();
  await clock.advance(5_000);
  expect(attempts).toEqual(["0 slow-1", "0 quick-1"]);
  slow.resolve(OK);
  await clock.advance(0);
  expect(attempts.at(-1)).toBe("5 slow-2");
});

test("sixty-four dead receivers of a site delay neither another site's nor one of their own that answers", async () => {
  const of = (site: string) => ({ sites: new Set([site]) });
  const dead = Array.from({ length: 64 }, (_, n) => hook(`dead${n}`, of("s1")));
  const { clock, dispatcher, world, attempts, queueUp } = makeWorld([
    ...dead,
    hook("own", of("s1")),
    hook("other", of("s2")),
  ]);
  await dispatcher.refresh();
  // A dead receiver holds its place until the time of the attempt is up.
  world.answer = (id) =>
    id.startsWith("dead") ? new Promise((resolve) => clock.after(10_000, () => resolve(FAILED))) : OK;
  for (const { id } of dead) for (const text of ["1", "2", "3"]) queueUp(id, text);
  dispatcher.wake();
  await clock.advance(90_000);
  queueUp("other", "1");
  queueUp("own", "1");
  dispatcher.wake();
  await clock.advance(0);
  expect(attempts.slice(-2)).toEqual(["90 other-1", "90 own-1"]);
});

test("not more than eight of a site at once, and everyone has a turn", async () => {
  const hooks = Array.from({ length: 20 }, (_, i) => hook(`h${i}`));
  const { clock, dispatcher, world, attempts, queueUp } = makeWorld(hooks);
  let open: ((result: SendResult) => void)[] = [];
  world.answer = () => new Promise((resolve) => open.push(resolve));
  for (const { id } of hooks) queueUp(id, "1");
  dispatcher.wake();
  await clock.advance(0);
  expect(attempts).toHaveLength(8);
  for (let round = 0; round < 20; round++) {
    const done = open;
    open = [];
    for (const resolve of done) resolve(OK);
    await clock.advance(0);
  }
  expect(new Set(attempts).size).toBe(20);
});

test("trouble with the records is waited out, without an attempt too many", async () => {
  const { clock, dispatcher, world, attempts, faults, queueUp, states } = makeWorld([hook("a")]);
  queueUp("a", "1");
  world.isBroken = true;
  dispatcher.wake();
  await clock.advance(4_999);
  expect([attempts, faults.length]).toEqual([[], 1]);
  world.isBroken = false;
  world.answer = () => {
    world.isBroken = true;
    return OK;
  };
  await clock.advance(1);
  expect([attempts.length, states()]).toEqual([1, ["a-1 PENDING"]]);
  world.isBroken = false;
  world.answer = () => OK;
  await clock.advance(5_000);
  expect([attempts.length, states()]).toEqual([2, ["a-1 DELIVERED"]]);
});

test("a stop breaks off what is under way and counts it as no attempt", async () => {
  const { clock, dispatcher, world, queue, queueUp } = makeWorld([hook("a")]);
  const answer = Promise.withResolvers<SendResult>();
  world.answer = () => answer.promise;
  queueUp("a", "1");
  dispatcher.wake();
  await clock.advance(0);
  dispatcher.stop();
  answer.resolve(FAILED);
  await clock.advance(GIVE_UP_AFTER_MS);
  expect(queue.get("a-1")).toMatchObject({ state: "PENDING", attempts: 0 });
  expect(clock.waiting).toBe(0);
});

test("a webhook that is gone gets nothing, and one whose secret is lost says so", async () => {
  const { clock, dispatcher, attempts, queue, queueUp } = makeWorld([hook("lost")]);
  queueUp("lost", "1");
  dispatcher.wake();
  await clock.advance(0);
  expect(attempts).toEqual([]);
  expect(queue.get("lost-1")?.error).toContain("secret");
});

const event = (kind: EventKind, deviceId: string, siteId = "s1"): PreparedEvent => ({
  ...{ kind, siteId, deviceId, readLevel: "readonly", at: NOON },
  data: JSON.stringify({ text: deviceId }),
});
const connectivity = (deviceId: string, siteId?: string) => event("connectivity", deviceId, siteId);

test("notices are made only of what some webhook wants", async () => {
  const webhooks = [hook("a", { kinds: ["connectivity"], sites: new Set(["s1"]) })];
  const { dispatcher } = makeWorld(webhooks);
  expect(dispatcher.noticesOf([connectivity("d1")])).toEqual([]);
  await dispatcher.refresh();
  expect(dispatcher.noticesOf([connectivity("d1"), connectivity("d2", "s2")])).toEqual([
    {
      kind: "connectivity",
      siteId: "s1",
      readLevel: "readonly",
      occurredAt: NOON,
      queuedAt: NOON,
      event: '{"text":"d1"}',
    },
  ]);
  webhooks.pop();
  await dispatcher.refresh();
  expect(dispatcher.noticesOf([connectivity("d1")])).toEqual([]);
});

test("events of the hub are queued and sent, alerts apart: they are queued with what happened", async () => {
  const { clock, dispatcher, attempts } = makeWorld([hook("a", { kinds: ["connectivity", "alert", "execution"] })]);
  const hub = createEventHub();
  await dispatcher.refresh();
  dispatcher.forward(hub);
  for (const [index, kind] of (["connectivity", "alert", "device", "log"] as const).entries()) {
    hub.publish(event(kind, `d${index + 1}`));
  }
  await clock.advance(0);
  expect(attempts).toEqual(["0 a-d1"]);
});
