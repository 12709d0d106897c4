import { expect, test } from "vitest";
import { EXECUTION_STATES, type Execution, type Micros } from "#core/command/execution.ts";
import { EPHEMERAL_LIFETIME_MS } from "#core/command/retention.ts";
import { instant } from "#core/time/instant.ts";
import type { ExecutionFilter, ExecutionStore } from "#service/ports/execution-store.ts";
import { arrival, asNew, EVERYTHING, makeExecution, makeKey, PATIENCE_MS, type Place } from "../support/executions.ts";
import { makeEntry, NOON, newId, OBJECT_PROPERTY_NAMES, UNUSUAL } from "../support/records.ts";
import { ALL, expectRefusal } from "./stores.ts";

/** An empty store, and devices to store executions of. */
export interface ExecutionWorld {
  readonly executions: ExecutionStore;
  /** Another device; in a site of its own unless one is given. */
  device(siteId?: string): Promise<Place>;
}

const HOUR = 3_600_000;

export function executionStoreContract(open: () => Promise<ExecutionWorld>): void {
  const setUp = async () => {
    const world = await open();
    const { executions } = world;
    const place = await world.device();
    return {
      ...world,
      place,
      insert: async (execution: Execution, fields = {}) =>
        (await executions.insert(asNew(execution, fields), makeEntry())).execution,
      ids: async (filter: Partial<ExecutionFilter> = {}, page = ALL) =>
        (await executions.list({ ...EVERYTHING, ...filter }, page)).items.map((one) => one.id),
    };
  };

  test("an execution is found as it was stored, only under its own device", async () => {
    const { executions, place, insert, device } = await setUp();
    const names = [...OBJECT_PROPERTY_NAMES.filter((name) => name !== "__proto__"), ...UNUSUAL];
    const given = makeExecution(place, {
      request: { name: "öffnen", manifestName: "open", arguments: Object.fromEntries(names.map((n) => [n, { n }])) },
      readLevel: "vendor",
      ephemeral: true,
    });
    expect(await insert(given)).toEqual(given);
    expect(await executions.find(place.deviceId, given.id, NOON)).toEqual(given);
    const other = await device(place.siteId);
    expect(await executions.find(other.deviceId, given.id, NOON)).toBeUndefined();
    expect(await executions.find(place.deviceId, newId(), NOON)).toBeUndefined();
    expect(await executions.responses(given.id)).toEqual([]);
  });

  test("responses change the state by the rules of the core and are kept, newest first", async () => {
    const { executions, place, insert } = await setUp();
    const { id } = await insert(makeExecution(place));
    const record = (one: ReturnType<typeof arrival>) => executions.record(place.deviceId, id, one);
    expect(await record(arrival("STARTED"))).toMatchObject({
      state: "IN_PROGRESS",
      deadline: NOON + 1_000 + PATIENCE_MS,
    });
    await record(arrival("IN_PROGRESS", { payload: { percent: 50 } }));
    const ended = await record(arrival("SUCCEEDED", { payload: { ok: true, constructor: 1 } }));
    expect(ended).toMatchObject({ id, state: "SUCCESS", response: { state: "SUCCEEDED", payload: { ok: true } } });
    expect(await executions.find(place.deviceId, id, NOON)).toEqual(ended);
    const log = await executions.responses(id);
    expect(log.map(({ state }) => state)).toEqual(["SUCCEEDED", "IN_PROGRESS", "STARTED"]);
    expect(log[0]).toEqual(ended?.response);
    // The clock stood still, and yet the times rise.
    const start = (NOON + 1_000) * 1000;
    expect(log.map(({ receivedAt }) => receivedAt)).toEqual([start + 2, start + 1, start]);
    expect(log[2]).toEqual({ state: "STARTED", payload: undefined, receivedAt: start });
  });

  test("a response is not counted that comes too late, or from another device, or for no execution", async () => {
    const { executions, place, insert, device } = await setUp();
    const other = await device(place.siteId);
    const { id } = await insert(makeExecution(place));
    expect(await executions.record(other.deviceId, id, arrival("SUCCEEDED"))).toBeUndefined();
    expect(await executions.record(place.deviceId, newId(), arrival("SUCCEEDED"))).toBeUndefined();
    expect(await executions.find(place.deviceId, id, NOON)).toMatchObject({ state: "NEW", response: undefined });
    await executions.record(place.deviceId, id, arrival("ERROR", { payload: { message: "no" } }));
    for (const state of ["STARTED", "IN_PROGRESS", "SUCCEEDED", "ERROR"] as const) {
      expect(await executions.record(place.deviceId, id, arrival(state))).toBeUndefined();
    }
    expect(await executions.responses(id)).toHaveLength(1);
  });

  test("a start and the answer behind it are stored together as one after the other", async () => {
    const { executions, place, insert } = await setUp();
    const { id } = await insert(makeExecution(place));
    const both = { start: arrival("STARTED"), answer: arrival("SUCCEEDED", { payload: { ok: true } }) };
    const { started, answered } = await executions.recordStartAndAnswer(place.deviceId, id, both);
    expect(started).toMatchObject({ state: "IN_PROGRESS", revision: 2 });
    expect(answered).toMatchObject({ state: "SUCCESS", revision: 3, response: { payload: { ok: true } } });
    expect(await executions.find(place.deviceId, id, NOON)).toEqual(answered);
    expect(await executions.responses(id)).toEqual([answered?.response, started?.response]);
    const { changes } = await executions.changesAfter(0, 10);
    expect(changes[0]?.responses.map(({ state }) => state)).toEqual(["STARTED", "SUCCEEDED"]);
    for (const other of [newId(), place.deviceId]) {
      const late = await executions.recordStartAndAnswer(other, id, both);
      expect(late).toEqual({ started: undefined, answered: undefined });
    }
  });

  test("what a carrier brings again is recognised, however many came since; without its word nothing is", async () => {
    const { executions, place, insert } = await setUp();
    const { id } = await insert(makeExecution(place));
    const say = async (percent: number, repeated: boolean) =>
      (await executions.record(place.deviceId, id, arrival("IN_PROGRESS", { payload: { percent }, repeated }))) !==
      undefined;
    expect([await say(10, false), await say(20, false)]).toEqual([true, true]);
    expect([await say(10, true), await say(20, true), await say(30, true)]).toEqual([false, false, true]);
    expect(await say(10, false)).toBe(true);
    const log = await executions.responses(id);
    expect(log.map(({ payload }) => payload?.["percent"])).toEqual([10, 30, 20, 10]);
  });

  test("a log that grows too long keeps its start and its end, and says how many responses are left out between", async () => {
    const { executions, place, insert } = await setUp();
    const { id } = await insert(makeExecution(place));
    await executions.record(place.deviceId, id, arrival("STARTED"));
    const text = "x".repeat(100_000);
    for (let n = 1; n <= 25; n++) {
      await executions.record(place.deviceId, id, arrival("IN_PROGRESS", { payload: { n, text } }));
    }
    await executions.record(place.deviceId, id, arrival("SUCCEEDED", { payload: { text: "y".repeat(250_000) } }));
    const log = await executions.responses(id);
    const texts = log.map(({ state, payload }) => payload?.["message"] ?? payload?.["n"] ?? state);
    const gap = "18 responses are left out here: the log of an execution holds 1048576 bytes";
    expect(texts).toEqual(["SUCCEEDED", 25, 24, 23, 22, 21, 20, 19, gap, "STARTED"]);
    expect(log.map(({ receivedAt }) => receivedAt)).toEqual(
      log.map(({ receivedAt }) => receivedAt).toSorted((a, b) => b - a),
    );
    expect((await executions.find(place.deviceId, id, NOON))?.state).toBe("SUCCESS");
  });

  test("one that nobody has begun to hand over is cancelled, once, with its audit entry; others are not", async () => {
    const { executions, place, insert, device } = await setUp();
    const cancel = (id: string, deviceId = place.deviceId) =>
      executions.cancel(deviceId, id, { at: ((NOON + 5_000) * 1000) as Micros, trail: makeEntry() });
    const waiting = await insert(makeExecution(place));
    expect(await cancel(waiting.id, (await device(place.siteId)).deviceId)).toBeUndefined();
    const ended = await cancel(waiting.id);
    expect(ended).toMatchObject({ state: "ERROR", response: { state: "ERROR", payload: { code: "cancelled" } } });
    expect(await executions.find(place.deviceId, waiting.id, NOON)).toEqual(ended);
    expect(await executions.responses(waiting.id)).toEqual([ended?.response]);
    expect([await cancel(waiting.id), await executions.markAttempted(waiting.id)]).toEqual([undefined, false]);
    expect(await executions.toSend(waiting.id)).toBeUndefined();
    const marked = await insert(makeExecution(place));
    await executions.markAttempted(marked.id);
    expect(await cancel(marked.id)).toBeUndefined();
    await executions.unmarkAttempted(marked.id);
    expect(await cancel(marked.id)).toMatchObject({ state: "ERROR" });
    const started = await insert(makeExecution(place));
    await executions.record(place.deviceId, started.id, arrival("STARTED"));
    expect(await cancel(started.id)).toBeUndefined();
    expect(await cancel(newId())).toBeUndefined();
    // Of a mark and a cancel at once, one wins.
    const raced = await insert(makeExecution(place));
    const [isMarked, isCancelled] = await Promise.all([executions.markAttempted(raced.id), cancel(raced.id)]);
    expect(isMarked).toBe(isCancelled === undefined);
  });

  test("a timeout counts only for the deadline it was set for, and only while the execution is open", async () => {
    const { executions, place, insert } = await setUp();
    const { id, deadline } = await insert(makeExecution(place));
    const heard = await executions.record(place.deviceId, id, arrival("STARTED"));
    expect(await executions.expire(id, deadline)).toBeUndefined();
    const later = heard?.deadline ?? instant(0);
    expect(await executions.expire(id, later)).toMatchObject({ id, state: "TIMEOUT", response: { state: "STARTED" } });
    expect(await executions.expire(id, later)).toBeUndefined();
    expect(await executions.expire(newId(), later)).toBeUndefined();
    expect(await executions.record(place.deviceId, id, arrival("IN_PROGRESS"))).toBeUndefined();
    expect(await executions.record(place.deviceId, id, arrival("SUCCEEDED"))).toMatchObject({ state: "SUCCESS" });
  });

  test("a former deadline never counts, also where the clock was set back meanwhile", async () => {
    const { executions, place, insert } = await setUp();
    const { id, deadline } = await insert(makeExecution(place));
    for (let n = 0; n < 3; n++) await executions.record(place.deviceId, id, arrival("IN_PROGRESS", { after: -HOUR }));
    for (const former of [deadline, deadline + 1, deadline + 2]) {
      expect(await executions.expire(id, instant(former))).toBeUndefined();
    }
    expect(await executions.expire(id, instant(deadline + 3))).toMatchObject({ state: "TIMEOUT" });
  });

  test("an execution is attempted by one caller only, and again only when it certainly did not leave", async () => {
    const { executions, place, insert } = await setUp();
    const waiting = await insert(makeExecution(place));
    for (const deviceId of [undefined, place.deviceId]) {
      const mark = () => executions.markAttempted(waiting.id, deviceId);
      const marks = await Promise.all(Array.from({ length: 5 }, mark));
      expect(marks.filter(Boolean)).toHaveLength(1);
      // One alone takes another way than several at once.
      expect(await mark()).toBe(false);
      await executions.unmarkAttempted(waiting.id, deviceId);
      expect(await mark()).toBe(true);
      if (deviceId === undefined) await executions.unmarkAttempted(waiting.id);
    }
    await executions.record(place.deviceId, waiting.id, arrival("STARTED"));
    await executions.unmarkAttempted(waiting.id);
    expect(await executions.markAttempted(waiting.id)).toBe(false);

    const sent = await insert(makeExecution(place), { attempted: true });
    expect(await executions.markAttempted(sent.id)).toBe(false);
    const ended = await insert(makeExecution(place));
    await executions.expire(ended.id, ended.deadline);
    expect(await executions.markAttempted(ended.id)).toBe(false);
    expect(await executions.markAttempted(newId())).toBe(false);
  });

  test("open executions are given a page at a time, oldest first, of one device or of all; what is sent, when asked for", async () => {
    const { executions, place, insert, device } = await setUp();
    const other = await device();
    const sealed = new Uint8Array([1, 2, 3]);
    const late = await insert(makeExecution(place, { after: 2 }), { attempted: true });
    const early = await insert(makeExecution(place, { after: 1 }), { sealed });
    const elsewhere = await insert(makeExecution(other, { after: 0 }));
    const ended = await insert(makeExecution(place), { sealed });
    await executions.record(place.deviceId, ended.id, arrival("SUCCEEDED"));
    const [first, ...none] = await executions.open({ deviceId: place.deviceId, limit: 1 });
    const { deviceId, siteId, createdAt, deadline } = early;
    expect([first, none]).toEqual([
      { id: early.id, deviceId, siteId, createdAt, deadline, attempted: false, bytes: 5 },
      [],
    ]);
    const rest = await executions.open({ deviceId: place.deviceId, limit: 5, ...(first && { after: first }) });
    expect(rest.map(({ id, attempted, bytes }) => [id, attempted, bytes])).toEqual([[late.id, true, 2]]);
    const everyone = (await executions.open({ limit: 5 })).map(({ id }) => id);
    const mine = [early.id, late.id];
    expect(everyone).toEqual(place.deviceId < other.deviceId ? [...mine, elsewhere.id] : [elsewhere.id, ...mine]);
    expect(await executions.devicesWaiting([place.deviceId, other.deviceId, newId()])).toEqual(
      new Set([place.deviceId, other.deviceId]),
    );
    expect(await executions.markAttempted(elsewhere.id)).toBe(true);
    expect(await executions.devicesWaiting([place.deviceId, other.deviceId])).toEqual(new Set([place.deviceId]));
    const sent = await executions.toSend(early.id);
    expect([sent?.execution, sent?.attempted, [...(sent?.sealed ?? [])]]).toEqual([early, false, [1, 2, 3]]);
    expect(await executions.toSend(ended.id)).toBeUndefined();
    expect(await executions.toSend(newId())).toBeUndefined();
  });

  test("a device's open executions are capped, others' and ended ones do not count", async () => {
    const { executions, place, insert, device } = await setUp();
    const other = await device(place.siteId);
    const [first] = [await insert(makeExecution(place)), await insert(makeExecution(place))];
    await insert(makeExecution(other), { maxOpen: 2 });
    await expectRefusal(insert(makeExecution(place), { maxOpen: 2 }), "queue_full");
    await executions.record(place.deviceId, first.id, arrival("SUCCEEDED"));
    await insert(makeExecution(place), { maxOpen: 2 });
    await expectRefusal(insert(makeExecution(place), { maxOpen: 2 }), "queue_full");
  });

  test("what the arguments of a device's open executions hold is capped, the sealed ones included", async () => {
    const { executions, place, insert } = await setUp();
    const large = (length: number) =>
      makeExecution(place, { request: { name: "start", manifestName: "start", arguments: { a: "x".repeat(length) } } });
    const first = await insert(large(92));
    await insert(large(42), { sealed: new Uint8Array(50), maxOpenBytes: 200 });
    await expectRefusal(insert(makeExecution(place), { maxOpenBytes: 200 }), "queue_full");
    await executions.record(place.deviceId, first.id, arrival("SUCCEEDED"));
    await insert(large(92), { maxOpenBytes: 200 });
  });

  test("a key gives the earlier execution as it is by now, per token and device, for 24 hours", async () => {
    const { executions, place, insert, device } = await setUp();
    const other = await device(place.siteId);
    const send = async (at: Place, key: Parameters<typeof makeKey>[2], after = 0) => {
      const execution = makeExecution(at, { after });
      const input = asNew(execution, { idempotency: makeKey(execution, "k", key), maxOpen: 3 });
      return await executions.insert(input, makeEntry());
    };
    const first = await send(place, {});
    expect(first.isNew).toBe(true);
    await executions.record(place.deviceId, first.execution.id, arrival("STARTED"));
    const again = await send(place, {}, EPHEMERAL_LIFETIME_MS - 1);
    expect(again).toMatchObject({ isNew: false, execution: { id: first.execution.id, state: "IN_PROGRESS" } });
    await expectRefusal(send(place, { body: "b" }), "idempotency_conflict");
    expect((await send(place, { tokenId: "t2", body: "b" })).isNew).toBe(true);
    expect((await send(other, { body: "b" })).isNew).toBe(true);
    // A repetition is answered also where there is no room for another one.
    await insert(makeExecution(place));
    expect((await send(place, {})).isNew).toBe(false);
    await expectRefusal(insert(makeExecution(place), { maxOpen: 3 }), "queue_full");
    await executions.record(place.deviceId, first.execution.id, arrival("SUCCEEDED"));
    const next = await send(place, { body: "b" }, EPHEMERAL_LIFETIME_MS);
    expect(next.isNew).toBe(true);
    expect((await send(place, { body: "b" }, EPHEMERAL_LIFETIME_MS)).execution.id).toBe(next.execution.id);
  });

  test("the same key at the same moment makes one execution", async () => {
    const { executions, place } = await setUp();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => {
        const execution = makeExecution(place);
        return executions.insert(asNew(execution, { idempotency: makeKey(execution, "k") }), makeEntry());
      }),
    );
    expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(new Set(answers.map(({ execution }) => execution.id)).size).toBe(1);
  });

  test("a list is ordered by creation, ties by id, both ways", async () => {
    const { place, insert, ids } = await setUp();
    const [a, b, c, d] = [2, 1, 1, 1].map((after) => makeExecution(place, { after }));
    for (const execution of [a, c, d, b]) if (execution !== undefined) await insert(execution);
    const oldestFirst = [b?.id, c?.id, d?.id, a?.id];
    expect(await ids()).toEqual(oldestFirst);
    expect(await ids({ newestFirst: true })).toEqual(oldestFirst.toReversed());
  });

  test("a page of large executions is whole, also where the rest of it is read as it is taken", async () => {
    const { executions, place, insert } = await setUp();
    const all: Execution[] = [];
    for (let after = 0; after < 5; after++) {
      const request = { name: "start", manifestName: "start", arguments: { text: "x".repeat(400_000) } };
      all.push(await insert(makeExecution(place, { after, request })));
    }
    for (const newestFirst of [false, true]) {
      const page = await executions.list({ ...EVERYTHING, newestFirst }, ALL);
      const rest = page.rest === undefined ? [] : await Array.fromAsync(page.rest);
      expect([...page.items, ...rest]).toEqual(newestFirst ? all.toReversed() : all);
    }
  });

  test("every page of a list holds its part, and all know the total", async () => {
    const { executions, place, insert } = await setUp();
    const all = [];
    for (let after = 0; after < 7; after++) all.push((await insert(makeExecution(place, { after: after * HOUR }))).id);
    for (let limit = 0; limit <= 8; limit++) {
      for (let offset = 0; offset <= 8; offset++) {
        const page = await executions.list(EVERYTHING, { limit, offset });
        const expected = { total: 7, ids: all.slice(offset, offset + limit) };
        expect({ limit, offset, total: page.total, ids: page.items.map(({ id }) => id) }).toEqual({
          limit,
          offset,
          ...expected,
        });
      }
    }
  });

  test("a list knows names as sent and as declared, exactly", async () => {
    const { place, insert, ids } = await setUp();
    const named = async (name: string, manifestName = name) =>
      (await insert(makeExecution(place, { request: { name, manifestName, arguments: {} } }))).id;
    const [start, alias, stop] = [await named("start"), await named("go", "start"), await named("stop")];
    const cases: readonly (readonly [names: readonly string[], found: readonly (string | undefined)[]])[] = [
      [["start"], [start, alias]],
      [["go"], [alias]],
      [
        ["go", "stop"],
        [alias, stop],
      ],
      [
        ["start", "go"],
        [start, alias],
      ],
      [["Start"], []],
      [["sta"], []],
      [["%"], []],
      [[], []],
    ];
    for (const [names, found] of cases) expect({ names, ids: await ids({ names }) }).toEqual({ names, ids: found });
  });

  test("a list knows states, levels, sites and devices", async () => {
    const { executions, place, insert, device, ids } = await setUp();
    const other = await device();
    const fresh = await insert(makeExecution(place, { readLevel: "readonly" }));
    const ended = await insert(makeExecution(place, { readLevel: "owner" }));
    await executions.record(place.deviceId, ended.id, arrival("SUCCEEDED"));
    const late = await insert(makeExecution(other, { readLevel: "system" }));
    await executions.expire(late.id, late.deadline);
    const [f, e, l] = [fresh.id, ended.id, late.id];
    expect(await ids({ states: ["NEW"] })).toEqual([f]);
    expect(await ids({ states: ["SUCCESS", "TIMEOUT"] })).toEqual([e, l]);
    expect(await ids({ states: EXECUTION_STATES })).toEqual([f, e, l]);
    expect(await ids({ states: ["UNSYNC"] })).toEqual([]);
    for (const [level, found] of [
      ["readonly", [f]],
      ["user", [f]],
      ["owner", [f, e]],
      ["vendor", [f, e]],
      ["system", [f, e, l]],
    ] as const) {
      expect({ level, ids: await ids({ level }) }).toEqual({ level, ids: found });
    }
    expect(await ids({ scope: new Set([place.siteId]) })).toEqual([f, e]);
    expect(await ids({ scope: new Set() })).toEqual([]);
    expect(await ids({ siteId: other.siteId })).toEqual([l]);
    expect(await ids({ siteId: other.siteId, scope: new Set([place.siteId]) })).toEqual([]);
    expect(await ids({ deviceIds: [other.deviceId] })).toEqual([l]);
    expect(await ids({ deviceIds: [other.deviceId, place.deviceId, newId()] })).toEqual([f, e, l]);
    expect(await ids({ deviceIds: [] })).toEqual([]);
  });

  test("time bounds take the lower one in and leave the upper one out, also beside the hour", async () => {
    const { executions, place, insert } = await setUp();
    const times = [-HOUR - 1, -HOUR, -1, 0, 1, HOUR - 1, HOUR, HOUR + 1, 3 * HOUR];
    for (const after of times) await insert(makeExecution(place, { after }));
    for (const since of [undefined, ...times, 2 * HOUR]) {
      for (const before of [undefined, ...times, 2 * HOUR]) {
        const filter = {
          ...EVERYTHING,
          ...(since !== undefined && { since: instant(NOON + since) }),
          ...(before !== undefined && { before: instant(NOON + before) }),
        };
        const page = await executions.list(filter, ALL);
        const expected = times.filter((time) => time >= (since ?? -Infinity) && time < (before ?? Infinity));
        expect({
          since,
          before,
          times: page.items.map(({ createdAt }) => createdAt - NOON),
          total: page.total,
        }).toEqual({ since, before, times: expected, total: expected.length });
      }
    }
  });

  test("an ephemeral execution is gone from every read at 24 hours to the millisecond, then swept", async () => {
    const { executions, place, insert, ids } = await setUp();
    const [short, long] = [await insert(makeExecution(place, { ephemeral: true })), await insert(makeExecution(place))];
    await executions.record(place.deviceId, short.id, arrival("STARTED"));
    const last = instant(NOON + EPHEMERAL_LIFETIME_MS - 1);
    const gone = instant(NOON + EPHEMERAL_LIFETIME_MS);
    expect(await ids({ retention: "EPHEMERAL", now: last })).toEqual([short.id]);
    expect(await ids({ now: last })).toEqual([short.id, long.id]);
    expect(await ids({ retention: "PERSISTENT", now: last })).toEqual([long.id]);
    expect(await executions.find(place.deviceId, short.id, last)).toBeDefined();
    expect(await executions.list({ ...EVERYTHING, retention: "EPHEMERAL", now: gone }, ALL)).toEqual({
      items: [],
      total: 0,
    });
    expect(await ids({ now: gone })).toEqual([long.id]);
    expect(await executions.find(place.deviceId, short.id, gone)).toBeUndefined();
    expect(await executions.sweep(last)).toBe(0);
    expect(await executions.sweep(gone)).toBe(1);
    expect(await executions.sweep(gone)).toBe(0);
    expect(await executions.responses(short.id)).toEqual([]);
    expect(await executions.find(place.deviceId, short.id, last)).toBeUndefined();
    expect(await executions.find(place.deviceId, long.id, gone)).toBeDefined();
    expect(await executions.record(place.deviceId, short.id, arrival("SUCCEEDED"))).toBeUndefined();
  });

  test("a sweep forgets used-up keys and keeps the others", async () => {
    const { executions, place } = await setUp();
    const send = (key: string, after: number) => {
      const execution = makeExecution(place, { after });
      return executions.insert(asNew(execution, { idempotency: makeKey(execution, key) }), makeEntry());
    };
    await send("old", 0);
    await send("new", 1);
    expect(await executions.sweep(instant(NOON + EPHEMERAL_LIFETIME_MS))).toBe(1);
    expect((await send("new", 2)).isNew).toBe(false);
    expect((await send("old", 3)).isNew).toBe(true);
  });
}
