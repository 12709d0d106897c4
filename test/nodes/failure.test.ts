// The database fails, and comes back: clear refusals, nothing acknowledged is lost, nothing is done twice, and everything
// goes on by itself.
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { connectAt, makeNodeSite } from "../support/node-site.ts";
import { type Node, startNode } from "../support/nodes.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
}, 60_000);
afterAll(() => server.stop());

const START = { name: "start", arguments: { power: 1 } };

/** Creates executions until told to stop, each with its key until it is acknowledged. */
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
      await expect.poll(() => acknowledged.size, { timeout: 60_000, interval: 10 }).toBeGreaterThanOrEqual(goal);
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
    .poll(async () => (await node.admin.get(`${list}?state.in=NEW,IN_PROGRESS&limit=0`)).body.total_count, {
      timeout: 60_000,
    })
    .toBe(0);
  const { body } = await node.admin.get(`${list}?limit=1000`);
  const stored = new Set((body.executions as readonly { readonly id: string }[]).map(({ id }) => id));
  expect(acknowledged.difference(stored).size, "acknowledged and lost").toBe(0);
  // Each key was asked for until it was acknowledged, so there is no execution that nobody knows.
  expect(stored.size).toBe(acknowledged.size);
}

test("connections that break in the middle of anything cost refusals with Retry-After, and nothing else", {
  timeout: 120_000,
}, async () => {
  const direct = new URL(await server.database("cuts"));
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
  await expect.poll(async () => (await node.admin.get("/readyz")).status, { timeout: 30_000 }).toBe(503);
  proxy.accept();
  await expect.poll(async () => (await node.admin.get("/readyz")).status, { timeout: 30_000 }).toBe(200);
  await load.more(10);
  await load.stop();
  expect(load.refusals.difference(new Set(["503 storage_unavailable 1"])).size, [...load.refusals].join()).toBe(0);
  await expectAllThere(node, deviceId, load.acknowledged);
  const started = device.commands.map(({ id }) => id);
  expect(new Set(started).size, "started once each").toBe(started.length);
});

test("a database that crashes and restarts is waited for", { timeout: 120_000 }, async () => {
  const url = await server.database("crashes");
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
