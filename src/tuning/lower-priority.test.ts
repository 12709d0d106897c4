import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";

const CODE = `
  import { readFileSync } from "node:fs";
  import { parentPort } from "node:worker_threads";
  const nice = () => Number(readFileSync("/proc/thread-self/stat", "utf8").split(") ")[1].split(" ")[16]);
  const before = nice();
  const { lowerPriority } = await import(${JSON.stringify(new URL("./lower-priority.ts", import.meta.url).href)});
  lowerPriority();
  parentPort.postMessage([before, nice()]);
`;

test.runIf(process.platform === "linux")("a thread lowers its own priority and no other", async () => {
  const own = ownNice();
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(CODE)}`));
  const [before, after] = await new Promise<[number, number]>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
  expect(before).toBe(own);
  expect(after).toBe(Math.min(own + 4, 19));
  expect(ownNice()).toBe(own);
  await worker.terminate();
});

/** The 19th field; the second is a name in brackets that may hold anything. */
function ownNice(): number {
  return Number(readFileSync("/proc/thread-self/stat", "utf8").split(") ")[1]?.split(" ")[16]);
}
