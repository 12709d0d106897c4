import { expect, test } from "vitest";
import { type AppError, refuse } from "#core/app-error.ts";
import type { ExecutionOrder } from "#core/link/messages.ts";
import { instant } from "#core/time/instant.ts";
import { type AcceptNeeds, acceptOrder } from "./accept-order.ts";

const ORDER: ExecutionOrder = {
  id: "e",
  deviceId: "d",
  createdAt: instant(0),
  ephemeral: false,
  name: "start",
  arguments: {},
  patienceMs: 1_000,
  caller: "cloud",
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

test("trouble with the storage is no answer to an order: the cloud must not take it for a refusal", async () => {
  const trouble = refuse("storage_unavailable", "the records cannot be written now");
  await expect(acceptOrder(gateway(trouble), ORDER)).rejects.toBe(trouble);
});
