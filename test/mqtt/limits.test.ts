import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startTestBroker, type TestBroker } from "../support/embedded-broker.ts";
import {
  connectPacket,
  connectRaw,
  headerOnly,
  PINGREQ,
  publishPacket,
  signInRaw,
  subscribePacket,
} from "../support/raw-mqtt.ts";

const TELEMETRY = "v1/from/HW1/main/v1/telemetry";
const KIB = 1024;

describe("with the usual limits", () => {
  let broker: TestBroker;
  beforeEach(async () => {
    broker = await startTestBroker();
  });
  afterEach(() => broker.stop());

  test.each([
    ["a first packet that is not CONNECT", PINGREQ],
    ["a PUBLISH as the first packet", publishPacket(TELEMETRY, "{}")],
    ["a CONNECT of 256 MiB", headerOnly(0x10, 268_435_455)],
    ["a CONNECT of 100 KiB", headerOnly(0x10, 100 * KIB)],
    ["a length of five bytes", Buffer.from([0x10, 0xff, 0xff, 0xff, 0xff, 0x01])],
    ["another protocol's greeting", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
  ])("%s ends the connection at once", async (_what, bytes) => {
    const raw = await connectRaw(broker.port, bytes);
    await raw.closed;
    expect(raw.received).toEqual([]);
  });

  test("a control packet that is too large ends the connection", async () => {
    const raw = await signInRaw(broker.port, 1);
    raw.send(headerOnly(0x82, 200 * KIB));
    await raw.closed;
  });

  test.each([256 * KIB - 8, 256 * KIB])("a payload of %i bytes is read", async (size) => {
    const raw = await signInRaw(broker.port, 1);
    raw.send(publishPacket(TELEMETRY, `{"a":"${"x".repeat(size - 8)}"}`, { qos: 1, id: 3 }));
    await raw.seen("puback 3");
    expect(await broker.inbox.seen("telemetry d1")).toContain("xxx");
    await raw.end();
  });

  test.each([256 * KIB + 1, 300 * KIB, 5 * KIB * KIB])(
    "a payload of %i bytes is acknowledged, reported, and never held in whole",
    async (size) => {
      const raw = await signInRaw(broker.port, 1);
      const packet = publishPacket(TELEMETRY, `{"a":"${"x".repeat(size - 8)}"}`, { qos: 1, id: 3 });
      // In uneven pieces, so that packets and chunks do not coincide.
      for (let at = 0; at < packet.length; at += 99_991) raw.send(packet.subarray(at, at + 99_991));
      raw.send(publishPacket(TELEMETRY, '{"after":true}', { qos: 1, id: 4 }));
      await raw.seen("puback 4");
      expect(raw.received).toEqual(["connack 0", "puback 3", "puback 4"]);
      expect(broker.inbox.calls).toEqual([
        `malformed d1 message on "${TELEMETRY}": is larger than 256 KiB`,
        'telemetry d1 {"values":{"after":true}}',
      ]);
      await raw.end();
    },
  );

  test("packets that arrive byte by byte are read all the same", async () => {
    const raw = await connectRaw(broker.port);
    raw.socket.setNoDelay(true);
    const message = publishPacket(TELEMETRY, `{"a":"${"y".repeat(200)}"}`, { qos: 1, id: 6 });
    const login = connectPacket({ username: "HW1", password: "secret1" });
    for (const byte of Buffer.concat([login, message, PINGREQ])) {
      raw.send(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await raw.seen("pingresp");
    expect(raw.received).toEqual(["connack 0", "puback 6", "pingresp"]);
    await raw.end();
  });

  test("a connection has at most 16 subscriptions, and one of them may be renewed", async () => {
    const raw = await signInRaw(broker.port, 1);
    const filters = Array.from({ length: 20 }, (_, index) => `v1/to/HW1/main/x${index}`);
    raw.send(subscribePacket(1, filters), subscribePacket(2, ["v1/to/HW1/main/x0"]));
    const codes = (await raw.seen("suback 1")).split(" ")[2]?.split(",");
    expect(codes).toEqual([...new Array<string>(16).fill("1"), ...new Array<string>(4).fill("128")]);
    expect(await raw.seen("suback 2")).toBe("suback 2 1");
    await raw.end();
  });

  test("of five connections of one device the oldest goes, and those of others stay", async () => {
    const other = await signInRaw(broker.port, 2);
    const open = [];
    for (let count = 0; count < 5; count += 1) open.push(await signInRaw(broker.port, 1));
    await open[0]?.closed;
    expect(open.map(({ socket }) => socket.destroyed)).toEqual([true, false, false, false, false]);
    expect(other.socket.destroyed).toBe(false);
    expect(broker.count()).toBe(5);
    await Promise.all([other, ...open].map((raw) => raw.end()));
  });

  test("a device that does not read gets no more commands once a mebibyte waits for it", async () => {
    const raw = await signInRaw(broker.port, 1);
    raw.send(subscribePacket(1, ["v1/to/HW1/main/#"], 0));
    await raw.seen("suback");
    raw.socket.pause();
    const large = { id: "e1", name: "start", arguments: { text: "z".repeat(100 * KIB) } };
    let sent = 0;
    while (broker.channel.isReady("d1")) {
      await broker.channel.send("d1", large);
      sent += 1;
      expect(sent).toBeLessThan(500);
    }
    expect(await broker.channel.send("d1", large)).toBe("not_sent");
    raw.socket.resume();
    for (let seen = 0; seen < sent; seen += 1) await raw.seen("publish");
    expect(broker.channel.isReady("d1")).toBe(true);
    await raw.end();
  });

  test("a service that is slow is read no further, and nothing is lost", async () => {
    broker.inbox.hold();
    const raw = await signInRaw(broker.port, 1);
    const payload = `{"a":"${"x".repeat(30 * KIB)}"}`;
    const packets = Array.from({ length: 400 }, (_, index) =>
      publishPacket(TELEMETRY, payload, { qos: 1, id: index + 1 }),
    );
    raw.send(...packets);
    await broker.inbox.seen("telemetry d1");
    const other = await signInRaw(broker.port, 2);
    other.send(PINGREQ);
    await other.seen("pingresp");
    // A few packets were in the chunk that is being worked on; the others wait in the network.
    expect(broker.inbox.calls.length).toBeLessThan(50);
    broker.inbox.release();
    await raw.seen("puback 400");
    expect(broker.inbox.calls).toHaveLength(400);
    await raw.end();
    await other.end();
  });
});

test("over its rate a device is slowed down, not cut off, and others are not", async () => {
  let now = 1_000_000;
  const broker = await startTestBroker({ messageRate: 50 }, { now: () => now as never });
  const raw = await signInRaw(broker.port, 1);
  const packets = Array.from({ length: 150 }, (_, index) => publishPacket(TELEMETRY, "{}", { qos: 1, id: index + 1 }));
  raw.send(...packets);
  await raw.seen("puback 100");
  const other = await signInRaw(broker.port, 2);
  other.send(publishPacket("v1/from/HW2/main/v1/telemetry", "{}", { qos: 1, id: 1 }));
  await other.seen("puback 1");
  // The clock stands still, so that each further message waits longer than the one before.
  expect(raw.received).not.toContain("puback 150");
  now += 10_000;
  await raw.seen("puback 150");
  await raw.end();
  await other.end();
  await broker.stop();
});

test("a reconnect does not refill what a device may send", async () => {
  let now = 1_000_000;
  const broker = await startTestBroker({ messageRate: 10 }, { now: () => now as never });
  const first = await signInRaw(broker.port, 1);
  first.send(...Array.from({ length: 20 }, (_, index) => publishPacket(TELEMETRY, "{}", { qos: 1, id: index + 1 })));
  await first.seen("puback 20");
  await first.end();
  const second = await signInRaw(broker.port, 1);
  second.send(...Array.from({ length: 20 }, (_, index) => publishPacket(TELEMETRY, "{}", { qos: 1, id: index + 1 })));
  const other = await signInRaw(broker.port, 2);
  other.send(PINGREQ);
  await other.seen("pingresp");
  expect(second.received).not.toContain("puback 20");
  now += 10_000;
  await second.seen("puback 20");
  await second.end();
  await other.end();
  await broker.stop();
});

test("of too many connections that have not signed in the oldest goes, and a device still gets in", async () => {
  const broker = await startTestBroker({ unauthenticatedConnections: 5 });
  const strangers = [];
  for (let count = 0; count < 8; count += 1) strangers.push(await connectRaw(broker.port));
  const device = await signInRaw(broker.port, 1);
  await Promise.all(strangers.slice(0, 4).map(({ closed }) => closed));
  expect(strangers.map(({ socket }) => socket.destroyed)).toEqual([true, true, true, true, false, false, false, false]);
  await device.end();
  await broker.stop();
  await Promise.all(strangers.map(({ closed }) => closed));
});

test("a flood of connections from one address pushes out its own, not those of another that is about to sign in", async () => {
  const broker = await startTestBroker({ unauthenticatedConnections: 20, unauthenticatedPerAddress: 15 });
  const honest = await connectRaw(broker.port);
  const flood = Array.from({ length: 100 }, () =>
    connect({ port: broker.port, host: "127.0.0.1", localAddress: "127.0.0.2" }).on("error", () => {}),
  );
  const closed = flood.map((socket) => new Promise((resolve) => socket.resume().on("close", resolve)));
  await Promise.all(closed.slice(0, 50));
  honest.send(connectPacket({ username: "HW1", password: "secret1" }));
  await honest.seen("connack 0");
  await honest.end();
  await broker.stop();
  await Promise.all(closed);
});
