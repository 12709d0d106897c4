import { test } from "vitest";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { expectRefusal } from "../../../test/contract/stores.ts";
import { callBy } from "../../../test/support/calls.ts";
import { commandManifest } from "../../../test/support/command-site.ts";
import { createMemoryExecutions } from "../../../test/support/memory-executions.ts";
import { makeDevice, NOON } from "../../../test/support/records.ts";
import { type CreateNeeds, createExecution } from "./create-execution.ts";
import type { OpenUse } from "./open-executions.ts";

const MIB = 1024 * 1024;
const SITE = "00000000-0000-7000-8000-00000000000a";

/** Sends a command while the site of the device has this much open. */
async function sendWhile(open: OpenUse) {
  const { blueprint } = parseManifest(commandManifest("Site"));
  const device = { ...makeDevice(SITE), blueprintId: "b" };
  const needs = {
    devices: { find: async () => device, findIn: async () => device },
    catalog: { get: async () => ({ blueprint, manifest: {} }) },
    executions: createMemoryExecutions(),
    channel: { isReady: () => false },
    checkJson: async () => undefined,
    dispatcher: {
      openCount: open.count,
      openOf: (siteId: string) => (siteId === SITE ? open : { count: 0, bytes: 0 }),
      accept: () => {},
    },
    commandGuard: { permit: async () => {} },
    executionTraces: { begun: () => {} },
    ruleCauses: { executed: () => {} },
    now: () => NOON,
    newId: () => "00000000-0000-7000-8000-000000000001",
    responseTimeoutMs: 1_000,
  } as unknown as CreateNeeds;
  const input = { name: "stop", arguments: {}, ephemeral: false, idempotencyKey: undefined, withLog: false };
  return await createExecution(needs, callBy("system"), { ...input, device: device.id });
}

test("a site has room for 20,000 open executions and 128 MiB of their arguments", async () => {
  await sendWhile({ count: 19_999, bytes: 127 * MIB });
  await expectRefusal(sendWhile({ count: 20_000, bytes: 0 }), "queue_full");
  await expectRefusal(sendWhile({ count: 1, bytes: 128 * MIB }), "queue_full");
});
