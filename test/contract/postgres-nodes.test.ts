// Several nodes on one database, and a database that goes away.
import pg from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import type { RecordStore } from "#service/ports/record-store.ts";
import { openPostgresRecords } from "#store/postgres/open-records.ts";
import { arrival, asNew, makeExecution } from "../support/executions.ts";
import { PATIENT } from "../support/patient.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { makeEntry, makeSite, NOON, newId } from "../support/records.ts";
import { newDevice } from "./record-store-contract.ts";
import { ALL, refusalsOf } from "./stores.ts";

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres({ fsync: true });
});
afterAll(() => server.stop());

/** Two nodes on a database of their own. */
async function twoNodes(): Promise<{ readonly url: string; readonly nodes: readonly [RecordStore, RecordStore] }> {
  const url = await server.prepared(`nodes_${newId().replaceAll("-", "")}`);
  const nodes = [await openNode(url), await openNode(url)] as const;
  return { url, nodes };
}

async function openNode(url: string): Promise<RecordStore> {
  const node = await openPostgresRecords(url);
  onTestFinished(() => node.close());
  return node;
}

test("nodes that start at the same moment on an empty database make its tables once", async () => {
  const url = await server.database("fresh");
  const nodes = await Promise.all(Array.from({ length: 5 }, () => openNode(url)));
  const site = makeSite();
  await nodes[0]?.sites.insert(site, makeEntry());
  for (const node of nodes) expect(await node.sites.find(site.id)).toEqual(site);
});

test("a key that two nodes get at the same moment makes one execution", async () => {
  const { nodes } = await twoNodes();
  const place = await newDevice(nodes[0]);
  for (let round = 0; round < 20; round++) {
    const idempotency = {
      tokenId: "token",
      key: `key ${round}`,
      requestDigest: new Uint8Array([round]),
      expiresAt: (NOON + 86_400_000) as typeof NOON,
    };
    const made = await Promise.all(
      [...nodes, ...nodes].map((node) =>
        node.executions.insert(asNew(makeExecution(place), { idempotency }), makeEntry()),
      ),
    );
    expect(new Set(made.map(({ execution }) => execution.id)).size).toBe(1);
    expect(made.filter(({ isNew }) => isNew)).toHaveLength(1);
  }
});

test("what two nodes write about the same devices at once is all there, and counted right", async () => {
  const { url, nodes } = await twoNodes();
  const places = [await newDevice(nodes[0]), await newDevice(nodes[0]), await newDevice(nodes[0])];
  const ends = await Promise.all(
    Array.from({ length: 120 }, async (_, index) => {
      const [one, other] = index % 2 === 0 ? nodes : nodes.toReversed();
      const place = places[index % places.length];
      if (one === undefined || other === undefined || place === undefined) throw new Error("nothing to write to");
      const execution = makeExecution(place);
      await one.executions.insert(asNew(execution), makeEntry());
      // The answers come in over the other node, two of them at the same moment.
      await Promise.all(
        [one, other].map((node) => node.executions.record(place.deviceId, execution.id, arrival("IN_PROGRESS"))),
      );
      return (await other.executions.record(place.deviceId, execution.id, arrival("SUCCEEDED")))?.state;
    }),
  );
  expect(new Set(ends)).toEqual(new Set(["SUCCESS"]));
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  const { rows } = await client.query(
    `SELECT (SELECT count(*)::int FROM execution) AS executions, (SELECT count(*)::int FROM execution_response) AS responses,
       (SELECT sum(total)::int FROM execution_group WHERE state = 'SUCCESS') AS ended,
       (SELECT sum(total)::int FROM execution_group WHERE state <> 'SUCCESS') AS others,
       (SELECT sum(count)::int FROM execution_hour) AS by_hour,
       (SELECT count(DISTINCT changed)::int FROM execution) AS numbers`,
  );
  expect(rows[0]).toEqual({ executions: 120, responses: 360, ended: 120, others: 0, by_hour: 120, numbers: 120 });
});

