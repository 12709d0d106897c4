// The database fails, and comes back: clear refusals, nothing acknowledged is lost, nothing is done twice, and everything
// goes on by itself.
import { chownSync, closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { statementsOn } from "#store/postgres/statements.ts";
import { connectAt, makeNodeSite } from "../support/node-site.ts";
import { type Node, startNode } from "../support/nodes.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { canMount, mountSmallDisk } from "../support/small-disk.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const START = { name: "start", arguments: { power: 1 } };

/** Creates executions until asked to stop, each with its key until it is acknowledged. */
function startLoad(node: Node, deviceId: string) {
  const acknowledged = new Set<string>();
  const refusals = new Set<string>();
  let isOver = false;
  const one = async (name: string) => {
    for (let n = 0; !isOver; n++) {
      for (;;) {
        const path = `/v3/devices/${deviceId}/commands/executions`;
        const answer = await node.admin.post(path, START, { "Idempotency-Key": `${name}-${n}` });
        if (answer.status === 200) {
          acknowledged.add(answer.body.execution_id);
          break;
        }
        if (answer.status < 429) throw new Error(JSON.stringify(answer.body));
        refusals.add(`${answer.status} ${answer.body.errors[0].code} ${answer.headers.get("retry-after")}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  const running = Promise.all([one("a"), one("b"), one("c")]);
  return {
    acknowledged,
    refusals,
    more: async (count: number) => {
      const goal = acknowledged.size + count;
      await expect.poll(() => acknowledged.size, { interval: 10 }).toBeGreaterThanOrEqual(goal);
    },
    async stop() {
      isOver = true;
      await running;
    },
  };
}

async function expectAllThere(node: Node, deviceId: string, acknowledged: ReadonlySet<string>): Promise<void> {
  const list = `/v3/devices/${deviceId}/commands/executions`;
  await expect
    .poll(async () => (await node.admin.get(`${list}?state.in=NEW,IN_PROGRESS&limit=0`)).body.total_count)
    .toBe(0);
  const { body } = await node.admin.get(`${list}?limit=1000`);
  const stored = new Set((body.executions as readonly { readonly id: string }[]).map(({ id }) => id));
  expect(acknowledged.difference(stored).size, "acknowledged and lost").toBe(0);
  // Each key was asked for until it was acknowledged, so there is no execution that nobody knows.
  expect(stored.size).toBe(acknowledged.size);
}

test("connections that break in the middle of anything cost refusals with Retry-After, and nothing else", async () => {
  const direct = new URL(await server.prepared("cuts"));
  const proxy = await startTcpProxy(Number(direct.port));
  onTestFinished(() => proxy.stop());
  const url = `postgres://busbar@127.0.0.1:${proxy.port}/cuts`;
  const node = await startNode({ url, flags: ["--commands-response-timeout", "2s"] });
  const site = await makeNodeSite(node.admin);
  const deviceId = await site.device("Pump");
  const device = await connectAt(await site.configOf(deviceId), node.mqttPort);
  const load = startLoad(node, deviceId);
  for (let round = 0; round < 6; round++) {
    await load.more(5 + round);
    proxy.cut();
  }
  await load.more(5);
  proxy.refuse();
  await expect.poll(async () => (await node.admin.get("/readyz")).status).toBe(503);
  proxy.accept();
  await expect.poll(async () => (await node.admin.get("/readyz")).status).toBe(200);
  await load.more(10);
  await load.stop();
  expect(load.refusals.difference(new Set(["503 storage_unavailable 1"])).size, [...load.refusals].join()).toBe(0);
  await expectAllThere(node, deviceId, load.acknowledged);
  const started = device.commands.map(({ id }) => id);
  expect(new Set(started).size, "started once each").toBe(started.length);
});

test("a database that crashes and restarts is waited for", async () => {
  const url = await server.prepared("crashes");
  const one = await startNode({ url, flags: ["--commands-response-timeout", "2s"] });
  const other = await startNode({ url, like: one, flags: ["--commands-response-timeout", "2s"] });
  const site = await makeNodeSite(one.admin);
  const deviceId = await site.device("Pump");
  const config = await site.configOf(deviceId);
  const device = await connectAt(config, other.mqttPort);
  const load = startLoad(one, deviceId);
  for (let round = 0; round < 2; round++) {
    await load.more(10);
    await server.crash();
  }
  await load.more(10);
  await load.stop();
  await expectAllThere(other, deviceId, load.acknowledged);
  const started = device.commands.map(({ id }) => id);
  expect(new Set(started).size, "started once each").toBe(started.length);
  // A device whose message could not be stored was disconnected, and comes back.
  await connectAt(config, other.mqttPort);
  const { body } = await one.admin.post(`/v3/devices/${deviceId}/commands/execute`, START);
  expect(body.execution.state).toBe("SUCCESS");
});

test("a connection that is lost in the middle of a transaction has stored nothing, and the same key works once after it", async () => {
  const direct = new URL(await server.prepared("middle"));
  const proxy = await startTcpProxy(Number(direct.port));
  onTestFinished(() => proxy.stop());
  const node = await startNode({ url: `postgres://busbar@127.0.0.1:${proxy.port}/middle` });
  const site = await makeNodeSite(node.admin);
  const path = `/v3/devices/${await site.device("Pump")}/commands/executions`;
  const create = () => node.admin.post(path, START, { "Idempotency-Key": "once" });
  const lock = await server.session("middle");
  onTestFinished(() => lock.end());
  await lock.query("BEGIN");
  await lock.query("LOCK TABLE idempotency IN ACCESS EXCLUSIVE MODE");
  const cutOff = create();
  const watch = await server.session("middle");
  onTestFinished(() => watch.end());
  const waiting = async () =>
    (await watch.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = 'middle'"))
      .rowCount;
  await expect.poll(waiting).toBeGreaterThan(0);
  proxy.cut();
  const refused = await cutOff;
  expect([refused.status, refused.body.errors[0].code, refused.headers.get("retry-after")]).toEqual([
    503,
    "storage_unavailable",
    "1",
  ]);
  await lock.query("COMMIT");
  expect((await node.admin.get(`${path}?limit=0`)).body.total_count).toBe(0);
  const ids = new Set<string>();
  for (let n = 0; n < 3; n++) ids.add((await create()).body.execution_id);
  expect(ids.size).toBe(1);
  expect((await node.admin.get(`${path}?limit=0`)).body.total_count).toBe(1);
});

test("calls that find no free connection are refused after a bounded wait, and everything goes on when there is one", async () => {
  const url = await server.prepared("exhausted");
  const node = await startNode({ url });
  await makeNodeSite(node.admin);
  const lock = await server.session("exhausted");
  onTestFinished(() => lock.end());
  await lock.query("BEGIN");
  await lock.query("LOCK TABLE blueprint IN ACCESS EXCLUSIVE MODE");
  // More than there are connections: some wait for the lock, the others for a connection.
  const answers = await Promise.all(Array.from({ length: 20 }, () => node.admin.get("/v3/blueprints")));
  const seen = answers.map(({ status, body, headers }) => [status, body.errors?.[0].code, headers.get("retry-after")]);
  expect(new Set(seen.map(String))).toEqual(new Set(["503,storage_unavailable,1"]));
  await lock.query("COMMIT");
  await expect.poll(async () => (await node.admin.get("/v3/blueprints")).status).toBe(200);
  expect((await node.admin.get("/readyz")).status).toBe(200);
});

test("a statement that takes too long is a refusal, not a fault", async () => {
  await server.prepared("slow");
  const session = await server.session("slow");
  onTestFinished(() => session.end());
  await session.query("SET statement_timeout = 20");
  const database = statementsOn(session, { onDamaged: () => {} });
  await expect(database.all("SELECT pg_sleep(20)")).rejects.toMatchObject({ code: "storage_unavailable" });
  expect(await database.all("SELECT 1 AS one")).toEqual([{ one: 1 }]);
});

test.runIf(canMount())("a full disk of the database is reported, and nothing acknowledged is lost", async () => {
  // The tables are on a small disk; the journal of the server is not, because a server without room for it stops.
  const disk = mountSmallDisk("64m");
  if (server.user.uid !== undefined) chownSync(disk, server.user.uid, server.user.gid ?? 0);
  const admin = await server.session("postgres");
  onTestFinished(() => admin.end());
  await admin.query(`CREATE TABLESPACE small LOCATION '${disk}'`);
  await admin.query("CREATE DATABASE small TABLESPACE small");
  onTestFinished(async () => {
    await admin.query("DROP DATABASE small WITH (FORCE)");
    await admin.query("DROP TABLESPACE small");
  });
  const node = await startNode({ url: await server.prepared("small"), flags: ["--commands-response-timeout", "2s"] });
  const site = await makeNodeSite(node.admin);
  const deviceId = await site.device("Pump");
  await connectAt(await site.configOf(deviceId), node.mqttPort);
  const load = startLoad(node, deviceId);
  await load.more(10);
  const filler = join(disk, "filler");
  fill(filler);
  await expect.poll(() => load.refusals.size, { interval: 10 }).toBeGreaterThan(0);
  expect([...load.refusals].join()).toMatch(/^503 storage_full \d+$/);
  // Reads work meanwhile.
  expect((await node.admin.get("/v3/sites")).status).toBe(200);
  rmSync(filler);
  await load.more(20);
  await load.stop();
  await expectAllThere(node, deviceId, load.acknowledged);
  expect((await node.admin.get("/readyz")).status).toBe(200);
});

/** Until there is no room left. */
function fill(file: string): void {
  const handle = openSync(file, "w");
  try {
    for (const size of [1_048_576, 8_192]) {
      const block = Buffer.alloc(size);
      try {
        for (;;) writeSync(handle, block);
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
      }
    }
  } finally {
    closeSync(handle);
  }
}

test("a standby that takes over has everything that was acknowledged, and the nodes go on with it", async () => {
  const first = await startPostgres({ fsync: true });
  onTestFinished(() => first.stop());
  await first.prepared("failover");
  const standby = await first.startStandby();
  onTestFinished(() => standby.stop());
  const proxy = await startTcpProxy(first.port);
  onTestFinished(() => proxy.stop());
  const url = `postgres://busbar@127.0.0.1:${proxy.port}/failover`;
  const flags = ["--commands-response-timeout", "2s"];
  const one = await startNode({ url, flags });
  const other = await startNode({ url, flags, like: one });
  const site = await makeNodeSite(one.admin);
  const deviceId = await site.device("Pump");
  const config = await site.configOf(deviceId);
  const device = await connectAt(config, other.mqttPort);
  const load = startLoad(one, deviceId);
  await load.more(20);
  proxy.refuse();
  const over = standby.takeOver();
  await expect.poll(async () => (await one.admin.get("/readyz")).status).toBe(503);
  await over;
  proxy.accept(standby.port);
  await load.more(20);
  await load.stop();
  expect(load.refusals.difference(new Set(["503 storage_unavailable 1"])).size, [...load.refusals].join()).toBe(0);
  await expectAllThere(other, deviceId, load.acknowledged);
  const started = device.commands.map(({ id }) => id);
  expect(new Set(started).size, "started once each").toBe(started.length);
  await expect.poll(async () => (await one.admin.get("/readyz")).status).toBe(200);
});
