// A cluster of RabbitMQ as the broker: devices speak MQTT with it, and nodes share their messages by queues.
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { connectFakeDevice, type FakeDevice, type FakeDeviceConfig } from "../support/fake-device.ts";
import { makeNodeSite } from "../support/node-site.ts";
import { type Node, startNode } from "../support/nodes.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { ANY_DEVICE, hasRabbitmq, type Rabbitmq, startRabbitmq } from "../support/rabbitmq.ts";

let server: Postgres;
let rabbitmq: Rabbitmq;
beforeAll(async () => {
  if (!hasRabbitmq) return;
  [server, rabbitmq] = await Promise.all([startPostgres(), startRabbitmq(3)]);
}, 120_000);
afterAll(async () => {
  await rabbitmq?.stop();
  await server?.stop();
});

const START = { name: "start", arguments: { power: 1 } };

async function connectTo(broker: number, config: FakeDeviceConfig): Promise<FakeDevice> {
  const mqtt_port = rabbitmq.nodes[broker]?.mqttPort ?? 0;
  const device = await connectFakeDevice({
    ...config,
    mqtt_host: "127.0.0.1",
    mqtt_port,
    mqtt_credentials: ANY_DEVICE,
  });
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
    const device = await connectTo(0, await site.configOf(deviceId));
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
