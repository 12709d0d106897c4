// Every device against every device's topics, to publish and to subscribe. The verdicts are written by hand: what is not
// marked as the device's own is refused, and nothing that any device does is ever delivered to another.
import type { MqttClient } from "mqtt";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestBroker, type TestBroker } from "../support/embedded-broker.ts";
import { connectFakeDevice, type FakeDevice } from "../support/fake-device.ts";

const DEVICES = ["1", "2", "3", "4", "5"];

/** What the inbox gets when the topic is the device's own (`@` is its hardware id); `-` is malformed all the same. */
const PUBLISH: readonly (readonly [string, string])[] = [
  ["v1/from/@/main/v1/telemetry", "telemetry"],
  ["v1/from/@/main/v1/register", "properties"],
  ["v1/from/@/main/v1/properties", "properties"],
  ["v1/from/@/main/v3/logs", "log"],
  ["v1/from/@/main/v1/command/responses", "response"],
  ["v1/from/@/main/v1/command/requests", "-"],
  ["v1/from/@/main/v1/configuration", "-"],
  ["v1/from/@/main/v1/telemetry/", "-"],
  ["v1/from/@/main/v1/Telemetry", "-"],
  ["v1/from/@/main/v2/telemetry", "-"],
  ["v1/from/@/main//v1/telemetry", "-"],
  ["v1/from/@/main/", "-"],
  ["v1/from/@/main", "-"],
  ["v1/from/@/", "-"],
  ["v1/from/@", "-"],
  ["v1/from/@/other/v1/telemetry", "-"],
  ["v1/from/@/child-1/v1/telemetry", "telemetry of its child"],
  ["v1/from/@/child-1/v1/properties", "properties of its child"],
  ["v1/from/@/child-1/v3/logs", "log of its child"],
  ["v1/from/@/child-1/v1/command/responses", "response of its child"],
  ["v1/from/@/other/v1/register", "child"],
  ["v1/from/@/child-1/v1/command/requests", "-"],
  ["v1/from/@/MAIN/v1/telemetry", "-"],
  ["v1/from/@ /main/v1/telemetry", "-"],
  ["/v1/from/@/main/v1/telemetry", "-"],
  ["V1/from/@/main/v1/telemetry", "-"],
  ["v1/from/x@/main/v1/telemetry", "-"],
  ["v1/from/@x/main/v1/telemetry", "-"],
  ["v1/from/./@/main/v1/telemetry", "-"],
  ["v1/from/../from/@/main/v1/telemetry", "-"],
  ["v1/from/@/../@/main/v1/telemetry", "-"],
  ["v1/from/%2B/main/v1/telemetry", "-"],
  ["v1/to/@/main/v1/command/requests", "-"],
  ["v1/to/@/main/v1/configuration", "-"],
  ["v1/to/@/main/x", "-"],
  ["$SYS/@/heartbeat", "-"],
  ["$share/g/v1/to/@/main/v1/command/requests", "-"],
  ["@", "-"],
];

/** Whether a device may listen when the topic is its own. */
const SUBSCRIBE: readonly (readonly [string, boolean])[] = [
  ["v1/to/@/main/v1/command/requests", true],
  ["v1/to/@/main/v1/configuration", true],
  ["v1/to/@/main/#", true],
  ["v1/to/@/main/+/command/requests", true],
  ["v1/to/@/main/+/+/+", true],
  ["v1/to/@/main/v1/#", true],
  ["v1/to/@/main", false],
  ["v1/to/@/main/", false],
  ["v1/to/@/#", true],
  ["v1/to/@/+/v1/command/requests", true],
  ["v1/to/@/child-1/v1/command/requests", true],
  ["v1/to/@/child-1/#", true],
  ["v1/to/@/+", false],
  ["v1/to/@/child-1", false],
  ["v1/to/+/main/v1/command/requests", false],
  ["v1/to/+/+/#", false],
  ["v1/to/#", false],
  ["v1/+/@/main/#", false],
  ["+/to/@/main/#", false],
  ["+/+/@/main/#", false],
  ["v1/#", false],
  ["#", false],
  ["+/#", false],
  ["/v1/to/@/main/#", false],
  ["V1/to/@/main/#", false],
  ["v1/to/@x/main/#", false],
  ["v1/to/x@/main/#", false],
  ["v1/to/@/other/#", false],
  ["v1/from/@/main/#", false],
  ["v1/from/@/main/v1/telemetry", false],
  ["v1/from/+/+/v1/telemetry", false],
  ["$SYS/#", false],
  ["$SYS/+/new/clients", false],
  ["$share/g/v1/to/@/main/#", false],
  ["@", false],
];

