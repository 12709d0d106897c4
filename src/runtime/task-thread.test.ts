import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { createTaskThread } from "./task-thread.ts";

const DEADLINE_MS = 200;
const THREAD = `
  const { parentPort } = require("node:worker_threads");
  parentPort.on("message", ({ id, kind }) => {
    if (kind === "waits") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${2 * DEADLINE_MS});
    while (kind === "spins");
    parentPort.postMessage({ id, result: kind });
  });`;

function openThread() {
  let threads = 0;
  const thread = createTaskThread<{ readonly kind: string }, string>({
    open: () => {
      threads++;
      return new Worker(THREAD, { eval: true });
    },
    deadlineMs: DEADLINE_MS,
    lost: () => new Error("lost"),
  });
  onTestFinished(() => thread.close());
  return { run: (kind: string) => thread.run({ kind }), threads: () => threads };
}

test("a thread that spends more processor time than a task may take is ended, and the next task has a new one", async () => {
  const { run, threads } = openThread();
  await expect(run("spins")).rejects.toThrow("lost");
  expect([await run("quick"), threads()]).toEqual(["quick", 2]);
});

test("a thread that waits for the processor beyond the deadline goes on", async () => {
  const { run, threads } = openThread();
  expect([await run("waits"), await run("waits"), await run("quick"), threads()]).toEqual([
    "waits",
    "waits",
    "quick",
    1,
  ]);
});
