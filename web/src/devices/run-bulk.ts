// A command for several devices as one bulk command: the server runs it, and goes on if this page is closed.
import type { BulkDevice, JsonObject } from "#client/resources.ts";
import { client } from "#web/data/client.ts";
import { t } from "./messages.ts";
import type { Outcome } from "./run-many.ts";

type Bulk = {
  readonly devices: readonly string[];
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** A repetition after a lost answer runs nothing twice. */
  readonly key: string;
  readonly report: (device: string, outcome: Outcome) => void;
  /** Begins no further device. */
  readonly stop: AbortSignal;
  /** Nobody looks any more. */
  readonly leave: AbortSignal;
};

const LOOK_EVERY = 500;
const PAGE = 1_000;

export async function runBulk({ devices, name, values, key, report, stop, leave }: Bulk): Promise<void> {
  for (const device of devices) report(device, { state: "waiting" });
  const input = { name, arguments: values as JsonObject, devices: { device_ids: devices } };
  const { id } = (await client.bulk.create(input, { idempotencyKey: key })).bulk;
  let isStopped = false;
  while (!leave.aborted) {
    if (stop.aborted && !isStopped) {
      isStopped = true;
      // It may have ended just now.
      await client.bulk.cancel(id).catch(() => {});
    }
    const { bulk } = await client.bulk.get(id);
    let isOpen = false;
    for (let offset = 0; offset < bulk.devices.total; offset += PAGE) {
      for (const one of (await client.bulk.devices(id, { limit: PAGE, offset })).devices) {
        report(one.device, outcomeOf(one));
        isOpen ||= one.state === "WAITING" || one.state === "RUNNING";
      }
    }
    // Whoever sees that all have ended may begin anew at once. That the bulk command has ended may be noted a moment later.
    if (bulk.ended_at !== null || (bulk.devices.total > 0 && !isOpen)) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
  }
}

const STATES = {
  WAITING: "waiting",
  RUNNING: "running",
  SUCCESS: "done",
  FAILED: "failed",
  REFUSED: "failed",
  SKIPPED: "left",
} as const;

export function outcomeOf({ state, code, message }: Pick<BulkDevice, "state" | "code" | "message">): Outcome {
  if (code === "TIMEOUT") return { state: "unsure", text: t.noAnswer };
  if (code === "UNSYNC") return { state: "open", text: t.stillRuns };
  return { state: STATES[state], ...(message !== null && { text: message }) };
}
