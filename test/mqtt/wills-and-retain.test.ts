import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestBroker, type TestBroker } from "../support/embedded-broker.ts";
import { DISCONNECT, PINGREQ, publishPacket, type RawMqtt, signInRaw, subscribePacket } from "../support/raw-mqtt.ts";

let broker: TestBroker;
let witness: RawMqtt;
beforeEach(async () => {
  broker = await startTestBroker();
  witness = await signInRaw(broker.port, 2);
  witness.send(subscribePacket(1, ["v1/to/HW2/main/#"]));
  await witness.seen("suback 1");
});
afterEach(async () => {
  // Whatever was tried, another device has seen nothing of it.
  witness.send(PINGREQ);
  await witness.seen("pingresp");
  expect(witness.received.filter((one) => one.startsWith("publish"))).toEqual([]);
  expect(broker.inbox.calls.filter((call) => / d2 /.test(call))).toEqual([]);
  await witness.end();
  await broker.stop();
});

test("a will on the device's own topic is one of its messages", async () => {
  const will = { topic: "v1/from/HW1/main/v3/logs", payload: '{"message":"lost power"}', qos: 1, retain: true };
  const raw = await signInRaw(broker.port, 1, { will });
  await raw.end();
  expect(await broker.inbox.seen("log d1")).toBe('log d1 {"severity":"info","text":"lost power","persist":false}');
});

test("a will is dropped by a polite goodbye", async () => {
  const will = { topic: "v1/from/HW1/main/v3/logs", payload: '{"message":"lost power"}' };
  const raw = await signInRaw(broker.port, 1, { will });
  raw.send(DISCONNECT);
  await raw.closed;
  await broker.inbox.seen("unreachable d1");
  expect(broker.inbox.calls.filter((call) => call.startsWith("log"))).toEqual([]);
});

test.each([
  "v1/from/HW2/main/v1/telemetry",
  "v1/to/HW2/main/v1/command/requests",
  "v1/to/HW1/main/v1/command/requests",
  "$SYS/x",
  "v1/from/HW1/other/v1/telemetry",
])("a will on %s is reported as malformed and goes nowhere", async (topic) => {
  const raw = await signInRaw(broker.port, 1, { will: { topic, payload: '{"id":"x","name":"start"}', retain: true } });
  await raw.end();
  expect(await broker.inbox.seen("malformed d1")).toContain("is not a topic of this device");
});

test.each(["v1/from/+/main/v1/telemetry", "v1/to/#", "#"])("a will on the wildcard %s goes nowhere", async (topic) => {
  const raw = await signInRaw(broker.port, 1, { will: { topic, payload: "{}", retain: true } });
  await raw.end();
  await broker.inbox.seen("unreachable d1");
  expect(broker.inbox.calls.filter((call) => call.startsWith("telemetry"))).toEqual([]);
});

test("a will of a device that never signed in is not published", async () => {
  const login = {
    username: "HW1",
    password: "wrong",
    will: { topic: "v1/from/HW1/main/v3/logs", payload: '{"message":"x"}' },
  };
  await expect(Promise.race([signInRaw(broker.port, 1, login), broker.inbox.seen("log d1"), settled()])).resolves.toBe(
    "quiet",
  );
});

test("a retained message is taken once and kept nowhere", async () => {
  const raw = await signInRaw(broker.port, 1);
  raw.send(publishPacket("v1/from/HW1/main/v1/telemetry", '{"a":1}', { qos: 1, id: 1, retain: true }));
  raw.send(publishPacket("v1/to/HW2/main/v1/command/requests", '{"id":"x"}', { qos: 1, id: 2, retain: true }));
  raw.send(publishPacket("v1/to/HW1/main/v1/command/requests", '{"id":"x"}', { qos: 1, id: 3, retain: true }));
  await raw.seen("puback 3");
  raw.send(subscribePacket(4, ["v1/to/HW1/main/#"]), PINGREQ);
  await raw.seen("pingresp");
  witness.send(subscribePacket(5, ["v1/to/HW2/main/#"]));
  await witness.seen("suback 5");
  expect(raw.received.filter((one) => one.startsWith("publish"))).toEqual([]);
  expect(broker.inbox.calls.filter((call) => call.startsWith("malformed"))).toHaveLength(2);
  await raw.end();
});

/** Another device's round trip: what the broker had to do before is done. */
async function settled(): Promise<"quiet"> {
  for (let count = 0; count < 3; count += 1) {
    const raw = await signInRaw(broker.port, 3);
    await raw.end();
  }
  return "quiet";
}
