import { expect, test } from "vitest";
import { ACCESS_LEVELS, allows } from "#core/access/level.ts";
import { instant } from "#core/time/instant.ts";
import { GIVE_UP_AFTER_MS, type Outcome } from "#core/webhook/after-attempt.ts";
import type { Notice, Webhook } from "#core/webhook/webhook.ts";
import {
  MAX_PAST_DELIVERIES,
  MAX_PENDING_BYTES,
  MAX_PENDING_DELIVERIES,
  MAX_WEBHOOKS_PER_SITE,
} from "#core/webhook/webhook-limits.ts";
import type { Needs } from "#service/ports.ts";
import { makeEntry, NOON, newId } from "../support/records.ts";
import { ALL, expectRefusal } from "./stores.ts";

export type WebhookWorld = Pick<Needs, "webhooks" | "audit">;

export function makeWebhook(fields: Partial<Webhook> = {}): Webhook {
  return {
    id: newId(),
    url: "https://example.com/hook?a=1",
    kinds: ["alert"],
    sites: "all",
    level: "owner",
    createdAt: NOON,
    sealedSecret: new Uint8Array([1, 2, 3]),
    ...fields,
  };
}

/** `text` distinguishes them. */
export function makeNotice(text: string, after = 0, fields: Partial<Notice> = {}): Notice {
  const at = instant(NOON + after);
  return {
    kind: "alert",
    siteId: "s1",
    readLevel: "readonly",
    occurredAt: at,
    queuedAt: at,
    event: JSON.stringify({ text }),
    ...fields,
  };
}

const at = (after: number) => instant(NOON + after);

