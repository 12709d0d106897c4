import { expect, test } from "vitest";
import type { ResponseState } from "#core/command/execution.ts";
import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { createBackground } from "#service/background.ts";
import type { OutgoingCommand } from "#service/ports/carrier.ts";
import { oneNode } from "#service/ports/nodes.ts";
import { asNew, makeExecution } from "../../../test/support/executions.ts";
import { createMemoryExecutions } from "../../../test/support/memory-executions.ts";
import { createMemoryOutbox } from "../../../test/support/memory-outbox.ts";
import { makeEntry, NOON } from "../../../test/support/records.ts";
import { type CommandDispatcher, createCommandDispatcher } from "./command-dispatcher.ts";

const PLACE = { siteId: "s1", deviceId: "d1" };
const TIMEOUT_MS = 30_000;

/** A dispatcher over a store in memory; its clock moves only by `pass`. `handOver` is how long a device takes a command. */
async function setUp({ sendingBytes = 1e6, handOver = async () => {}, recording = async () => {} } = {}) {
  const outbox = createMemoryOutbox();
  const store = createMemoryExecutions(outbox);
  const writes: string[] = [];
  const opened: (string | undefined)[] = [];
  const executions = {
    ...store,
    open: (page: Parameters<typeof store.open>[0]) => {
      opened.push(page.deviceId);
      return store.open(page);
    },
    expire: (...[id, deadline]: Parameters<typeof store.expire>) => store.expire(id, deadline),
    record: (...[deviceId, id, arrival]: Parameters<typeof store.record>) => {
      writes.push(arrival.state);
      return recording().then(() => store.record(deviceId, id, arrival));
    },
    recordStartAndAnswer: (...[deviceId, id, both]: Parameters<typeof store.recordStartAndAnswer>) => {
      writes.push(`${both.start.state} and ${both.answer.state}`);
      return recording().then(() => store.recordStartAndAnswer(deviceId, id, both));
    },
  };
  const timers = new Set<{ readonly at: number; readonly call: () => void }>();
  let elapsed = 0;
  const sent: OutgoingCommand[] = [];
  const failures: unknown[] = [];
  const background = createBackground((_name, error) => failures.push(error));
  const dropped: string[] = [];
  const dispatcher = createCommandDispatcher({
    executions,
    nodes: oneNode(),
    background,
    budgets: { open: (name) => createByteBudgets().open(name, sendingBytes) },
    seal: { seal: () => new Uint8Array(), open: () => "{}", fingerprint: () => new Uint8Array() },
    now: () => NOON,
    channel: {
      isReady: () => true,
      async send(_deviceId, command) {
        sent.push(command);
        await handOver();
        return "handed_over";
      },
      sendConfiguration: async () => {},
    },
    after(ms, call) {
      const timer = { at: elapsed + ms, call };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    responseTimeoutMs: TIMEOUT_MS,
    onDropped: (_deviceId, { state }) => dropped.push(state),
  });
  const pass = async (ms: number): Promise<void> => {
    elapsed += ms;
    for (const timer of [...timers]) if (timer.at <= elapsed && timers.delete(timer)) timer.call();
    await background.idle();
  };
  const execution = makeExecution(PLACE);
  const open = asNew(execution, { attempted: true });
  await store.insert(open, makeEntry());
  dispatcher.accept(open);
  await Promise.race([background.idle(), new Promise(setImmediate)]);
  expect(sent.map(({ id }) => id)).toEqual([execution.id]);
  const say = (state: ResponseState, deviceId = PLACE.deviceId) =>
    dispatcher.respond(deviceId, { executionId: execution.id, state, payload: undefined, repeated: false });
  const published = () => outbox.kept.map((event) => ("execution" in event ? event.execution.state : event.kind));
  return {
    dispatcher,
    store,
    background,
    execution,
    sent,
    writes,
    say,
    pass,
    published,
    dropped,
    failures,
    timers,
    opened,
  };
}

test("a response to an execution that never was is dropped without a write", async () => {
  const { dispatcher, writes, dropped } = await setUp();
  const message = { executionId: "unknown", state: "SUCCEEDED", payload: undefined, repeated: false } as const;
  expect(await dispatcher.respond(PLACE.deviceId, message)).toBeUndefined();
  expect([writes, dropped]).toEqual([[], ["SUCCEEDED"]]);
});

test("a start and an answer that follows at once are stored by one write, and published one after the other", async () => {
  const { store, execution, writes, say, pass, published } = await setUp();
  const said = say("SUCCEEDED");
  expect(writes).toEqual(["STARTED and SUCCEEDED"]);
  await said;
  expect(published()).toEqual(["NEW", "IN_PROGRESS", "SUCCESS"]);
  await pass(TIMEOUT_MS);
  expect(writes).toHaveLength(1);
  expect((await store.responses(execution.id)).map(({ state }) => state)).toEqual(["SUCCEEDED", "STARTED"]);
});

test("a start that no answer follows is stored by itself a moment later, with the time of the hand-over", async () => {
  const { store, execution, writes, say, pass } = await setUp();
  expect(writes).toEqual([]);
  await pass(25);
  expect(writes).toEqual(["STARTED"]);
  expect((await store.responses(execution.id))[0]?.receivedAt).toBe(NOON * 1000);
  await say("IN_PROGRESS");
  await say("SUCCEEDED");
  expect(writes).toEqual(["STARTED", "IN_PROGRESS", "SUCCEEDED"]);
});

test("an answer of another device neither counts nor takes the start along", async () => {
  const { writes, say, pass, dropped } = await setUp();
  await say("SUCCEEDED", "d2");
  expect([writes, dropped]).toEqual([["SUCCEEDED"], ["SUCCEEDED"]]);
  await pass(25);
  expect(writes).toEqual(["SUCCEEDED", "STARTED"]);
});

test.each([
  ["alone", (dispatcher: CommandDispatcher) => dispatcher.deviceReachable(PLACE.deviceId)],
  [
    "with others of its gateway",
    (dispatcher: CommandDispatcher) => dispatcher.devicesReachable([PLACE.deviceId, "d2"]),
  ],
])("what waits for a device that returns %s leaves before what is created meanwhile", async (_, returns) => {
  const { dispatcher, store, background, execution, sent } = await setUp();
  const add = async (attempted: boolean) => {
    const open = asNew(makeExecution(PLACE), { attempted });
    await store.insert(open, makeEntry());
    return open;
  };
  const waiting = [await add(false), await add(false), await add(false)];
  const created = [await add(true), await add(true)];
  returns(dispatcher);
  // A device may subscribe twice in a row.
  returns(dispatcher);
  for (const open of created) dispatcher.accept(open);
  await background.idle();
  const ids = [...waiting, ...created].map((open) => open.execution.id);
  expect(sent.map(({ id }) => id)).toEqual([execution.id, ...ids]);
  const last = await add(true);
  dispatcher.accept(last);
  expect(sent.at(-1)?.id).toBe(last.execution.id);
});

test("of the devices of a gateway that comes back, only those for which something waits are read one by one", async () => {
  const { dispatcher, store, background, execution, sent, opened } = await setUp();
  const waiting = asNew(makeExecution(PLACE));
  await store.insert(waiting, makeEntry());
  dispatcher.devicesReachable([...Array.from({ length: 2_500 }, (_, n) => `device ${n}`), PLACE.deviceId]);
  await background.idle();
  expect(new Set(opened)).toEqual(new Set([PLACE.deviceId]));
  expect(sent.map(({ id }) => id)).toEqual([execution.id, waiting.execution.id]);
});

test("a stop stores the starts that are not stored yet, also of what is being handed over then", async () => {
  const { dispatcher, store, background, writes, timers, failures } = await setUp();
  const open = asNew(makeExecution(PLACE), { attempted: true });
  await store.insert(open, makeEntry());
  dispatcher.accept(open);
  dispatcher.stop();
  await background.idle();
  expect([writes, timers.size, failures]).toEqual([["STARTED", "STARTED"], 0, []]);
});

test("whoever waits gets the end, also when it came before", async () => {
  const { dispatcher, execution, say } = await setUp();
  const never = new AbortController().signal;
  const waiting = dispatcher.waitForEnd(execution, 1_000, never);
  await say("ERROR");
  expect((await waiting)?.state).toBe("ERROR");
  expect((await dispatcher.waitForEnd(execution, 1_000, never))?.state).toBe("ERROR");
});

test("whoever waits is let go when the time is up, or when all are called off at once", async () => {
  const { dispatcher, execution, pass, timers } = await setUp();
  await pass(25);
  const stopping = new AbortController();
  const first = dispatcher.waitForEnd(execution, 1_000, stopping.signal);
  const others = [1, 2].map(() => dispatcher.waitForEnd(execution, 2_000, stopping.signal));
  await pass(1_000);
  expect(await first).toBeUndefined();
  stopping.abort();
  expect(await Promise.all(others)).toEqual([undefined, undefined]);
  expect(await dispatcher.waitForEnd(execution, 2_000, stopping.signal)).toBeUndefined();
  // Only the deadline is left.
  expect(timers.size).toBe(1);
});

test("a timeout during the moment in which the start waits is corrected by the answer alone", async () => {
  const { store, execution, say, published } = await setUp();
  await store.expire(execution.id, execution.deadline);
  await say("SUCCEEDED");
  expect((await store.responses(execution.id)).map(({ state }) => state)).toEqual(["SUCCEEDED"]);
  expect(published()).toEqual(["NEW", "TIMEOUT", "SUCCESS"]);
});

test("what the owner of an execution reports wakes who waits for its end, and nothing is timed out here any more", async () => {
  const { dispatcher, execution, pass, published, timers } = await setUp();
  await pass(1_000);
  const waiting = dispatcher.waitForEnd(execution, 60_000, new AbortController().signal);
  const owned = { ...execution, revision: 3, state: "IN_PROGRESS" } as const;
  const change = { execution: owned, responses: [], since: 0, leftOut: undefined };
  expect(await dispatcher.applyRemote(change)).toMatchObject({ kind: "applied" });
  expect(dispatcher.openCount).toBe(0);
  expect(await dispatcher.applyRemote(change)).toEqual({ kind: "known" });
  await dispatcher.loseSight(execution.id);
  await dispatcher.applyRemote({ ...change, execution: { ...owned, revision: 4, state: "SUCCESS" } });
  expect(await waiting).toMatchObject({ state: "SUCCESS", isRemote: true });
  expect(published().slice(-3)).toEqual(["IN_PROGRESS", "UNSYNC", "SUCCESS"]);
  expect([dispatcher.openOf(PLACE.siteId).count, timers.size]).toEqual([0, 0]);
});

test("what is open is counted by site, from the start of a run until it has ended or is gone", async () => {
  const { dispatcher, store, say, pass } = await setUp();
  const large = asNew(
    makeExecution(PLACE, { request: { name: "start", manifestName: "start", arguments: { a: "x".repeat(1_000) } } }),
  );
  const elsewhere = asNew(makeExecution({ siteId: "s2", deviceId: "d2" }));
  for (const one of [large, elsewhere]) {
    await store.insert(one, makeEntry());
    dispatcher.accept(one);
  }
  expect([dispatcher.openOf("s1").count, dispatcher.openOf("s2").count, dispatcher.openOf("s3").count]).toEqual([
    2, 1, 0,
  ]);
  expect(dispatcher.openOf("s1").bytes).toBeGreaterThan(1_000);
  await dispatcher.recover();
  expect(dispatcher.openOf("s1").count).toBe(2);
  await say("SUCCEEDED");
  expect([dispatcher.openOf("s1").count, dispatcher.openOf("s1").bytes > 1_000]).toEqual([1, true]);
  // Deleted with its device: its deadline finds nothing.
  store.expire = async () => undefined;
  await pass(1_000); // Their starts are recorded.
  await pass(TIMEOUT_MS);
  expect([dispatcher.openOf("s1"), dispatcher.openOf("s2")]).toEqual([
    { count: 0, bytes: 0 },
    { count: 0, bytes: 0 },
  ]);
});

test("what is being handed over has so many bytes; the rest waits until there is room", async () => {
  const taken = Promise.withResolvers<void>();
  const { dispatcher, store, background, sent } = await setUp({ sendingBytes: 1, handOver: () => taken.promise });
  const next = asNew({ ...makeExecution(PLACE), id: "next" }, { attempted: true });
  await store.insert(next, makeEntry());
  dispatcher.accept(next);
  await new Promise(setImmediate);
  expect(sent).toHaveLength(1);
  taken.resolve();
  await background.idle();
  expect(sent.map(({ id }) => id)).toContain("next");
});

test("responses to large executions are stored one after the other", async () => {
  let underWay = 0;
  let most = 0;
  const recording = async () => {
    underWay++;
    most = Math.max(most, underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay--;
  };
  const { dispatcher, store, background, say } = await setUp({ recording });
  const request = { name: "echo", manifestName: "echo", arguments: { text: "x".repeat(900_000) } };
  const large = Array.from({ length: 4 }, () => makeExecution(PLACE, { request }));
  for (const execution of large) {
    const open = asNew(execution, { attempted: false });
    await store.insert(open, makeEntry());
    dispatcher.accept(open);
  }
  await background.idle();
  await say("SUCCEEDED");
  most = 0;
  const answers = large.map(({ id }) =>
    dispatcher.respond(PLACE.deviceId, { executionId: id, state: "SUCCEEDED", payload: undefined, repeated: false }),
  );
  expect((await Promise.all(answers)).map((execution) => execution?.state)).toEqual(Array(4).fill("SUCCESS"));
  // Each with the start that it has recorded at once.
  expect(most).toBeLessThanOrEqual(2);
});