test("a reader that follows changes while two nodes write misses none", async () => {
  const { nodes } = await twoNodes();
  const places = [await newDevice(nodes[0]), await newDevice(nodes[0])];
  const made = new Set<string>();
  let isDone = false;
  const writing = Promise.all(
    nodes.map(async (node, index) => {
      const place = places[index];
      if (place === undefined) throw new Error("nothing to write to");
      for (let round = 0; round < 60; round++) {
        const batch = Array.from({ length: 3 }, () => makeExecution(place));
        await Promise.all(batch.map((one) => node.executions.insert(asNew(one), makeEntry())));
        for (const { id } of batch) made.add(id);
      }
    }),
  ).finally(() => {
    isDone = true;
  });
  const seen = new Set<string>();
  let cursor = 0;
  for (let isLast = false; !isLast; ) {
    isLast = isDone;
    const page = await nodes[0].executions.changesAfter(cursor, 7);
    for (const { execution } of page.changes) seen.add(execution.id);
    if (page.changes.length > 0) isLast = false;
    cursor = page.next;
  }
  await writing;
  expect([seen.size, [...made].filter((id) => !seen.has(id))]).toEqual([360, []]);
});

test("a crash of the database refuses what it interrupts, and loses nothing that was acknowledged", async () => {
  const { nodes } = await twoNodes();
  const place = await newDevice(nodes[0]);
  const acknowledged: string[] = [];
  let isOver = false;
  const refused: string[] = [];
  const writers = nodes.map(async (node) => {
    while (!isOver) {
      const execution = makeExecution(place);
      const [result] = await Promise.allSettled([
        node.executions.insert(asNew(execution, { maxOpen: 1e6, maxOpenBytes: 1e12 }), makeEntry()),
      ]);
      if (result?.status === "fulfilled") acknowledged.push(execution.id);
      else refused.push(...refusalsOf(result === undefined ? [] : [result]));
    }
  });
  while (acknowledged.length < 50) await pause();
  await server.crash();
  const before = acknowledged.length;
  while (acknowledged.length < before + 50) await pause();
  isOver = true;
  await Promise.all(writers);
  expect(new Set(refused).difference(new Set(["storage_unavailable"])).size).toBe(0);
  const { total } = await nodes[1].executions.list(
    { scope: "all", level: "system", retention: "ALL", newestFirst: false, now: NOON },
    { ...ALL, limit: 1 },
  );
  // A commit that was cut off may have happened.
  expect(total).toBeGreaterThanOrEqual(acknowledged.length);
  for (const id of acknowledged) expect(await nodes[0].executions.find(place.deviceId, id, NOON)).toBeDefined();
});

test("a server that may lose acknowledged commits is refused, unless that is allowed", async () => {
  const loose = await startPostgres({ fsync: false });
  onTestFinished(() => loose.stop());
  const url = await loose.database("loose");
  await expect(openPostgresRecords(url)).rejects.toThrow(/may lose commits.*fsync=off/);
  await (await openPostgresRecords(url, { allowLoss: true })).close();
});

/** Lets the writers write. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10));
}

test("claims of names that are alike in 32 bits of their hash do not exclude each other", async () => {
  const { nodes } = await twoNodes();
  const names = ["000000001ffe", "00000000d4f9"].map((end) => `gateway 00000000-0000-7000-8000-${end}`);
  const [one, other] = await Promise.all(
    names.map((name, at) => vi.waitUntil(async () => await nodes[at]?.nodes.claim(name), PATIENT)),
  );
  // The same name is had once.
  for (const name of names) for (const { nodes: node } of nodes) expect(await node.claim(name)).toBeUndefined();
  for (const { nodes: node } of nodes) expect(await node.held([...names, "nobody's"])).toEqual(new Set(names));
  await one?.release();
  expect(await nodes[0].nodes.held(names)).toEqual(new Set(names.slice(1)));
  const again = await nodes[1].nodes.claim(names[0] ?? "");
  expect(again).toBeDefined();
  await Promise.all([other?.release(), again?.release()]);
});
