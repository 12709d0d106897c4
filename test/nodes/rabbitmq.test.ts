// A cluster of RabbitMQ as the broker: devices speak MQTT with it, and nodes share their messages by queues.
import { connectAsync } from "mqtt";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import {
  checkNodeLoad,
  endedExecutions,
  makeNodeDevice,
  NodeLoad,
  stoppedNodes,
  storedValues,
} from "../chaos/node-load.ts";
import { NodeVictim } from "../chaos/node-victim.ts";
import { SPAN_S, startSendingDevice } from "../chaos/sending-device.ts";
import { connectFakeDevice, type FakeDevice, type FakeDeviceConfig } from "../support/fake-device.ts";
import { makeNodeSite } from "../support/node-site.ts";
import { type Node, startNode } from "../support/nodes.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { ANY_DEVICE, hasRabbitmq, OWN_DEVICE, type Rabbitmq, startRabbitmq } from "../support/rabbitmq.ts";
import { randomFrom } from "../support/random.ts";
import { IS_LONG, roundsOf } from "../support/rounds.ts";

const ROUNDS = roundsOf("kills of servers of RabbitMQ");
/** One server has the same queues as three: only kills need others that go on. */
const SERVERS = IS_LONG ? 3 : 1;

let server: Postgres;
let rabbitmq: Rabbitmq;
beforeAll(async () => {
  if (!hasRabbitmq) return;
  [server, rabbitmq] = await Promise.all([startPostgres(), startRabbitmq(SERVERS)]);
}, 120_000);
afterAll(async () => {
  await rabbitmq?.stop();
  await server?.stop();
});

const START = { name: "start", arguments: { power: 1 } };

async function connectTo(config: FakeDeviceConfig): Promise<FakeDevice> {
  const place = { mqtt_host: "127.0.0.1", mqtt_port: rabbitmq.mqttPort, mqtt_credentials: ANY_DEVICE };
  const device = await connectFakeDevice({ ...config, ...place });
  device.onCommand((command) => command.completed({ by: config.hardware_id }));
  onTestFinished(() => device.drop());
  return device;
}

async function logOf({ admin }: Node, deviceId: string): Promise<readonly string[]> {
  const { body } = await admin.get(`/v3/devices/${deviceId}/logs?limit=1000&order=RECEIVED_AT_ASC`);
  return (body.logs as readonly { readonly message: string }[]).map(({ message }) => message);
}

test.runIf(hasRabbitmq)(
  "each message is taken once and in its order, commands go over any node, and a node's part passes on when it leaves",
  { timeout: 120_000 },
  async () => {
    const url = await server.prepared("rabbitmq");
    const options = { url, flags: ["--mqtt-client-id", "share"], env: { BUSBAR_MQTT_URL: rabbitmq.url } };
    const one = await startNode(options);
    const other = await startNode({ ...options, like: one });
    const site = await makeNodeSite(one.admin);
    const deviceId = await site.device("Pump");
    await expect
      .poll(() => [one, other].every((node) => node.log.includes("connected to the message broker")))
      .toBe(true);
    const device = await connectTo(await site.configOf(deviceId));
    const said: string[] = [];
    const say = async (count: number) => {
      const lines = Array.from({ length: count }, (_, n) => `line ${said.length + n}`);
      said.push(...lines);
      await Promise.all(lines.map((text) => device.log(text, { persist: true })));
    };
    await say(40);
    await expect.poll(async () => await logOf(one, deviceId)).toEqual(said);
    expect(await logOf(other, deviceId)).toEqual(said);

    for (const node of [one, other, one, other]) {
      const { body } = await node.admin.post(`/v3/devices/${deviceId}/commands/execute`, START);
      expect(body.execution.state).toBe("SUCCESS");
    }
    expect(device.commands).toHaveLength(4);
    await expect.poll(() => device.configurations.length).toBe(1);

    await one.stop();
    await say(36);
    await expect.poll(async () => await logOf(other, deviceId)).toEqual(said);
    const { body } = await other.admin.post(`/v3/devices/${deviceId}/commands/execute`, START);
    expect(body.execution.state).toBe("SUCCESS");
  },
);

