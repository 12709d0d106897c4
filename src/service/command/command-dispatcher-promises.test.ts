// What the dispatcher promises its devices and callers, under a held clock. Every schedule of them is in test/simulation.

import { expect, test } from "vitest";
import type { ResponseState } from "#core/command/execution.ts";
import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { createSeal } from "#service/access/seal.ts";
import { createBackground } from "#service/background.ts";
import type { HandOver, OutgoingCommand } from "#service/ports/carrier.ts";
import { oneNode } from "#service/ports/nodes.ts";
import { SimClock, settled } from "../../../test/simulation/sim-clock.ts";
import { asNew, makeExecution, PATIENCE_MS } from "../../../test/support/executions.ts";
import { createMemoryExecutions } from "../../../test/support/memory-executions.ts";
import { createMemoryOutbox } from "../../../test/support/memory-outbox.ts";
import { makeEntry, NOON } from "../../../test/support/records.ts";
import { createCommandDispatcher } from "./command-dispatcher.ts";

const PLACE = { siteId: "site", deviceId: "device" };
const NEVER = new AbortController().signal;

async function setUp() {
  const clock = new SimClock(NOON);
  const outbox = createMemoryOutbox();
  const executions = createMemoryExecutions(outbox);
  const sent: OutgoingCommand[] = [];
  const published: string[] = [];
  const device: { isReady: boolean; takes: boolean; answer: HandOver; fault?: Error } = {
    isReady: false,
    takes: true,
    answer: "handed_over",
  };
  const seal = createSeal(new Uint8Array(32));
  outbox.watch((event) => {
    if ("execution" in event) published.push(event.execution.state);
  }, 0);
  const failures: string[] = [];
  const dispatcher = createCommandDispatcher({
    executions,
    nodes: oneNode(),
    seal,
    now: () => clock.now(),
    after: (ms, callback) => clock.after(ms, callback),
    background: createBackground((name) => failures.push(name)),
    budgets: createByteBudgets(),
    channel: {
      isReady: () => device.isReady,
      send: async (_deviceId, command) => {
        if (!device.takes) return "not_sent";
        sent.push(command);
        if (device.fault !== undefined) throw device.fault;
        return device.answer;
      },
      sendConfiguration: async () => {},
    },
    responseTimeoutMs: PATIENCE_MS,
    onDropped: (_deviceId, { state }) => published.push(`dropped ${state}`),
  });
  const accept = async (fields: Parameters<typeof makeExecution>[1] = {}, secret?: object) => {
    const execution = makeExecution(PLACE, fields);
    const sealed = secret && seal.seal(JSON.stringify(secret), execution.id);
    const open = { execution, sealed, attempted: device.isReady };
    await executions.insert(asNew(execution, open), makeEntry());
    dispatcher.accept(open);
    await settled();
    return execution;
  };
  const respond = (executionId: string, state: ResponseState, payload?: Record<string, unknown>) =>
    dispatcher.respond("device", { executionId, state, payload, repeated: false });
  const state = async (id: string) => (await executions.find("device", id, clock.now()))?.state;
  return { clock, executions, dispatcher, device, sent, published, failures, accept, respond, state };
}

test("a command for a device that is there is sent, started and published", async () => {
  const { clock, device, accept, sent, published, state } = await setUp();
  device.isReady = true;
  const { id } = await accept({ request: { name: "go", manifestName: "start", arguments: { power: 5 } } });
  expect(sent).toEqual([{ id, name: "start", arguments: { power: 5 } }]);
  await clock.runUntil(100);
  expect([await state(id), published]).toEqual(["IN_PROGRESS", ["NEW", "IN_PROGRESS"]]);
});

test("sensitive arguments are opened for the device alone", async () => {
  const { device, accept, sent } = await setUp();
  device.isReady = true;
  const request = { name: "unlock", manifestName: "unlock", arguments: { pin: "***" } };
  await accept({ request }, { pin: "4711" });
  expect(sent[0]?.arguments).toEqual({ pin: "4711" });
});

test("what waits is handed over in its order when the device is reachable, once", async () => {
  const { dispatcher, device, accept, sent } = await setUp();
  const ids = [(await accept({ after: 1 })).id, (await accept({ after: 2 })).id, (await accept({ after: 0 })).id];
  device.isReady = true;
  dispatcher.deviceReachable("device");
  dispatcher.deviceReachable("device");
  await settled();
  expect(sent.map(({ id }) => id)).toEqual([ids[2], ids[0], ids[1]]);
});

test("one that cannot be opened is not sent, ends as an error, and does not hold up the others", async () => {
  const { dispatcher, device, accept, sent, executions, failures } = await setUp();
  const broken = makeExecution(PLACE);
  await executions.insert(asNew(broken, { sealed: new Uint8Array(40) }), makeEntry());
  const { id } = await accept({ after: 1 });
  device.isReady = true;
  dispatcher.deviceReachable("device");
  await settled();
  expect([sent.map((one) => one.id), failures]).toEqual([[id], []]);
  expect(await executions.find("device", broken.id, broken.createdAt)).toMatchObject({
    state: "ERROR",
    response: { payload: { message: "the stored arguments cannot be read; the command was not sent" } },
  });
});

test("a command that did not leave is handed over later, when the device is there", async () => {
  const { clock, dispatcher, device, accept, sent, state } = await setUp();
  Object.assign(device, { isReady: true, takes: false });
  const { id } = await accept();
  expect(await state(id)).toBe("NEW");
  device.takes = true;
  await clock.runUntil(1_000);
  expect(sent.map((one) => one.id)).toEqual([id]);
  dispatcher.deviceReachable("device");
  await settled();
  expect(sent).toHaveLength(1);
});