let broker: TestBroker;
const devices = new Map<string, FakeDevice>();
const heard = new Map<string, string[]>();

beforeAll(async () => {
  broker = await startTestBroker({ devices: DEVICES.length, messageRate: 1e6, subscriptionsPerConnection: 1e4 });
  for (const number of DEVICES) {
    const device = await connectFakeDevice(broker.configFor(`d${number}`));
    const list: string[] = [];
    device.client.on("message", (topic, payload) => list.push(`${topic} ${payload.toString()}`));
    devices.set(number, device);
    heard.set(number, list);
  }
});
afterAll(async () => {
  for (const device of devices.values()) await device.close();
  await broker.stop();
});

test(`of ${DEVICES.length ** 2 * PUBLISH.length} publications each is passed on as what it is, for the device that made it`, async () => {
  const payload = '{"id":"e1","state":"log","message":"m"}';
  const differences: string[] = [];
  for (const by of DEVICES) {
    for (const target of DEVICES) {
      for (const [template, verdict] of PUBLISH) {
        const topic = template.replaceAll("@", `HW${target}`);
        const before = broker.inbox.calls.length;
        await client(by).publishAsync(topic, payload, { qos: 1, retain: true });
        const calls = broker.inbox.calls.slice(before).map((call) => call.split(" ", 2).join(" "));
        const [kind, isChild] = [verdict.split(" ")[0], verdict.endsWith("child") && verdict !== "child"];
        const who = isChild ? `d${by}/child-1` : `d${by}`;
        const expected = by === target && verdict !== "-" ? `${kind} ${who}` : `malformed d${by}`;
        if (calls.join() !== expected) differences.push(`d${by} -> ${topic}: ${calls.join()} instead of ${expected}`);
      }
    }
  }
  expect(differences).toEqual([]);
});

test(`of ${DEVICES.length ** 2 * SUBSCRIBE.length} subscriptions only the device's own are granted`, async () => {
  const differences: string[] = [];
  for (const by of DEVICES) {
    for (const target of DEVICES) {
      for (const [template, isOwn] of SUBSCRIBE) {
        const filter = template.replaceAll("@", `HW${target}`);
        const granted = (await subscribe(client(by), filter)) !== 128;
        const expected = by === target && isOwn;
        if (granted !== expected) differences.push(`d${by} listens to ${filter}: ${granted}`);
      }
    }
  }
  expect(differences).toEqual([]);
});

test("after all that every device hears its own commands, once, and nothing else", async () => {
  for (const number of DEVICES) {
    await broker.channel.send(`d${number}`, { id: `e${number}`, name: "start", arguments: {} });
    await devices.get(number)?.nextCommand();
  }
  for (const number of DEVICES) {
    const own = `v1/to/HW${number}/main/v1/command/requests {"id":"e${number}","name":"start","arguments":{}}`;
    expect(heard.get(number)).toEqual([own]);
  }
});

function client(number: string): MqttClient {
  const device = devices.get(number);
  if (device === undefined) throw new Error(`no device ${number}`);
  return device.client;
}

function subscribe(from: MqttClient, filter: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    from.subscribe(filter, { qos: 1 }, (error, _granted, packet) => {
      const code = packet?.granted[0];
      if (code === undefined) reject(error ?? new Error("no answer"));
      else resolve(Number(code));
    });
  });
}
