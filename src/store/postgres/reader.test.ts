import type { Pool } from "pg";
import { expect, test } from "vitest";
import { createReader } from "./reader.ts";

/** Runs a snapshot over a connection that fails at this statement, and gives how it ended and whether the connection was closed. */
async function snapshotOver(failing: string, reads: () => Promise<void> = async () => {}) {
  let isClosed: boolean | undefined;
  const client = {
    query: async (sql: string) => {
      if (sql.startsWith(failing)) throw new Error("the connection is lost");
    },
    release: (closes: boolean) => {
      isClosed = closes;
    },
  };
  const pool = { connect: async () => client } as unknown as Pool;
  const [snapshot] = await Promise.allSettled([createReader(pool, { onDamaged: () => {} }).snapshot(reads)]);
  return { ended: snapshot.status, isClosed };
}

test("a connection goes back to the pool only when its snapshot has ended well", async () => {
  expect(await snapshotOver("no statement")).toEqual({ ended: "fulfilled", isClosed: false });
  const lost = { ended: "rejected", isClosed: true };
  expect(await snapshotOver("BEGIN")).toEqual(lost);
  expect(await snapshotOver("COMMIT")).toEqual(lost);
  expect(await snapshotOver("no statement", () => Promise.reject(new Error("a failing read")))).toEqual(lost);
});
