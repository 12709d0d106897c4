// Two nodes over the same records: what the node with the device and the node with the caller have to read.
import { expect, test } from "vitest";
import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { createSeal } from "#service/access/seal.ts";
import { createBackground } from "#service/background.ts";
import type { OutgoingCommand } from "#service/ports/carrier.ts";
import type { ExecutionStore } from "#service/ports/execution-store.ts";
import type { NodeMessage } from "#service/ports/nodes.ts";
import { SimClock, settled } from "../../../test/simulation/sim-clock.ts";
import { asNew, makeExecution, PATIENCE_MS } from "../../../test/support/executions.ts";
import { createMemoryExecutions } from "../../../test/support/memory-executions.ts";
import { makeEntry, NOON } from "../../../test/support/records.ts";
import { createCommandDispatcher } from "./command-dispatcher.ts";
import { type ExecutionMessage, executionMessage, readExecutionMessage } from "./execution-messages.ts";

const PLACE = { siteId: "site", deviceId: "device" };
const NEVER = new AbortController().signal;
const seal = createSeal(new Uint8Array(32));
const otherSeal = createSeal(new Uint8Array(32).fill(1));

function setUp({ change = (message: ExecutionMessage): ExecutionMessage => message } = {}) {
  const clock = new SimClock(NOON);
  const executions = createMemoryExecutions();
  const reads: string[] = [];
  const sent: OutgoingCommand[] = [];
  const messages: ExecutionMessage[] = [];
  const nodeOf = (name: string, hasDevice: boolean) => {
    const counted: ExecutionStore = {
      ...executions,
      toSend: (...asked) => {
        reads.push(`${name} reads what it sends`);
        return executions.toSend(...asked);
      },
      find: (...asked) => {
        reads.push(`${name} reads an execution`);
        return executions.find(...asked);
      },
    };
    return createCommandDispatcher({
      executions: counted,
      nodes: {
        isShared: true,
        broadcast(message: NodeMessage) {
          if (message.kind !== "execution") return;
          messages.push(change(message));
          for (const other of [caller, holder]) if (other !== nodes[name]) other.takeMessage(change(message));
        },
      },
      seal,
      now: () => clock.now(),
      after: (ms, callback) => clock.after(ms, callback),
      background: createBackground((task) => reads.push(`${task} failed`)),
      budgets: createByteBudgets(),
      channel: {
        isReady: () => hasDevice,
        send: async (_deviceId, command) => {
          sent.push(command);
          return "handed_over";
        },
        sendConfiguration: async () => {},
      },
      responseTimeoutMs: PATIENCE_MS,
      onDropped: () => reads.push("a response was dropped"),
    });
  };
  const caller = nodeOf("caller", false);
  const holder = nodeOf("holder", true);
  const nodes: Record<string, typeof caller> = { caller, holder };

  /** What the caller gets of a command whose device is at the other node. */
  async function execute(fields: Parameters<typeof makeExecution>[1], secret?: object) {
    const execution = makeExecution(PLACE, fields);
    const sealed = secret && seal.seal(JSON.stringify(secret), execution.id);
    const open = { execution, sealed, attempted: false };
    await executions.insert(asNew(execution, open), makeEntry());
    caller.accept(open);
    const waiting = caller.waitForEnd(execution, 60_000, NEVER);
    await settled();
    // The event of its creation comes to all nodes, later.
    for (const node of [caller, holder]) node.heard(execution);
    await settled();
    const response = { executionId: execution.id, state: "SUCCEEDED", payload: { done: 1 }, repeated: false } as const;
    await holder.respond("device", response);
    for (const node of [caller, holder]) node.heard(execution);
    await settled();
    const ended = await waiting;
    return { ended, stored: await executions.find("device", execution.id, clock.now()) };
  }
  return { execute, reads, sent, messages };
}

test("a small execution is sent as a whole: neither the sending node nor the waiting one reads it", async () => {
  const { execute, reads, sent } = setUp();
  const { ended, stored } = await execute({ request: { name: "go", manifestName: "start", arguments: { power: 5 } } });
  expect(ended).toEqual(stored);
  expect(ended?.state).toBe("SUCCESS");
  expect(sent.map((one) => one.arguments)).toEqual([{ power: 5 }]);
  expect(reads).toEqual([]);
});

test("sensitive arguments reach the device, and no message shows them", async () => {
  const { execute, reads, sent, messages } = setUp();
  const request = { name: "unlock", manifestName: "unlock", arguments: { pin: "***" } };
  await execute({ request }, { pin: "4711-4711" });
  expect(sent.map((one) => one.arguments)).toEqual([{ pin: "4711-4711" }]);
  expect(reads).toEqual([]);
  expect(messages.map(({ has }) => has)).toEqual(["waits", "ended"]);
  for (const { content = "" } of messages) {
    expect(content.length).toBeGreaterThan(100);
    expect(Buffer.from(content, "base64").toString("latin1")).not.toMatch(/4711|unlock|SUCC/);
  }
});

const READ = ["holder reads what it sends", "caller reads an execution"];

test("a large one is read", async () => {
  const { execute, reads, sent, messages } = setUp();
  const text = "x".repeat(4_000);
  const { ended } = await execute({ request: { name: "go", manifestName: "start", arguments: { text } } });
  expect([ended?.state, sent.length, reads]).toEqual(["SUCCESS", 1, READ]);
  expect(messages.map((message) => Buffer.byteLength(JSON.stringify(message)) < 1_000)).toEqual([true, true]);
});

test("whatever fits a message leaves room in a notification", () => {
  for (const length of [1, 1_000, 2_000, 2_500, 2_900, 3_000]) {
    const request = { name: "go", manifestName: "start", arguments: { text: "ä\n".repeat(length / 2) } };
    const message = executionMessage(seal, "waits", {
      execution: makeExecution(PLACE, { request }),
      sealed: undefined,
    });
    expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThan(5_000);
  }
});

test("what was not sealed by a node, or for another message, is read", async () => {
  const execution = makeExecution(PLACE, { state: "ERROR" });
  const strange = executionMessage(otherSeal, "ended", { execution, sealed: undefined });
  const other = executionMessage(seal, "waits", { execution, sealed: undefined });
  expect(readExecutionMessage(otherSeal, strange)?.execution.id).toBe(execution.id);
  for (const content of [strange.content, other.content, "", "%%", Buffer.alloc(64).toString("base64")]) {
    const forged = (message: ExecutionMessage) => ({ ...message, ...(content !== undefined && { content }) });
    const { execute, reads, sent } = setUp({ change: forged });
    const { ended } = await execute({});
    expect([ended?.state, sent.length, reads]).toEqual(["SUCCESS", 1, READ]);
  }
});