test.runIf(hasRabbitmq)("a device with the permissions of docs/deploy.md uses its own topics only", async () => {
  const connected = async () => {
    const client = await connectAsync(`mqtt://127.0.0.1:${rabbitmq.mqttPort}`, {
      ...{ ...OWN_DEVICE, clientId: "", reconnectPeriod: 0 },
    });
    client.on("error", () => {});
    onTestFinished(() => void client.end(true));
    return client;
  };
  const { username } = OWN_DEVICE;
  const allowed = await connected();
  await allowed.subscribeAsync(`v1/to/${username}/main/#`, { qos: 1 });
  await allowed.publishAsync(`v1/from/${username}/main/v1/telemetry`, "{}", { qos: 1 });
  for (const topic of ["v1/to/HW-other/main/#", "v1/to/+/main/#", "v1/to/*/main/#", "#"]) {
    const client = await connected();
    await expect(client.subscribeAsync(topic, { qos: 1 }), topic).rejects.toThrow();
  }
  for (const topic of ["v1/from/HW-other/main/v1/telemetry", `v1/to/${username}/main/v1/command/requests`]) {
    const client = await connected();
    const closed = new Promise<void>((resolve) => client.once("close", () => resolve()));
    client.publish(topic, "{}", { qos: 1 });
    await closed;
  }
});

/** Executions around each event of a round. */
const CALLS = 15;

test.runIf(hasRabbitmq && ROUNDS > 0)(
  "servers of the broker and nodes are killed under load: no acknowledged point is lost, no command starts twice",
  { timeout: 120_000 + ROUNDS * 90_000 },
  async () => {
    const seed = Number(process.env["BUSBAR_TEST_SEED"] ?? Date.now() % 1_000_000);
    const random = randomFrom(seed);
    const url = await server.prepared("kills");
    const flags = ["--commands-response-timeout", "3s", "--mqtt-client-id", "kills"];
    const options = { url, flags, env: { BUSBAR_MQTT_URL: rabbitmq.url } };
    const victims = [new NodeVictim(options), new NodeVictim(options)] as const;
    onTestFinished(async () => void (await Promise.all(victims.map((victim) => victim.kill()))));
    await Promise.all(victims.map((victim) => victim.start()));
    const broker = { port: rabbitmq.mqttPort, login: ANY_DEVICE };
    const { deviceId, device, config } = await makeNodeDevice(victims[0], broker);
    onTestFinished(() => device.close());
    const firstSecond = Math.floor(Date.now() / 1_000) - SPAN_S;
    const sender = await startSendingDevice(config, firstSecond);
    onTestFinished(() => sender.close());

    const load = new NodeLoad();
    const running = load.run(victims, deviceId);
    /** The load goes on: calls are answered, commands reach the device, and points are acknowledged. */
    const loadGoesOn = async () => {
      const goal = load.acknowledged.size + CALLS;
      load.limit = goal + CALLS;
      const [starts, points] = [device.starts.size + 1, sender.acknowledged.size + CALLS];
      await expect.poll(() => load.acknowledged.size, { interval: 5 }).toBeGreaterThanOrEqual(goal);
      await expect
        .poll(() => [device.starts.size >= starts, sender.acknowledged.size >= points], { timeout: 30_000 })
        .toEqual([true, true]);
    };
    const killed: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await loadGoesOn();
      const number = Math.floor(random() * 3);
      const victim = random() < 0.5 ? 0 : 1;
      killed.push(`${number}/${victim}`);
      await rabbitmq.nodes[number]?.kill();
      await loadGoesOn();
      await victims[victim].kill();
      await victims[victim].start();
      await loadGoesOn();
      await rabbitmq.nodes[number]?.start();
    }
    await loadGoesOn();
    load.isOver = true;
    await sender.pause();
    await running;
    await checkNodeLoad(load, device, await endedExecutions(victims[1], deviceId));
    const lostPoints = async () => {
      const values = await storedValues(victims, { deviceId, firstSecond });
      return values && [...sender.acknowledged].filter((n) => !values.has(n));
    };
    await expect.poll(lostPoints, { timeout: 60_000 }).toEqual([]);
    console.log(
      `seed ${seed}: servers/nodes killed ${killed.join()}, ${load.acknowledged.size} executions acknowledged, ` +
        `${device.starts.size} started, ${sender.acknowledged.size} points acknowledged`,
    );
    expect(await stoppedNodes(victims)).toEqual([0, 0]);
  },
);