test.each(["answer", "fault"] as const)(
  "a command that may have left (%s) is never sent again, says so, and ends by its device or its deadline",
  async (how) => {
    const { clock, executions, dispatcher, device, accept, respond, sent, state, failures } = await setUp();
    Object.assign(device, { isReady: true, answer: "unknown", ...(how === "fault" && { fault: new Error("broken") }) });
    const [answered, silent] = [await accept(), await accept()];
    expect(failures).toEqual(how === "fault" ? ["hand a command over", "hand a command over"] : []);
    Object.assign(device, { answer: "handed_over", fault: undefined });
    await clock.runUntil(2_000);
    dispatcher.deviceReachable("device");
    await settled();
    expect(sent.map(({ id }) => id)).toEqual([answered.id, silent.id]);
    const [said, ...rest] = await executions.responses(silent.id);
    expect([said?.state, said?.payload, rest]).toEqual([
      "IN_PROGRESS",
      { message: "it is not known whether the command reached the device; it is not sent again" },
      [],
    ]);
    await respond(answered.id, "SUCCEEDED");
    await clock.runUntil(PATIENCE_MS);
    expect([await state(answered.id), await state(silent.id)]).toEqual(["SUCCESS", "TIMEOUT"]);
  },
);

test("an expired command is never started", async () => {
  const { clock, dispatcher, device, accept, sent } = await setUp();
  await accept();
  clock.jump(PATIENCE_MS);
  device.isReady = true;
  dispatcher.deviceReachable("device");
  await settled();
  expect(sent).toEqual([]);
});

test("a command that expires while it is read is never started, and times out", async () => {
  const { clock, executions, dispatcher, device, accept, sent, state } = await setUp();
  const { id } = await accept();
  const { toSend } = executions;
  executions.toSend = async (...asked) => {
    clock.jump(PATIENCE_MS);
    return await toSend(...asked);
  };
  device.isReady = true;
  dispatcher.deviceReachable("device");
  await settled();
  await clock.runUntil(PATIENCE_MS);
  expect([sent, await state(id)]).toEqual([[], "TIMEOUT"]);
});

test("without a response an execution times out, and every response moves that", async () => {
  const { clock, device, accept, respond, state } = await setUp();
  const { id: lonely } = await accept();
  device.isReady = true;
  const { id: busy } = await accept();
  await clock.runUntil(PATIENCE_MS - 1);
  expect([await state(lonely), await state(busy)]).toEqual(["NEW", "IN_PROGRESS"]);
  await respond(busy, "IN_PROGRESS");
  await clock.runUntil(PATIENCE_MS);
  expect([await state(lonely), await state(busy)]).toEqual(["TIMEOUT", "IN_PROGRESS"]);
  await clock.runUntil(2 * PATIENCE_MS - 1);
  expect(await state(busy)).toBe("TIMEOUT");
  await respond(busy, "SUCCEEDED");
  expect(await state(busy)).toBe("SUCCESS");
});

test("what is not counted is reported as dropped", async () => {
  const { device, accept, respond, published } = await setUp();
  device.isReady = true;
  const { id } = await accept();
  await respond(id, "SUCCEEDED");
  await respond(id, "ERROR");
  await respond("unknown", "SUCCEEDED");
  expect(published.slice(-2)).toEqual(["dropped ERROR", "dropped SUCCEEDED"]);
});

test("everyone who waits gets the end; the time and the signal end a wait too", async () => {
  const { clock, dispatcher, accept, respond } = await setUp();
  const execution = await accept();
  const away = new AbortController();
  const waits = [
    dispatcher.waitForEnd(execution, 60_000, NEVER),
    dispatcher.waitForEnd(execution, 60_000, NEVER),
    dispatcher.waitForEnd(execution, 1_000, NEVER),
    dispatcher.waitForEnd(execution, 60_000, away.signal),
    dispatcher.waitForEnd(execution, 60_000, AbortSignal.abort()),
  ];
  await clock.runUntil(1_000);
  away.abort();
  await respond(execution.id, "SUCCEEDED", { n: 1 });
  const states = (await Promise.all(waits)).map((one) => one?.state);
  expect(states).toEqual(["SUCCESS", "SUCCESS", undefined, undefined, undefined]);
});

test("who asks after the end is answered at once", async () => {
  const { dispatcher, accept, respond } = await setUp();
  const execution = await accept();
  await respond(execution.id, "ERROR", { message: "no" });
  expect(await dispatcher.waitForEnd(execution, 60_000, NEVER)).toMatchObject({ state: "ERROR" });
});

test("an earlier run's executions time out, at the latest after once more the whole time", async () => {
  const { clock, executions, dispatcher, state } = await setUp();
  const [late, ahead] = [makeExecution(PLACE, { after: -PATIENCE_MS }), makeExecution(PLACE, { after: 86_400_000 })];
  for (const one of [late, ahead]) await executions.insert(asNew(one), makeEntry());
  await dispatcher.recover();
  await clock.runUntil(0);
  await settled();
  expect([await state(late.id), await state(ahead.id)]).toEqual(["TIMEOUT", "NEW"]);
  await clock.runUntil(PATIENCE_MS);
  expect(await state(ahead.id)).toBe("TIMEOUT");
});

test("after the stop nothing times out and nothing is tried again", async () => {
  const { clock, dispatcher, device, accept, sent, state } = await setUp();
  Object.assign(device, { isReady: true, takes: false });
  const { id } = await accept();
  dispatcher.stop();
  device.takes = true;
  await clock.runUntil(10 * PATIENCE_MS);
  expect([await state(id), sent]).toEqual(["NEW", []]);
});
