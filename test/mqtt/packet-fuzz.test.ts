// Mutated MQTT packets from a device that has signed in and from strangers. Nothing may crash (an unhandled error fails the
// run), nothing may reach another device, and memory stays where it was.
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestBroker, type TestBroker } from "../support/embedded-broker.ts";
import { connectFakeDevice, type FakeDevice } from "../support/fake-device.ts";
import { memoryInUse } from "../support/memory-in-use.ts";
import {
  connectPacket,
  connectRaw,
  DISCONNECT,
  PINGREQ,
  pubackPacket,
  publishPacket,
  pubrelPacket,
  subscribePacket,
  unsubscribePacket,
} from "../support/raw-mqtt.ts";
import { roundsOf } from "../support/rounds.ts";

const PACKETS = Number(process.env["BUSBAR_FUZZ_PACKETS"] ?? roundsOf("mutated MQTT packets"));
const PER_CONNECTION = 5;
const AT_ONCE = 25;
const SEED = 20_261_114;
const MIB = 1024 * 1024;

const LOGIN = connectPacket({ username: "HW1", password: "secret1" });
const BASE: readonly Buffer[] = [
  LOGIN,
  connectPacket({
    username: "HW1",
    password: "secret1",
    clean: false,
    clientId: "kept",
    will: { topic: "v1/to/HW2/main/v1/command/requests", payload: "{}", qos: 1, retain: true },
  }),
  publishPacket("v1/from/HW1/main/v1/telemetry", '{"power":1.5,"timestamp":1700000000}', { qos: 1, id: 3 }),
  publishPacket("v1/from/HW1/main/v1/command/responses", '{"id":"e1","state":"log","payload":{"a":[1,2]}}', {
    qos: 2,
    id: 4,
  }),
  publishPacket("v1/from/HW1/main/v3/logs", '{"message":"hello","severity":"info"}', { qos: 0 }),
  publishPacket("v1/from/HW2/main/v1/telemetry", '{"power":666}', { qos: 1, id: 5, retain: true }),
  publishPacket("v1/to/HW2/main/v1/command/requests", '{"id":"evil","name":"start"}', { qos: 1, id: 6, retain: true }),
  subscribePacket(7, ["v1/to/HW1/main/#", "v1/to/HW2/main/#", "#", "+/+/+/+/#"]),
  unsubscribePacket(8, ["v1/to/HW1/main/#", "v1/to/HW2/main/#"]),
  pubrelPacket(4),
  pubackPacket(9),
  PINGREQ,
  DISCONNECT,
  Buffer.from([0x50, 2, 0, 1]),
  Buffer.from([0xf0, 0]),
  Buffer.from([0x00, 0]),
];

let broker: TestBroker;
let witness: FakeDevice;
const heard: string[] = [];

beforeAll(async () => {
  broker = await startTestBroker({ messageRate: 1e6, signInRate: 1e6, connectionsPerDevice: 1e3 });
  witness = await connectFakeDevice(broker.configFor("d2"));
  witness.client.on("message", (topic, payload) => heard.push(`${topic} ${payload.toString()}`));
});
afterAll(async () => {
  await witness.close();
  await broker.stop();
});

test(`${PACKETS} mutated packets crash nothing, reach nobody else and leave nothing behind`, async () => {
  const random = generator(SEED);
  const connection = async (): Promise<void> => {
    const mutants = Array.from({ length: PER_CONNECTION }, () => mutate(random, pick(random, BASE)));
    // Every fifth connection comes from a stranger, whose first packet is a mutant already.
    const bytes = Buffer.concat(random() < 0.2 ? mutants : [LOGIN, ...mutants]);
    const raw = await connectRaw(broker.port);
    const cut = Math.floor(random() * bytes.length);
    raw.send(bytes.subarray(0, cut));
    raw.send(bytes.subarray(cut));
    raw.socket.end();
    raw.socket.resume();
    await raw.closed;
  };
  const wave = async (packets: number): Promise<void> => {
    for (let sent = 0; sent < packets; sent += AT_ONCE * PER_CONNECTION) {
      await Promise.all(Array.from({ length: AT_ONCE }, connection));
      await witness.sendTelemetry({ sent });
    }
  };
  // The first part warms up caches and compiled code; what grows after it is a leak.
  await wave(PACKETS / 10);
  const before = memoryInUse().heapUsed;
  const calls = broker.inbox.calls.length;
  await wave((PACKETS * 9) / 10);
  const perCall = 2048;
  expect(memoryInUse().heapUsed - before).toBeLessThan(20 * MIB + (broker.inbox.calls.length - calls) * perCall);

  expect(broker.inbox.calls.length).toBeGreaterThan(PACKETS / 100);
  expect(broker.inbox.calls.filter((call) => call.includes(" d2 ") && !call.includes('"sent"'))).toEqual([]);
  await broker.channel.send("d2", { id: "probe", name: "start", arguments: {} });
  await witness.nextCommand();
  expect(heard).toEqual(['v1/to/HW2/main/v1/command/requests {"id":"probe","name":"start","arguments":{}}']);
  expect(broker.count()).toBe(1);
});

function mutate(random: () => number, packet: Buffer): Buffer {
  let bytes = Buffer.from(packet);
  for (let count = 1 + Math.floor(random() * 4); count > 0; count -= 1) {
    const at = Math.floor(random() * Math.max(1, bytes.length));
    const value = Math.floor(random() * 256);
    switch (Math.floor(random() * 7)) {
      case 0:
        bytes[at] = value;
        break;
      case 1:
        bytes[at] = (bytes[at] ?? 0) ^ (1 << (value % 8));
        break;
      case 2:
        bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from([value]), bytes.subarray(at)]);
        break;
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
        break;
      case 4:
        bytes = Buffer.from(bytes.subarray(0, at));
        break;
      case 5:
        // The length, or a type with other flags.
        if (bytes.length > 1) bytes[value % 2] = Math.floor(random() * 256);
        break;
      default:
        bytes = Buffer.concat([bytes, bytes.subarray(0, at)]);
    }
  }
  return bytes;
}

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function pick<Item>(random: () => number, items: readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}
