import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestBroker, type TestBroker } from "../support/embedded-broker.ts";
import { connectFakeDevice } from "../support/fake-device.ts";
import { PINGREQ, publishPacket, pubrelPacket, type RawMqtt, signInRaw } from "../support/raw-mqtt.ts";

const TELEMETRY = "v1/from/HW1/main/v1/telemetry";
const RESPONSES = "v1/from/HW1/main/v1/command/responses";

let broker: TestBroker;
let raw: RawMqtt;
beforeEach(async () => {
  broker = await startTestBroker();
  raw = await signInRaw(broker.port, 1);
});
afterEach(async () => {
  await raw.end();
  await broker.stop();
});

/** Everything that was sent before has been handled when the answer to this is there, unless it waits for the disk. */
const roundTrip = async (): Promise<void> => {
  const other = await signInRaw(broker.port, 2);
  other.send(PINGREQ);
  await other.seen("pingresp");
  await other.end();
};

test("a message is acknowledged when it is durable, not before", async () => {
  const held = broker.inbox.hold();
  raw.send(publishPacket(TELEMETRY, '{"a":1}', { qos: 1, id: 7 }));
  await broker.inbox.seen("telemetry d1");
  await roundTrip();
  expect(raw.received).toEqual(["connack 0"]);
  held[0]?.resolve();
  expect(await raw.seen("puback")).toBe("puback 7");
});

test("a malformed message is acknowledged when that is durable, not before", async () => {
  const held = broker.inbox.hold();
  raw.send(publishPacket(TELEMETRY, "{", { qos: 1, id: 8 }));
  await broker.inbox.seen("malformed d1");
  await roundTrip();
  expect(raw.received).toEqual(["connack 0"]);
  held[0]?.resolve();
  expect(await raw.seen("puback")).toBe("puback 8");
});

test("acknowledgements go out in the order of the messages, whatever is durable first", async () => {
  const held = broker.inbox.hold();
  raw.send(...[1, 2, 3].map((id) => publishPacket(TELEMETRY, `{"id":${id}}`, { qos: 1, id })));
  await broker.inbox.seen('telemetry d1 {"values":{"id":3}}');
  held[2]?.resolve();
  held[1]?.resolve();
  await roundTrip();
  expect(raw.received).toEqual(["connack 0"]);
  held[0]?.resolve();
  await raw.seen("puback 3");
  expect(raw.received).toEqual(["connack 0", "puback 1", "puback 2", "puback 3"]);
});

test("messages of one device reach the service together, so that they can share a commit", async () => {
  const held = broker.inbox.hold();
  raw.send(...[1, 2, 3].map((id) => publishPacket(RESPONSES, `{"id":"e${id}","state":"log"}`, { qos: 1, id })));
  await broker.inbox.seen('response d1 {"executionId":"e3"');
  expect(held).toHaveLength(3);
  broker.inbox.release();
});

test("the responses of one execution reach the service one after the other", async () => {
  const held = broker.inbox.hold();
  raw.send(
    ...["log", "log", "completed"].map((state, id) =>
      publishPacket(RESPONSES, `{"id":"e1","state":"${state}"}`, { qos: 1, id: id + 1 }),
    ),
  );
  await broker.inbox.seen("response d1");
  await roundTrip();
  expect(held).toHaveLength(1);
  held[0]?.resolve();
  await broker.inbox.seen("response d1");
  expect(held).toHaveLength(2);
  held[1]?.resolve();
  await broker.inbox.seen('response d1 {"executionId":"e1","state":"SUCCEEDED"');
  held[2]?.resolve();
  await raw.seen("puback 3");
});

test("what could not be stored is not acknowledged, nor what came after it, and the connection ends", async () => {
  const held = broker.inbox.hold();
  raw.send(...[1, 2, 3].map((id) => publishPacket(TELEMETRY, `{"id":${id}}`, { qos: 1, id })));
  await broker.inbox.seen('telemetry d1 {"values":{"id":3}}');
  held[2]?.resolve();
  held[0]?.resolve();
  await raw.seen("puback 1");
  held[1]?.reject(new Error("disk full"));
  await raw.closed;
  expect(raw.received).toEqual(["connack 0", "puback 1"]);
});

test("at QoS 0 what could not be stored is lost, and the connection goes on", async () => {
  const held = broker.inbox.hold();
  raw.send(publishPacket(TELEMETRY, '{"a":1}'));
  await broker.inbox.seen("telemetry d1");
  held[0]?.reject(new Error("disk full"));
  broker.inbox.release();
  raw.send(publishPacket(TELEMETRY, '{"a":2}', { qos: 1, id: 9 }));
  expect(await raw.seen("puback")).toBe("puback 9");
});

test("a response that could not be stored does not hold up a later one of the same execution", async () => {
  const held = broker.inbox.hold();
  raw.send(
    publishPacket(RESPONSES, '{"id":"e1","state":"log"}'),
    publishPacket(RESPONSES, '{"id":"e1","state":"completed"}'),
  );
  await broker.inbox.seen("response d1");
  held[0]?.reject(new Error("disk full"));
  await broker.inbox.seen('response d1 {"executionId":"e1","state":"SUCCEEDED"');
  broker.inbox.release();
});

test("QoS 2 is answered after durability as well", async () => {
  const held = broker.inbox.hold();
  raw.send(publishPacket(TELEMETRY, '{"a":1}', { qos: 2, id: 5 }));
  await broker.inbox.seen("telemetry d1");
  await roundTrip();
  expect(raw.received).toEqual(["connack 0"]);
  held[0]?.resolve();
  await raw.seen("pubrec 5");
  raw.send(pubrelPacket(5));
  await raw.seen("pubcomp 5");
});

test("a repetition is marked as such", async () => {
  raw.send(publishPacket(RESPONSES, '{"id":"e1","state":"log"}', { qos: 1, dup: true }));
  expect(await broker.inbox.seen("response")).toContain('"repeated":true');
});

test("every packet is a sign of life, PINGREQ too", async () => {
  raw.send(PINGREQ);
  await raw.seen("pingresp");
  const before = broker.inbox.signs.get("d1") ?? 0;
  raw.send(PINGREQ, PINGREQ, PINGREQ);
  await raw.seen("pingresp");
  expect(broker.inbox.signs.get("d1")).toBe(before + 3);
});

test("a stop waits for what is under way, so that it is acknowledged", async () => {
  const held = broker.inbox.hold();
  raw.send(publishPacket(TELEMETRY, '{"a":1}', { qos: 1, id: 7 }));
  await broker.inbox.seen("telemetry d1");
  const stopped = broker.stop();
  held[0]?.resolve();
  await stopped;
  await raw.closed;
  expect(raw.received).toEqual(["connack 0", "puback 7"]);
});

test("a device that reconnects sends again what was not acknowledged", async () => {
  const device = await connectFakeDevice(broker.configFor("d2"), { reconnectPeriod: 10 });
  const held = broker.inbox.hold();
  const sent = device.sendTelemetry({ a: 1 });
  await broker.inbox.seen("telemetry d2");
  device.client.stream.destroy();
  await broker.inbox.seen("unreachable d2");
  broker.inbox.release();
  await sent;
  expect(held).toHaveLength(1);
  expect(broker.inbox.calls.filter((call) => call.startsWith("telemetry d2"))).toHaveLength(2);
  await device.close();
});
