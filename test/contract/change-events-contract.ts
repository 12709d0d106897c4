// Each change of an execution, alert, configuration or device is one event, stored together with it.
import { expect, onTestFinished, test } from "vitest";
import type { Execution } from "#core/command/execution.ts";
import { EPHEMERAL_LIFETIME_MS } from "#core/command/retention.ts";
import { instant } from "#core/time/instant.ts";
import type { StoredEvent } from "#service/ports/event-outbox.ts";
import { arrival, asNew, makeExecution, makeKey } from "../support/executions.ts";
import { makeDevice, makeEntry, makeSite, NOON, newId } from "../support/records.ts";
import { raised } from "./alert-store-contract.ts";
import { everyEvent, prepared } from "./event-outbox-contract.ts";
import type { OpenStores } from "./stores.ts";

export function changeEventsContract(open: OpenStores): void {
  async function setUp() {
    const stores = await open();
    const site = makeSite();
    await stores.sites.insert(site, makeEntry());
    const device = await stores.devices.insert(makeDevice(site.id), makeEntry());
    const start = await stores.outbox.latest();
    const heard: StoredEvent[] = [];
    onTestFinished(stores.outbox.watch((event) => heard.push(event), start));
    /** What was stored since, which is what watchers heard. */
    const events = async () => {
      const found = await everyEvent(stores.outbox, start);
      await expect.poll(() => heard.length).toBe(found.length);
      expect(heard).toEqual(found);
      return found;
    };
    const place = { siteId: site.id, deviceId: device.id };
    return { ...stores, site, device, place, start, events };
  }

  const steps = (events: readonly StoredEvent[]) =>
    events.flatMap((event) => {
      if (!("execution" in event)) return [];
      const { state, revision, response } = event.execution;
      return [`${state} ${revision} ${response?.state ?? ""} ${JSON.stringify(response?.payload) ?? ""}`.trim()];
    });

  test("an execution: one event for each change, with the state and the response of that change", async () => {
    const { executions, place, events } = await setUp();
    const execution = makeExecution(place, {
      readLevel: "owner",
      request: { name: "go", manifestName: "start", arguments: { power: 1, deep: [{ text: "Größe" }] } },
    });
    await executions.insert(asNew(execution), makeEntry());
    const say = (state: Parameters<typeof arrival>[0], after: number, payload?: Execution["request"]["arguments"]) =>
      executions.record(place.deviceId, execution.id, arrival(state, { after, payload }));
    await say("STARTED", 1);
    await say("IN_PROGRESS", 2, { percent: 50 });
    const latest = await say("IN_PROGRESS", 3, { percent: 90 });
    await executions.expire(execution.id, latest?.deadline ?? NOON);
    await say("IN_PROGRESS", 4, { tooLate: true });
    await say("SUCCEEDED", 5, { done: true });
    await say("ERROR", 6);
    const found = await events();
    expect(steps(found)).toEqual([
      "NEW 1",
      "IN_PROGRESS 2 STARTED",
      'IN_PROGRESS 3 IN_PROGRESS {"percent":50}',
      'IN_PROGRESS 4 IN_PROGRESS {"percent":90}',
      'TIMEOUT 5 IN_PROGRESS {"percent":90}',
      'SUCCESS 6 SUCCEEDED {"done":true}',
    ]);
    expect(found[0]).toMatchObject({ ...place, kind: "execution", readLevel: "owner", at: NOON, execution });
    expect(found.map(({ at }) => at - NOON)).toEqual([0, 1, 2, 3, 3, 5]);
  });

  test("an execution: a start and the answer behind it are two events, in their order", async () => {
    const { executions, place, events } = await setUp();
    const execution = makeExecution(place);
    await executions.insert(asNew(execution), makeEntry());
    const payload = { message: "no" };
    const both = { start: arrival("STARTED", { after: 1 }), answer: arrival("ERROR", { after: 2, payload }) };
    await executions.recordStartAndAnswer(place.deviceId, execution.id, both);
    // Neither counts any more.
    await executions.recordStartAndAnswer(place.deviceId, execution.id, both);
    const found = await events();
    expect(steps(found)).toEqual(["NEW 1", "IN_PROGRESS 2 STARTED", 'ERROR 3 ERROR {"message":"no"}']);
    expect(found.map(({ at }) => at - NOON)).toEqual([0, 1, 2]);
  });

  test("an execution: what changes nothing is no event", async () => {
    const { executions, place, events } = await setUp();
    const execution = makeExecution(place);
    const idempotency = makeKey(execution, "key");
    await executions.insert(asNew(execution, { idempotency }), makeEntry());
    await executions.insert(asNew(makeExecution(place), { idempotency }), makeEntry());
    await executions.markAttempted(execution.id);
    await executions.unmarkAttempted(execution.id);
    await executions.expire(execution.id, instant(execution.deadline + 1));
    await executions.record(newId(), execution.id, arrival("STARTED"));
    await executions.loseSight(execution.id);
    expect(steps(await events())).toEqual(["NEW 1"]);
  });

  test("an execution that another side owns: what that side reports, and when it is out of sight", async () => {
    const { executions, place, events } = await setUp();
    const owned = { ...makeExecution(place), revision: 3, state: "IN_PROGRESS" } as const;
    const response = { state: "STARTED", payload: { a: 1 }, receivedAt: arrival("STARTED").at } as const;
    const change = { execution: { ...owned, response }, responses: [response], since: 0, leftOut: undefined };
    await executions.applyRemote(change);
    await executions.applyRemote(change);
    await executions.loseSight(owned.id);
    await executions.loseSight(owned.id);
    const end = { state: "SUCCEEDED", payload: { b: 2 }, receivedAt: arrival("STARTED", { after: 9_000 }).at } as const;
    const ended = { ...owned, state: "SUCCESS", revision: 4, response: end } as const;
    await executions.applyRemote({ execution: ended, responses: [end], since: 3, leftOut: undefined });
    expect(steps(await events())).toEqual([
      'IN_PROGRESS 3 STARTED {"a":1}',
      'UNSYNC 3 STARTED {"a":1}',
      'SUCCESS 4 SUCCEEDED {"b":2}',
    ]);
  });

  test("an execution that is deleted leaves no event behind, and an ephemeral one only for a day", async () => {
    const { executions, devices, place, start, outbox, site } = await setUp();
    const other = await devices.insert(makeDevice(site.id), makeEntry());
    await executions.insert(asNew(makeExecution({ siteId: site.id, deviceId: other.id })), makeEntry());
    await executions.insert(asNew(makeExecution(place, { ephemeral: true })), makeEntry());
    await executions.insert(asNew(makeExecution(place)), makeEntry());
    const count = async (now: number) => steps(await everyEvent(outbox, start, undefined, instant(now))).length;
    expect([await count(NOON), await count(NOON + EPHEMERAL_LIFETIME_MS)]).toEqual([3, 2]);
    await devices.delete(other.id, makeEntry());
    expect(await count(NOON)).toBe(2);
  });

  test("a device: created, updated and deleted", async () => {
    const { devices, device, site, events } = await setUp();
    const made = await devices.insert(makeDevice(site.id, { createdAt: instant(NOON + 1) }), makeEntry());
    await devices.update(device.id, { name: "Other", updatedAt: instant(NOON + 2) }, makeEntry());
    await devices.update(newId(), { name: "Nobody", updatedAt: NOON }, makeEntry());
    await devices.delete(made.id, makeEntry({ at: instant(NOON + 3) }));
    await devices.delete(made.id, makeEntry());
    const facts = { kind: "device", siteId: site.id, readLevel: "readonly" };
    expect((await events()).map(({ position: _, ...event }) => event)).toEqual([
      { ...facts, deviceId: made.id, change: "created", at: NOON + 1 },
      { ...facts, deviceId: device.id, change: "updated", at: NOON + 2 },
      { ...facts, deviceId: made.id, change: "deleted", at: NOON + 3 },
    ]);
  });

  test("alerts and configuration: the events that come with the change, unless it is refused", async () => {
    const { alerts, configurations, place, events } = await setUp();
    const { deviceId } = place;
    const event = prepared(`alert ${place.siteId}/${deviceId} owner`, { change: "raised" });
    const change = { kind: "raised", at: NOON, alert: raised("a", 0) } as const;
    await alerts.record(deviceId, [change], { events: [event], notices: [] });
    await alerts.record(newId(), [change], { events: [event], notices: [] });
    const entry = makeEntry();
    const buckets = [{ bucket: "b", shown: {}, sealed: new Uint8Array([1]), updatedAt: NOON }];
    const configured = prepared(`configuration ${place.siteId}/${deviceId} user`, { bucket: "b" });
    await configurations.put({ deviceId, buckets, events: [configured] }, entry);
    await expect(configurations.put({ deviceId, buckets, events: [configured] }, entry)).rejects.toThrow();
    expect((await events()).map(({ position: _, ...stored }) => stored)).toEqual([event, configured]);
  });

  test("a change that is refused is no event, whatever is stored together with it", async () => {
    const { executions, place, events } = await setUp();
    const entry = makeEntry();
    const made = Array.from({ length: 6 }, () => makeExecution(place));
    // The third and the fifth have an audit entry whose id is taken.
    const results = await Promise.allSettled(
      made.map((one, n) => executions.insert(asNew(one), n === 1 || n === 2 || n === 4 ? entry : makeEntry())),
    );
    expect(results.map(({ status }) => status === "fulfilled")).toEqual([true, true, false, true, false, true]);
    const stored = made.filter((_, n) => n !== 2 && n !== 4).map(({ id }) => id);
    expect((await events()).flatMap((event) => ("execution" in event ? [event.execution.id] : []))).toEqual(stored);
  });
}
