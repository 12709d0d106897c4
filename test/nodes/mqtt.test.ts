// Several nodes behind one Mosquitto: each message is taken by one node, and nothing waits for a node that is gone.
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { hasMosquitto, type Mosquitto, startMosquitto } from "../support/mosquitto.ts";
import { connectAt, makeNodeSite } from "../support/node-site.ts";
import { type Node, startNode } from "../support/nodes.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";

let server: Postgres;
let mosquitto: Mosquitto;
beforeAll(async () => {
  if (!hasMosquitto) return;
  server = await startPostgres();
  mosquitto = await startMosquitto("anyone");
});
afterAll(async () => {
  await mosquitto?.stop();
  await server?.stop();
});

const START = { name: "start", arguments: { power: 1 } };

/** All messages of the device's log, oldest first. */
async function logOf({ admin }: Node, deviceId: string): Promise<readonly string[]> {
  const { body } = await admin.get(`/v3/devices/${deviceId}/logs?limit=1000&order=RECEIVED_AT_ASC`);
  return (body.logs as readonly { readonly message: string }[]).map(({ message }) => message);
}

test.runIf(hasMosquitto)(
  "each message is taken once, commands go over any node, and a node's part passes on when it leaves",
  async () => {
    const url = await server.prepared("mosquitto");
    const flags = ["--mqtt-client-id", "share", "--mqtt-sessions", "4"];
    const one = await startNode({ url, flags, env: { BUSBAR_MQTT_URL: mosquitto.url } });
    const other = await startNode({ url, flags, like: one, env: { BUSBAR_MQTT_URL: mosquitto.url } });
    const site = await makeNodeSite(one.admin);
    const deviceId = await site.device("Pump");
    const device = await connectAt(await site.configOf(deviceId), mosquitto.port);
    const said: string[] = [];
    const say = async (count: number) => {
      for (let n = 0; n < count; n++) {
        const text = `line ${said.length}`;
        said.push(text);
        await device.log(text, { persist: true });
      }
    };
    const connections = (node: Node) => node.log.split("connected to the MQTT broker").length - 1;
    await expect.poll(() => connections(one) >= 2 && connections(other) >= 2).toBe(true);
    await say(40);
    await expect.poll(async () => (await logOf(one, deviceId)).length).toBe(40);
    expect(new Set(await logOf(other, deviceId))).toEqual(new Set(said));

    for (const node of [one, other, one, other]) {
      const { body } = await node.admin.post(`/v3/devices/${deviceId}/commands/execute`, START);
      expect(body.execution.state).toBe("SUCCESS");
    }
    expect(device.commands).toHaveLength(4);

    // Both nodes hear the device, and either could send it what was written.
    expect(device.configurations).toHaveLength(1);
    for (const [n, node] of [one, other, one, other].entries()) {
      const { status } = await node.admin.put(`/v3/devices/${deviceId}/configuration`, { factory: { trim: n / 10 } });
      expect(status).toBe(200);
      await expect
        .poll(() => device.configurations.slice(1))
        .toContainEqual(expect.objectContaining({ factory: { trim: n / 10 } }));
    }
    // Events come in their order: when the last one was heard by both, so were the others.
    await say(4);
    await expect.poll(async () => (await logOf(other, deviceId)).length).toBe(44);
    expect(device.configurations).toHaveLength(5);

    await one.stop();
    await say(36);
    await expect.poll(async () => (await logOf(other, deviceId)).length).toBe(80);
    expect(new Set(await logOf(other, deviceId))).toEqual(new Set(said));
    const { body } = await other.admin.post(`/v3/devices/${deviceId}/commands/execute`, START);
    expect(body.execution.state).toBe("SUCCESS");
  },
);

test.runIf(hasMosquitto)("a node that joins takes its part of the sessions", async () => {
  const url = await server.prepared("joining");
  const flags = ["--mqtt-client-id", "join", "--mqtt-sessions", "4"];
  const one = await startNode({ url, flags, env: { BUSBAR_MQTT_URL: mosquitto.url } });
  const locks = await server.session("joining");
  onTestFinished(() => locks.end());
  // One lock a node is shared by all; the others are claims.
  const claims = async () => {
    const { rows } = await locks.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_locks JOIN pg_stat_activity USING (pid)
       WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND application_name = 'busbar node'
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) GROUP BY pid ORDER BY count`,
    );
    return rows.map(({ count }) => count);
  };
  await expect.poll(claims).toEqual([37]);
  const other = await startNode({ url, flags, like: one, env: { BUSBAR_MQTT_URL: mosquitto.url } });
  await expect.poll(claims).toEqual([18, 19]);
  await one.stop();
  await expect.poll(claims).toEqual([37]);
  await other.stop();
});
