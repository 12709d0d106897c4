import { Worker } from "node:worker_threads";
import { afterEach, expect, test } from "vitest";
import { openReadPool, type ReadPool } from "./read-pool.ts";

const pools: ReadPool[] = [];
const workers: Worker[] = [];

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
  workers.length = 0;
});

/** Threads that do what the list's table says: answer, break, or never answer. */
function openPool(): ReadPool {
  const code = `const { parentPort } = require("node:worker_threads");
    parentPort.on("message", ({ input: { query: { from } } }) => {
      if (from === "break") throw new Error("broken");
      if (from === "refuse") parentPort.postMessage({ refusals: [{ code: "storage_unavailable", message: "no" }] });
      else if (from === "fault") parentPort.postMessage({ fault: "a bug" });
      else if (from !== "silent") parentPort.postMessage({ result: from });
    });`;
  const pool = openReadPool("", () => {
    const worker = new Worker(code, { eval: true });
    workers.push(worker);
    return worker;
  });
  pools.push(pool);
  return pool;
}

const read = (pool: ReadPool, from: string, key = "key") =>
  pool.run(key, "rows", {
    query: { from, columns: "", where: "", values: [], order: "" },
    page: { limit: 1, offset: 0 },
  });

test("no thread runs before the first read, and reads of one key share one", async () => {
  const pool = openPool();
  expect(workers).toHaveLength(0);
  expect(await Promise.all([read(pool, "a"), read(pool, "b"), read(pool, "c")])).toEqual(["a", "b", "c"]);
  expect(workers).toHaveLength(1);
});

test("a thread that breaks fails only the read that it was at", async () => {
  const pool = openPool();
  const broken = read(pool, "break");
  const after = read(pool, "after");
  await expect(broken).rejects.toMatchObject({ code: "storage_unavailable" });
  expect(await after).toBe("after");
});

test("a refusal is refused to the caller, and a fault is reported as one", async () => {
  const pool = openPool();
  await expect(read(pool, "refuse")).rejects.toMatchObject({ code: "storage_unavailable" });
  await expect(read(pool, "fault")).rejects.toThrow("a read failed: a bug");
  expect(await read(pool, "next")).toBe("next");
});

test("one key's endless reads leave a thread for others, and beyond a number of waiting ones they are refused", async () => {
  const pool = openPool();
  const endless = Array.from({ length: 40 }, () => read(pool, "silent", "greedy"));
  const refused = endless.slice(33);
  for (const one of refused) await expect(one).rejects.toMatchObject({ code: "overloaded" });
  expect(await read(pool, "b", "other")).toBe("b");
  expect(workers).toHaveLength(2);
  const rest = Promise.allSettled(endless);
  await pool.close();
  expect((await rest).every(({ status }) => status === "rejected")).toBe(true);
});
