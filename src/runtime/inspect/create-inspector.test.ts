import { EventEmitter } from "node:events";
import type { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { OWN_WORK, type Requester } from "#core/share/requester.ts";
import { createShares } from "#core/share/shares.ts";
import type { Numbered } from "#runtime/task-thread.ts";
import { createInspector } from "./create-inspector.ts";
import type { InspectTask } from "./inspect-worker.ts";

const MANIFEST = Buffer.from("blueprint_spec: device/3.0\ndisplay_name: A thing\n");
const owner = (name: string): Requester => ({ kind: "token", key: `token ${name}` });
const stranger = (name: string): Requester => ({ kind: "address", key: `address ${name}` });

/** Packages that are read one after the other; `order` has whose were read, or refused. */
function createBench(needs: Omit<Parameters<typeof createInspector>[0], "shares"> = {}) {
  const inspector = createInspector({ shares: createShares(), ...needs }, { rocks: "none", profiles: [] });
  onTestFinished(() => inspector.close());
  const order: string[] = [];
  const bring = async (requester: Requester, bytes: Uint8Array = MANIFEST) => {
    try {
      await inspector.inspect(bytes, requester);
      order.push(requester.key);
    } catch {
      order.push(`${requester.key} refused`);
    }
  };
  return { order, bring };
}

test("seventy packages without a token leave an owner's upload its place and its turn", async () => {
  const { order, bring } = createBench();
  const strangers = Array.from({ length: 70 }, (_, n) => bring(stranger(String(n % 3))));
  const uploads = [bring(owner("o")), bring(owner("o")), bring(OWN_WORK)];
  await Promise.all(uploads);
  // Of the strangers one was being read and one more had its turn between the two uploads.
  expect(order.filter((one) => one.startsWith("address") && !one.endsWith("refused")).length).toBeLessThanOrEqual(3);
  await Promise.all(strangers);
  expect(order.filter((one) => one.endsWith("refused"))).toHaveLength(70 - 9);
  expect(order.filter((one) => one.startsWith("token o refused"))).toEqual([]);
});

test("an owner who brings many waits for itself, and another's comes next", async () => {
  const { order, bring } = createBench();
  const many = Array.from({ length: 40 }, () => bring(owner("greedy")));
  await bring(owner("other"));
  expect(order.filter((one) => one === "token greedy").length).toBeLessThanOrEqual(2);
  await Promise.all(many);
  expect(order.filter((one) => one === "token greedy refused")).toHaveLength(40 - 17);
});

/** Never answers a package that says "endless", and spends time on it. */
class FakeThread extends EventEmitter {
  #looks = 0;
  async cpuUsage(): Promise<NodeJS.CpuUsage> {
    return { user: this.#looks++ * 1_000_000, system: 0 };
  }
  postMessage({ id, bytes }: Numbered<InspectTask>): void {
    if (Buffer.from(bytes).toString() === "endless") return;
    queueMicrotask(() => this.emit("message", { id, result: { issues: [], found: undefined } }));
  }
  async terminate(): Promise<number> {
    return 0;
  }
  unref(): void {}
}

test("a package that takes too long is refused alone: those that wait are read by another thread", async () => {
  let threads = 0;
  const openThread = () => {
    threads++;
    return new FakeThread() as unknown as Worker;
  };
  const { order, bring } = createBench({ deadlineMs: 20, openThread });
  await Promise.all([
    bring(owner("a")),
    bring(owner("hostile"), Buffer.from("endless")),
    bring(owner("b")),
    bring(owner("c")),
  ]);
  expect([order, threads]).toEqual([["token a", "token hostile refused", "token b", "token c"], 2]);
});
