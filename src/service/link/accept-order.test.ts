import { expect, test } from "vitest";
import { type AppError, refuse } from "#core/app-error.ts";
import type { ExecutionOrder } from "#core/link/messages.ts";
import { instant } from "#core/time/instant.ts";
import { parseTraceContext } from "#core/trace/trace-context.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import type { Call } from "#service/ports.ts";
import { commandManifest } from "../../../test/support/command-site.ts";
import { createMemoryExecutions } from "../../../test/support/memory-executions.ts";
import { type AcceptNeeds, acceptOrder } from "./accept-order.ts";

const ORDER: ExecutionOrder = {
  id: "e",
  deviceId: "d",
  createdAt: instant(0),
  ephemeral: false,
  name: "start",
  arguments: {},
  patienceMs: 1_000,
  caller: "Grid desk",
  callerId: "t",
  trace: undefined,
};

/** A gateway that has the device, and whose blueprint cannot be read for this reason. */
function gateway(reason: AppError, { isStored = false, blueprintId = "b" as string | undefined } = {}): AcceptNeeds {
  return {
    now: () => instant(0),
    executions: { find: async () => (isStored ? {} : undefined) },
    devices: { find: async () => ({ id: "d", blueprintId }) },
    catalog: { get: () => Promise.reject(reason) },
  } as unknown as AcceptNeeds;
}

const REFUSED = refuse("not_found", "there is no blueprint b");

test("an order that is stored already is accepted again without being looked at, however late", async () => {
  expect(await acceptOrder(gateway(REFUSED, { isStored: true }), { ...ORDER, patienceMs: 0 })).toBeUndefined();
});

test.each([0, -5])("an order with %i ms left is refused and not started", async (patienceMs) => {
  expect(await acceptOrder(gateway(REFUSED), { ...ORDER, patienceMs })).toContain("time had passed");
});

test("an order that cannot be run here is refused with the reason", async () => {
  expect(await acceptOrder(gateway(REFUSED), ORDER)).toBe("there is no blueprint b");
  expect(await acceptOrder(gateway(REFUSED, { blueprintId: undefined }), ORDER)).toContain("no blueprint");
});

const TRACE = { traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01`, tracestate: "a=b" };

test.each([
  ["the trace of the call in the cloud", TRACE, parseTraceContext(TRACE.traceparent, TRACE.tracestate)],
  ["no trace without one", undefined, undefined],
  ["no trace when the cloud sends nonsense", { traceparent: "nonsense", tracestate: undefined }, undefined],
])("an accepted order belongs to %s", async (_, trace, expected) => {
  const { blueprint } = parseManifest(commandManifest("Site"));
  const begun: unknown[] = [];
  const needs = {
    ...gateway(REFUSED),
    catalog: { get: async () => ({ blueprint }) },
    executions: createMemoryExecutions(),
    channel: { isReady: () => false },
    dispatcher: { openCount: 0, openOf: () => ({ count: 0, bytes: 0 }), accept: () => {} },
    commandGuard: { permit: async () => {} },
    executionTraces: { begun: (_execution: unknown, parent: unknown) => void begun.push(parent) },
    ruleCauses: { executed: () => {} },
    newId: () => "00000000-0000-7000-8000-000000000001",
  } as unknown as AcceptNeeds;
  expect(await acceptOrder(needs, { ...ORDER, name: "stop", trace })).toBeUndefined();
  expect(begun).toEqual([expected]);
});

const SCHEDULE = "01a1ddf6-6088-7708-a563-d954b509f38b";

test.each([
  ["t", undefined, { tokenId: "t", tokenName: "Grid desk" }, undefined],
  [undefined, undefined, { tokenId: "cloud", tokenName: "Grid desk" }, undefined],
  ["t", SCHEDULE, { tokenId: "t", tokenName: "Grid desk" }, SCHEDULE],
  ["t", "x".repeat(10_000), { tokenId: "t" }, undefined],
])(
  "an accepted order of token %s counts as a command of its caller, once",
  async (callerId, given, expected, known) => {
    const { blueprint } = parseManifest(commandManifest("Site"));
    const begun: object[] = [];
    const needs = {
      ...gateway(REFUSED),
      catalog: { get: async () => ({ blueprint }) },
      executions: createMemoryExecutions(),
      channel: { isReady: () => false },
      dispatcher: { openCount: 0, openOf: () => ({ count: 0, bytes: 0 }), accept: () => {} },
      commandGuard: { permit: async () => {} },
      executionTraces: { begun: () => {} },
      ruleCauses: { executed: () => {} },
      directCommands: {
        began: ({ id }: { id: string }, { caller, scheduleId }: Call) => void begun.push({ id, caller, scheduleId }),
      },
      newId: () => "00000000-0000-7000-8000-000000000001",
    } as unknown as AcceptNeeds;
    const order = { ...ORDER, name: "stop", callerId, scheduleId: given };
    expect(await acceptOrder(needs, order)).toBeUndefined();
    expect(await acceptOrder(needs, order)).toBeUndefined();
    expect(begun).toEqual([{ id: "e", caller: expect.objectContaining(expected), scheduleId: known }]);
  },
);

test("an order that an interlock does not allow is refused with its name, and not stored", async () => {
  const { blueprint } = parseManifest(commandManifest("Site"));
  const executions = createMemoryExecutions();
  const needs = {
    ...gateway(REFUSED),
    catalog: { get: async () => ({ blueprint }) },
    executions,
    dispatcher: { openCount: 0, openOf: () => ({ count: 0, bytes: 0 }) },
    commandGuard: { permit: () => Promise.reject(refuse("interlocked", "the interlock hot allows 0 W")) },
  } as unknown as AcceptNeeds;
  expect(await acceptOrder(needs, { ...ORDER, name: "stop" })).toBe("the interlock hot allows 0 W");
  expect(await executions.find(ORDER.deviceId, ORDER.id, instant(0))).toBeUndefined();
});

test("trouble with the storage is no answer to an order: the cloud must not take it for a refusal", async () => {
  const trouble = refuse("storage_unavailable", "the records cannot be written now");
  await expect(acceptOrder(gateway(trouble), ORDER)).rejects.toBe(trouble);
});
