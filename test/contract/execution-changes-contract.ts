// What a store promises to a link: changes after a cursor, and copies of executions that another side owns.
import { expect, test } from "vitest";
import type { Execution, ResponseState } from "#core/command/execution.ts";
import type { ExecutionChange } from "#core/command/remote-execution.ts";
import { instant } from "#core/time/instant.ts";
import type { ExecutionStore } from "#service/ports/execution-store.ts";
import { arrival, asNew, EVERYTHING, makeExecution, PATIENCE_MS } from "../support/executions.ts";
import { createMemoryExecutions } from "../support/memory-executions.ts";
import { makeEntry, NOON, newId } from "../support/records.ts";
import type { ExecutionWorld } from "./execution-store-contract.ts";
import { ALL, expectRefusal } from "./stores.ts";

export function executionChangesContract(open: () => Promise<ExecutionWorld>): void {
  const setUp = async () => {
    const world = await open();
    const { executions } = world;
    const place = await world.device();
    const made = async (store: ExecutionStore = executions, fields: Partial<Execution> = {}) =>
      (await store.insert(asNew(makeExecution(place, fields)), makeEntry())).execution;
    const say = (id: string, state: ResponseState, payload?: object, store: ExecutionStore = executions) =>
      store.record(place.deviceId, id, arrival(state, payload === undefined ? {} : { payload: { ...payload } }));
    const state = async (id: string) => (await executions.find(place.deviceId, id, NOON))?.state;
    return { ...world, place, made, say, state };
  };

  test("changes come in the order of the latest one, each execution once, with the responses since the cursor", async () => {
    const { executions, made, say } = await setUp();
    const start = (await executions.changesAfter(0, 10)).latest;
    const [a, b] = [await made(), await made()];
    await say(a.id, "STARTED");
    const first = await executions.changesAfter(start, 10);
    const summary = ({ execution, responses, since }: ExecutionChange) =>
      [execution.id, execution.state, execution.revision, responses.map((one) => one.state).join(), since] as const;
    expect(first.changes.map(summary)).toEqual([
      [b.id, "NEW", 1, "", 0],
      [a.id, "IN_PROGRESS", 2, "STARTED", 0],
    ]);
    expect(first.next).toBe(first.latest);
    expect(await executions.changesAfter(first.next, 10)).toEqual({
      changes: [],
      next: first.next,
      latest: first.next,
    });
    await say(a.id, "IN_PROGRESS", { n: 1 });
    await say(a.id, "SUCCEEDED");
    await executions.expire(b.id, b.deadline);
    await say(b.id, "IN_PROGRESS");
    const second = await executions.changesAfter(first.next, 10);
    expect(second.changes.map(summary)).toEqual([
      [a.id, "SUCCESS", 4, "IN_PROGRESS,SUCCEEDED", 2],
      [b.id, "TIMEOUT", 2, "", 0],
    ]);
  });

  test("pages are bounded by count and by bytes, and leave nothing out", async () => {
    const { executions, made, say } = await setUp();
    const start = (await executions.changesAfter(0, 1)).latest;
    const all = [];
    for (let n = 0; n < 7; n++) all.push((await made()).id);
    for (const id of all.slice(0, 5)) await say(id, "IN_PROGRESS", { text: "x".repeat(400_000) });
    const pages: string[][] = [];
    for (let cursor = start; ; ) {
      const page = await executions.changesAfter(cursor, 4);
      if (page.changes.length === 0) break;
      pages.push(page.changes.map(({ execution }) => execution.id));
      cursor = page.next;
    }
    const [a, b, c, d, e, f, g] = all;
    expect(pages).toEqual([
      [f, g, a, b],
      [c, d, e],
    ]);
    expect((await executions.changesAfter(start, 10)).changes).toHaveLength(5);
  });

  test("a number never comes again, also when the newest execution is deleted", async () => {
    const { executions, made } = await setUp();
    await made(executions, { ephemeral: true });
    const before = (await executions.changesAfter(0, 10)).latest;
    await executions.sweep(instant(NOON + 86_400_000));
    const next = await made();
    const page = await executions.changesAfter(before, 10);
    expect(page.changes.map(({ execution }) => execution.id)).toEqual([next.id]);
    expect(page.next).toBeGreaterThan(before);
  });

  test("a copy follows its owner: accepted, answered, ended; this side neither times it out nor sends it", async () => {
    const { executions, place, made, say, state } = await setUp();
    const owner = createMemoryExecutions();
    const cloud = await made();
    await owner.insert(asNew({ ...cloud, revision: 2 }), makeEntry());
    const pull = async (cursor = 0) => {
      const { changes, next } = await owner.changesAfter(cursor, 10);
      const kinds = [];
      for (const change of changes) kinds.push((await executions.applyRemote(change)).kind);
      return { kinds, next };
    };
    await say(cloud.id, "IN_PROGRESS", { message: "this side's own word" });
    const accepted = await pull();
    expect([accepted.kinds, await state(cloud.id), await executions.responses(cloud.id)]).toEqual([
      ["applied"],
      "NEW",
      [],
    ]);
    expect((await pull()).kinds).toEqual(["known"]);
    expect(await executions.expire(cloud.id, cloud.deadline)).toBeUndefined();
    expect(await say(cloud.id, "SUCCEEDED")).toBeUndefined();
    expect(await executions.toSend(cloud.id)).toBeUndefined();
    expect(await executions.markAttempted(cloud.id)).toBe(false);
    expect(await executions.open({ deviceId: place.deviceId, limit: 10 })).toEqual([]);

    expect(await executions.loseSight(cloud.id)).toMatchObject({ state: "UNSYNC", revision: 2 });
    expect(await executions.loseSight(cloud.id)).toBeUndefined();
    const listed = await executions.list({ ...EVERYTHING, states: ["UNSYNC"] }, ALL);
    expect([listed.items.map(({ id }) => id), listed.total]).toEqual([[cloud.id], 1]);
    expect([(await pull()).kinds, await state(cloud.id)]).toEqual([["applied"], "NEW"]);

    await say(cloud.id, "STARTED", undefined, owner);
    await say(cloud.id, "IN_PROGRESS", { n: 1 }, owner);
    const missed = await owner.changesAfter(accepted.next, 10);
    await say(cloud.id, "SUCCEEDED", { n: 2 }, owner);
    expect([(await pull(missed.next)).kinds, await state(cloud.id)]).toEqual([["gap"], "UNSYNC"]);
    expect([(await pull(missed.next)).kinds, await state(cloud.id)]).toEqual([["gap"], "UNSYNC"]);
    expect([(await pull(accepted.next)).kinds, await state(cloud.id)]).toEqual([["applied"], "SUCCESS"]);
    for (const change of missed.changes) expect(await executions.applyRemote(change)).toEqual({ kind: "known" });
    expect(await executions.responses(cloud.id)).toEqual(await owner.responses(cloud.id));
    expect(await executions.find(place.deviceId, cloud.id, NOON)).toMatchObject({ revision: 5, isRemote: true });
  });

  test("an execution whose owner has not answered is UNSYNC, and is ours again when the owner never got it", async () => {
    const { executions, place } = await setUp();
    const [given, unanswered] = [makeExecution(place), makeExecution(place, { after: 1 })];
    for (const one of [given, unanswered]) await executions.insert(asNew(one, { attempted: true }), makeEntry());
    expect(await executions.giveToOwner(given.id, true)).toMatchObject({ state: "NEW", isRemote: true });
    expect(await executions.giveToOwner(given.id, true)).toBeUndefined();
    expect(await executions.giveToOwner(unanswered.id, false)).toMatchObject({ state: "UNSYNC", isRemote: true });
    expect(await executions.open({ deviceId: place.deviceId, limit: 10 })).toEqual([]);
    const owned = await executions.ownedElsewhere(place.siteId, "", 10);
    expect(owned.map(({ id }) => id)).toEqual([given.id, unanswered.id]);
    expect(await executions.ownedElsewhere(place.siteId, given.id, 10)).toEqual([owned[1]]);
    expect(await executions.takeFromOwner(unanswered.id)).toMatchObject({ state: "NEW", isRemote: false, revision: 1 });
    expect(await executions.takeFromOwner(unanswered.id)).toBeUndefined();
    expect(await executions.markAttempted(unanswered.id)).toBe(true);
    // Once its owner has reported something about it, nobody takes it back.
    const reported = { ...given, state: "IN_PROGRESS", revision: 2 } as const;
    await executions.applyRemote({ execution: reported, responses: [], since: 0, leftOut: undefined });
    expect(await executions.takeFromOwner(given.id)).toBeUndefined();
  });

  test("everything about one execution is read at once", async () => {
    const { executions, place } = await setUp();
    const one = makeExecution(place);
    await executions.insert(asNew(one), makeEntry());
    await executions.record(place.deviceId, one.id, arrival("STARTED"));
    await executions.record(place.deviceId, one.id, arrival("SUCCEEDED"));
    const [change] = (await executions.changesAfter(0, 10)).changes;
    expect(await executions.whole(one.id)).toEqual(change);
    expect(await executions.whole(newId())).toBeUndefined();
  });

  test("a timeout of this side from before the acceptance was known is corrected, an end is not", async () => {
    const { executions, made, state } = await setUp();
    const [late, ended] = [await made(), await made()];
    await executions.expire(late.id, late.deadline);
    await executions.record(ended.deviceId, ended.id, arrival("ERROR"));
    const reported = (execution: Execution): ExecutionChange => {
      const change = { ...execution, state: "IN_PROGRESS" as const, revision: 2 };
      return { execution: change, responses: [], since: 0, leftOut: undefined };
    };
    expect((await executions.applyRemote(reported(late))).kind).toBe("applied");
    expect((await executions.applyRemote(reported(ended))).kind).toBe("known");
    expect([await state(late.id), await state(ended.id)]).toEqual(["IN_PROGRESS", "ERROR"]);
  });

  test("an execution that its owner made appears here, with a log as long as the owner's", async () => {
    const { executions, place, made, say } = await setUp();
    const owner = createMemoryExecutions();
    const { id } = await made(owner, {
      readLevel: "vendor",
      request: { name: "go", manifestName: "start", arguments: { a: 1 } },
    });
    const copyAll = async (cursor: number) => {
      const page = await owner.changesAfter(cursor, 10);
      for (const change of page.changes) expect((await executions.applyRemote(change)).kind).toBe("applied");
      return page.next;
    };
    await say(id, "STARTED", undefined, owner);
    const text = "x".repeat(300_000);
    for (let n = 0; n < 3; n++) await say(id, "IN_PROGRESS", { n, text }, owner);
    const cursor = await copyAll(0);
    for (let n = 3; n < 6; n++) await say(id, "IN_PROGRESS", { n, text }, owner);
    await say(id, "SUCCEEDED", { text }, owner);
    await copyAll(cursor);
    const [here, there] = [await executions.responses(id), await owner.responses(id)];
    expect(here).toEqual(there);
    expect(here.some(({ payload }) => String(payload?.["message"]).startsWith("4 responses"))).toBe(true);
    const original = await owner.find(place.deviceId, id, NOON);
    expect(await executions.find(place.deviceId, id, NOON)).toEqual({ ...original, isRemote: true });
  });

  test("nobody changes an execution of another device by its id", async () => {
    const { executions, made, device } = await setUp();
    const mine = await made();
    const other = await device();
    const execution = { ...makeExecution(other, { state: "SUCCESS" }), id: mine.id, revision: 9 };
    const change = { execution, responses: [], since: 0, leftOut: undefined };
    await expectRefusal(executions.applyRemote(change), "conflict");
    expect(await executions.find(mine.deviceId, mine.id, NOON)).toEqual(mine);
    expect(await executions.find(mine.deviceId, newId(), instant(NOON + PATIENCE_MS))).toBeUndefined();
  });
}