export function webhookStoreContract(open: () => Promise<WebhookWorld>): void {
  const setUp = async (...webhooks: readonly Webhook[]) => {
    const world = await open();
    for (const webhook of webhooks) await world.webhooks.insert(webhook, makeEntry());
    const texts = async (webhook: Webhook, states?: ("PENDING" | "DELIVERED" | "DEAD")[]) => {
      const filter = { newestFirst: false, ...(states !== undefined && { states }) };
      const { items } = await world.webhooks.deliveries(webhook.id, filter, ALL);
      return items.map(({ event }) => JSON.parse(event).text as string).join("");
    };
    const due = async (after: number, busy: readonly string[] = []) => {
      const found = await world.webhooks.due(at(after), busy);
      return (await Promise.all(found.map(({ id }) => world.webhooks.find(id)))).filter((one) => one !== undefined);
    };
    return { ...world, texts, due };
  };
  const outcome = (state: Outcome["state"], after: number, fields: Partial<Outcome> = {}): Outcome => ({
    state,
    attempts: 1,
    nextAttemptAt: state === "PENDING" ? at(after) : undefined,
    status: undefined,
    error: undefined,
    finishedAt: state === "PENDING" ? undefined : at(after),
    ...fields,
  });

  test("a webhook is found as it was stored, and is gone when deleted", async () => {
    const given = [
      makeWebhook(),
      makeWebhook({ kinds: ["execution", "connectivity"], sites: new Set(["s1", "s2"]), level: "system" }),
    ];
    const { webhooks } = await setUp(...given);
    expect(await webhooks.all()).toEqual(given);
    expect(await webhooks.delete(given[0]?.id ?? "", makeEntry())).toBe(true);
    expect(await webhooks.delete(given[0]?.id ?? "", makeEntry())).toBe(false);
    expect(await webhooks.all()).toEqual(given.slice(1));
  });

  test("every change has its audit entry", async () => {
    const { webhooks, audit } = await open();
    const [webhook, made, retried, gone] = [makeWebhook(), makeEntry(), makeEntry(), makeEntry()];
    await webhooks.insert(webhook, made);
    await webhooks.enqueue([makeNotice("a")]);
    const [delivery] = await webhooks.due(NOON, []);
    await webhooks.retry({ webhookId: webhook.id, deliveryId: delivery?.id ?? "", now: NOON }, retried);
    await webhooks.retry({ webhookId: webhook.id, deliveryId: "none", now: NOON }, makeEntry());
    await webhooks.delete(webhook.id, gone);
    await webhooks.delete(webhook.id, makeEntry());
    const { items } = await audit.list({ reader: { tokenId: "x", sites: "all" }, newestFirst: false }, ALL);
    expect(items.map((entry) => entry.id)).toEqual([made.id, retried.id, gone.id]);
  });

  test("a site has not more than so many, which takes none from another site or from all sites", async () => {
    const of = (...sites: string[]) => makeWebhook({ sites: new Set(sites) });
    const { webhooks } = await setUp(...Array.from({ length: MAX_WEBHOOKS_PER_SITE }, () => of("s1")));
    await expectRefusal(webhooks.insert(of("s1"), makeEntry()), "conflict");
    await expectRefusal(webhooks.insert(of("s2", "s1"), makeEntry()), "conflict");
    await webhooks.insert(of("s2"), makeEntry());
    await webhooks.insert(makeWebhook(), makeEntry());
  });

  test("what waits for a webhook is bounded in bytes", async () => {
    const hook = makeWebhook();
    const { webhooks, texts } = await setUp(hook);
    const large = JSON.stringify({ text: "x", more: "y".repeat(MAX_PENDING_BYTES / 2) });
    await webhooks.enqueue([
      makeNotice("a"),
      makeNotice("x", 0, { event: large }),
      makeNotice("x", 0, { event: large }),
    ]);
    await webhooks.enqueue([makeNotice("b")]);
    expect([await texts(hook, ["PENDING"]), await texts(hook, ["DEAD"])]).toEqual(["axb", "x"]);
  });

  test("a notice is queued for those who want its kind and site and may know of it", async () => {
    const [everything, site, kind] = [
      makeWebhook({ kinds: ["alert", "connectivity", "execution"] }),
      makeWebhook({ sites: new Set(["s2"]) }),
      makeWebhook({ kinds: ["connectivity"] }),
    ];
    const { webhooks, texts } = await setUp(everything, site, kind);
    await webhooks.enqueue([
      makeNotice("a"),
      makeNotice("b", 0, { siteId: "s2" }),
      makeNotice("c", 0, { kind: "connectivity" }),
      makeNotice("d", 0, { readLevel: "vendor" }),
    ]);
    expect([await texts(everything), await texts(site), await texts(kind)]).toEqual(["abc", "b", "c"]);
  });

  test("what may be known follows the level", async () => {
    const hooks = ACCESS_LEVELS.map((level) => makeWebhook({ level }));
    const { webhooks, texts } = await setUp(...hooks);
    await webhooks.enqueue(ACCESS_LEVELS.map((level, index) => makeNotice(String(index), 0, { readLevel: level })));
    for (const hook of hooks) {
      const known = [...ACCESS_LEVELS.keys()].filter((index) => allows(hook.level, ACCESS_LEVELS[index] ?? "system"));
      expect(await texts(hook)).toBe(known.join(""));
    }
  });

  test("a delivery is read as it was queued, under an id of its own", async () => {
    const [one, two] = [makeWebhook(), makeWebhook()];
    const { webhooks, due } = await setUp(one, two);
    const notice = makeNotice("a", 7, { occurredAt: at(-99) });
    await webhooks.enqueue([notice]);
    const queued = await due(7);
    expect(queued).toEqual(
      [one, two].map((webhook) => ({
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        webhookId: webhook.id,
        kind: "alert",
        occurredAt: at(-99),
        event: notice.event,
        state: "PENDING",
        attempts: 0,
        queuedAt: at(7),
        nextAttemptAt: at(7),
        giveUpAt: at(7 + GIVE_UP_AFTER_MS),
        status: undefined,
        error: undefined,
        finishedAt: undefined,
      })),
    );
    expect(queued[0]?.id).not.toBe(queued[1]?.id);
  });

  test("due is the oldest of each webhook that is not busy, from its time on", async () => {
    const [one, two] = [makeWebhook(), makeWebhook({ kinds: ["connectivity"] })];
    const { webhooks, due } = await setUp(one, two);
    await webhooks.enqueue([makeNotice("a", 10), makeNotice("b", 10), makeNotice("c", 20, { kind: "connectivity" })]);
    const shown = async (after: number, busy?: readonly string[]) =>
      (await due(after, busy)).map(({ event }) => JSON.parse(event).text).join("");
    expect([await shown(9), await shown(10), await shown(20)]).toEqual(["", "a", "ac"]);
    expect(await shown(20, [one.id])).toBe("c");
    expect(await webhooks.nextAttempt([])).toBe(at(10));
    expect(await webhooks.nextAttempt([one.id])).toBe(at(20));
    expect(await webhooks.nextAttempt([one.id, two.id])).toBeUndefined();
  });

  test("an attempt leaves a delivery delivered, dead or waiting for its next time", async () => {
    const webhook = makeWebhook();
    const { webhooks, texts, due } = await setUp(webhook);
    await webhooks.enqueue(["a", "b", "c"].map((text) => makeNotice(text)));
    const settle = async (result: Outcome) => webhooks.settle((await due(0))[0]?.id ?? "", result);
    await settle(outcome("DELIVERED", 5, { status: 204 }));
    await settle(outcome("DEAD", 6, { status: 500, error: "answered 500", attempts: 30 }));
    await settle(outcome("PENDING", 7_000, { error: "no answer in time" }));
    expect(await due(6_999)).toEqual([]);
    expect(await due(7_000)).toMatchObject([{ attempts: 1, error: "no answer in time", nextAttemptAt: at(7_000) }]);
    expect([await texts(webhook, ["DELIVERED"]), await texts(webhook, ["DEAD", "PENDING"])]).toEqual(["a", "bc"]);
    const { items, total } = await webhooks.deliveries(webhook.id, { newestFirst: true }, { limit: 1, offset: 1 });
    expect([total, items]).toEqual([
      3,
      [expect.objectContaining({ state: "DEAD", status: 500, attempts: 30, finishedAt: at(6) })],
    ]);
    await webhooks.settle("none", outcome("DEAD", 9));
  });

  test("a dead delivery is retried on demand, under its own webhook, with another day to succeed", async () => {
    const [webhook, other] = [makeWebhook(), makeWebhook({ kinds: ["execution"] })];
    const { webhooks, due } = await setUp(webhook, other);
    await webhooks.enqueue([makeNotice("a")]);
    const deliveryId = (await due(0))[0]?.id ?? "";
    await webhooks.settle(deliveryId, outcome("DEAD", 5, { error: "answered 500", attempts: 9 }));
    const now = at(99);
    expect(await webhooks.retry({ webhookId: other.id, deliveryId, now }, makeEntry())).toBeUndefined();
    const again = await webhooks.retry({ webhookId: webhook.id, deliveryId, now }, makeEntry());
    expect(again).toMatchObject({ state: "PENDING", attempts: 9, nextAttemptAt: now, finishedAt: undefined });
    expect(again?.giveUpAt).toBe(now + GIVE_UP_AFTER_MS);
    expect(await due(99)).toEqual([again]);
  });

  test("what a full queue cannot take is dead at once, and the oldest dead ones go", async () => {
    const webhook = makeWebhook();
    const { webhooks } = await setUp(webhook);
    const flood = MAX_PENDING_DELIVERIES + MAX_PAST_DELIVERIES + 5;
    await webhooks.enqueue(Array.from({ length: flood }, (_, i) => makeNotice(`${i}`)));
    const list = (state: "PENDING" | "DEAD") =>
      webhooks.deliveries(webhook.id, { states: [state], newestFirst: false }, { limit: 1, offset: 0 });
    const [pending, dead] = [await list("PENDING"), await list("DEAD")];
    expect([pending.total, dead.total]).toEqual([MAX_PENDING_DELIVERIES, MAX_PAST_DELIVERIES]);
    expect(pending.items[0]?.event).toBe('{"text":"0"}');
    expect(dead.items[0]).toMatchObject({
      event: `{"text":"${MAX_PENDING_DELIVERIES + 5}"}`,
      error: "the queue is full",
      attempts: 0,
    });
  });

  test("pruning deletes what ended before, and nothing that waits", async () => {
    const webhook = makeWebhook();
    const { webhooks, texts, due } = await setUp(webhook);
    await webhooks.enqueue(["a", "b", "c"].map((text) => makeNotice(text)));
    await webhooks.settle((await due(0))[0]?.id ?? "", outcome("DELIVERED", 10));
    await webhooks.settle((await due(0))[0]?.id ?? "", outcome("DEAD", 20));
    expect(await webhooks.prune(at(20))).toBe(1);
    expect(await webhooks.prune(at(20))).toBe(0);
    expect(await texts(webhook)).toBe("bc");
  });

  test("the deliveries of a webhook go with it", async () => {
    const webhook = makeWebhook();
    const { webhooks, texts, due } = await setUp(webhook);
    await webhooks.enqueue([makeNotice("a")]);
    await webhooks.delete(webhook.id, makeEntry());
    expect([await texts(webhook), await due(0)]).toEqual(["", []]);
  });
}
