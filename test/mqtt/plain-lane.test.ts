// Telemetry and answers of a device go past the broker. A packet that asks to be retained does not, and means the same otherwise: so the same
// packets with that bit are the twin.
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestBroker, type TestBroker } from "../support/embedded-broker.ts";
import { randomFrom } from "../support/random.ts";
import { PINGREQ, publishPacket, type RawMqtt, signInRaw, subscribePacket } from "../support/raw-mqtt.ts";

const IS_LONG = process.env["BUSBAR_LONG"] === "1";
const ROUNDS = IS_LONG ? 200 : 12;
const LAST = 60_000;

let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(() => broker.stop());

const PAYLOADS = [
  '{"a":1}',
  "{",
  "",
  '{"a":"ä"}',
  "[]",
  `{"a":"${"x".repeat(3_000)}"}`,
  `{"a":"${"y".repeat(40_000)}"}`,
];

const ANSWERS = [
  '{"id":"e1","state":"completed","payload":{"a":1}}',
  '{"id":"e2","state":"log"}',
  ...PAYLOADS.slice(0, 3),
];

/** Of a message that the device was sent. */
const ACKNOWLEDGEMENT = Buffer.from([0x40, 2, 0, 7]);

type Chance = () => number;
const one = <Item>(chance: Chance, items: readonly Item[]): Item => items[Math.floor(chance() * items.length)] as Item;

/** Packets of a device, with or without the bit. */
function someSession(seed: number, device: number, retain: boolean): Buffer {
  const chance = randomFrom(seed);
  const own = `v1/from/HW${device}/main/v1/telemetry`;
  const topics = [
    own,
    own,
    own,
    `v1/from/HW${device}/main/v1/command/responses`,
    `v1/from/HW${device}/main/v1/command/responses`,
    `v1/from/HW${device}/child-a/v1/command/responses`,
    `v1/from/HW${device}/main/v1/properties`,
    `v1/from/HW${device}/child-a/v1/telemetry`,
  ];
  const packets = Array.from({ length: 40 }, (_, index) => {
    const kind = chance();
    if (kind < 0.05) return PINGREQ;
    if (kind < 0.1) return ACKNOWLEDGEMENT;
    if (kind < 0.15) return subscribePacket(index + 1, [`v1/to/HW${device}/main/#`]);
    const topic = one(chance, topics);
    const payload = one(chance, topic.endsWith("responses") ? ANSWERS : PAYLOADS);
    return publishPacket(topic, payload, { qos: one(chance, [0, 1, 1]), id: index + 1, dup: chance() < 0.2, retain });
  });
  return Buffer.concat([...packets, publishPacket(own, '{"last":1}', { qos: 1, id: LAST, retain })]);
}

async function play(raw: RawMqtt, session: Buffer, seed: number): Promise<void> {
  const chance = randomFrom(seed);
  for (let at = 0; at < session.length; ) {
    const size = 1 + Math.floor(chance() ** 3 * 20_000);
    raw.send(session.subarray(at, at + size));
    at += size;
    if (chance() < 0.5) await new Promise((resolve) => setImmediate(resolve));
  }
  await raw.seen(`puback ${LAST}`);
}

test.each(Array.from({ length: ROUNDS }, (_, seed) => seed))(
  "packets mean the same past the broker and through it, however they are cut (%d)",
  async (seed) => {
    const heard: unknown[] = [];
    for (const device of [1, 2]) {
      const raw = await signInRaw(broker.port, device);
      const before = broker.inbox.calls.length;
      await play(raw, someSession(seed, device, device === 2), seed);
      const calls = broker.inbox.calls
        .slice(before)
        .filter((call) => /^(telemetry|malformed|properties|response)/.test(call));
      const same = calls.map((call) => call.replaceAll(/\bd[12]\b/g, "d").replaceAll(/HW[12]/g, "HW"));
      const acknowledged = raw.received.filter((text) => text.startsWith("puback"));
      // Who a child is must be looked up first, so its messages have an order of their own.
      const isOfChild = (call: string) => call.includes("child-a");
      heard.push([same.filter(isOfChild), same.filter((call) => !isOfChild(call)), acknowledged]);
      await raw.end();
    }
    expect(heard[0]).toEqual(heard[1]);
  },
);

test("a device whose messages wait for the disk is not read any further, and loses nothing", async () => {
  const raw = await signInRaw(broker.port, 1);
  const held = broker.inbox.hold();
  const body = "x".repeat(1_000);
  const ids = Array.from({ length: 1_000 }, (_, index) => index + 1);
  for (const id of ids) raw.send(publishPacket("v1/from/HW1/main/v1/telemetry", `{"a":"${body}"}`, { qos: 1, id }));
  await broker.inbox.seen("telemetry d1");
  const other = await signInRaw(broker.port, 2);
  other.send(PINGREQ);
  await other.seen("pingresp");
  await other.end();
  // Twice 64 KiB and what a socket gives at once.
  expect(held.length).toBeLessThan(300);
  broker.inbox.release();
  await raw.seen("puback 1000");
  expect(raw.received.slice(1)).toEqual(ids.map((id) => `puback ${id}`));
  await raw.end();
});

test("messages that share a promise are acknowledged together, and none when it fails", async () => {
  const raw = await signInRaw(broker.port, 1);
  const shared = Promise.withResolvers<void>();
  let taken = 0;
  broker.inbox.telemetry = () => {
    taken++;
    return shared.promise;
  };
  raw.send(...[1, 2, 3].map((id) => publishPacket("v1/from/HW1/main/v1/telemetry", `{"a":${id}}`, { qos: 1, id })));
  await expect.poll(() => taken).toBe(3);
  expect(raw.received).toEqual(["connack 0"]);
  shared.reject(new Error("disk full"));
  await raw.closed;
  expect(raw.received).toEqual(["connack 0"]);
});
