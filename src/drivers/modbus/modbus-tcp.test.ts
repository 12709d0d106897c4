import type { lookup } from "node:dns";
import { expect, onTestFinished, test } from "vitest";
import type { ModbusConnection } from "#drivers/modbus/modbus-connection.ts";
import { createReach } from "#drivers/net/create-reach.ts";
import { realTimers } from "#drivers/timers.ts";
import { reachRules } from "../../../test/support/drivers.ts";
import { startModbusServer } from "../../../test/support/modbus-server.ts";
import { createModbusTcp } from "./modbus-tcp.ts";
import { readAnswer, readRequest } from "./pdu.ts";

const LOOPBACK = reachRules("127.0.0.0/8");

function open(
  port: number,
  { host = "127.0.0.1", rules = LOOPBACK, addresses = ["127.0.0.1"] } = {},
): ModbusConnection {
  const wire = createModbusTcp(
    { reach: createReach({ rules: () => rules, lookUp: resolver(addresses) }), timers: realTimers },
    host,
    port,
  );
  onTestFinished(() => wire.close());
  return wire;
}

/** A resolver that gives these addresses for every name. */
function resolver(addresses: readonly string[]): typeof lookup {
  const answer = (_: unknown, __: unknown, callback: (error: null, found: object) => void) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  return answer as unknown as typeof lookup;
}

const read = async (wire: ModbusConnection, register: number, { unit = 1, timeoutMs = 5000 } = {}) =>
  readAnswer("holdings", 1, await wire.request(unit, readRequest("holdings", register, 1), timeoutMs))[0];
const problemOf = (work: Promise<unknown>) =>
  work.then(
    (value) => `no problem but ${value}`,
    (error: Error & { code: string }) => `${error.code}: ${error.message}`,
  );

async function server() {
  const started = await startModbusServer();
  for (let at = 0; at < 100; at++) started.unit(1).holdings.set(at, at * 10);
  return started;
}

test("many requests share a connection, one at a time and each with its own answer", async () => {
  const peer = await server();
  const wire = open(peer.port);
  const values = await Promise.all(Array.from({ length: 50 }, (_, at) => read(wire, at)));
  expect(values).toEqual(Array.from({ length: 50 }, (_, at) => at * 10));
  expect([peer.connections(), peer.mostAtOnce()]).toEqual([1, 1]);
});

test("answers that come byte by byte are put together", async () => {
  const peer = await server();
  peer.isSplit = true;
  const wire = open(peer.port);
  expect([await read(wire, 1), await read(wire, 2)]).toEqual([10, 20]);
});

test("an answer to another request is passed over", async () => {
  const peer = await server();
  peer.faults.push("wrong-transaction");
  expect(await read(open(peer.port), 7)).toBe(70);
});

test("with nothing but answers to other requests the time runs out", async () => {
  const peer = await server();
  peer.faults.push("only-wrong-transaction");
  expect(await problemOf(read(open(peer.port), 7, { timeoutMs: 50 }))).toMatch(
    /^timeout: no answer from .* within 50 ms/,
  );
});

test("an answer that comes too late is not taken for the next one", async () => {
  const peer = await server();
  const wire = open(peer.port);
  peer.faults.push("late");
  expect(await problemOf(read(wire, 1, { timeoutMs: 50 }))).toContain("timeout");
  const next = read(wire, 2);
  peer.release();
  expect([await next, peer.connections()]).toEqual([20, 1]);
});

test("a connection without answers is given up and made anew", async () => {
  const peer = await server();
  const wire = open(peer.port);
  peer.faults.push("silent", "silent");
  expect(await problemOf(read(wire, 1, { timeoutMs: 30 }))).toContain("timeout");
  expect(await problemOf(read(wire, 1, { timeoutMs: 30 }))).toContain("timeout");
  expect([await read(wire, 3), peer.connections()]).toEqual([30, 2]);
});

test("a request that waits behind a silent one has its own time", async () => {
  const peer = await server();
  const wire = open(peer.port);
  peer.faults.push("silent");
  const [first, second] = [read(wire, 1, { timeoutMs: 60 }), read(wire, 2, { timeoutMs: 5000 })];
  expect([await problemOf(first), await second]).toEqual([expect.stringContaining("timeout"), 20]);
});

test("a server that closes the connection fails what is under way, and is connected to again", async () => {
  const peer = await server();
  const wire = open(peer.port);
  peer.faults.push("close");
  expect(await problemOf(read(wire, 1))).toMatch(/^connection: 127.0.0.1:\d+ closed the connection/);
  expect([await read(wire, 1), peer.connections()]).toEqual([10, 2]);
  peer.disconnect();
  await expect.poll(async () => await read(wire, 4).catch(() => undefined)).toBe(40);
});

test("what is not Modbus ends the connection", async () => {
  const peer = await server();
  const wire = open(peer.port);
  peer.faults.push("garbage");
  expect(await problemOf(read(wire, 1))).toMatch(/^answer: what 127.0.0.1:\d+ answers is not Modbus/);
  expect(await read(wire, 1)).toBe(10);
});

test.each([
  ["wrong-function", "the answer is for function 43, not 3"],
  ["short", "the answer has 1 bytes of data instead of 2"],
] as const)("an answer that is %s is refused, and the connection stays", async (fault, problem) => {
  const peer = await server();
  const wire = open(peer.port);
  peer.faults.push(fault);
  expect(await problemOf(read(wire, 1))).toBe(`answer: ${problem}`);
  expect([await read(wire, 1), peer.connections()]).toEqual([10, 1]);
});

test("exceptions of the server are explained in words", async () => {
  const wire = open((await server()).port);
  expect(await problemOf(read(wire, 5000))).toBe("exception: exception 2: illegal data address");
  expect(await problemOf(read(wire, 0, { unit: 9 }))).toBe(
    "exception: exception 11: gateway target device failed to respond",
  );
});

test("a server that is not there is tried again after a pause, in which requests fail at once", async () => {
  const peer = await server();
  const { port } = peer;
  await peer.stop();
  let now = 0;
  const reach = createReach({ rules: () => LOOPBACK });
  let attempts = 0;
  const counted = {
    ...reach,
    check: (host: string, at: number) => {
      attempts++;
      reach.check(host, at);
    },
  };
  const wire = createModbusTcp({ reach: counted, timers: { ...realTimers, elapsed: () => now } }, "127.0.0.1", port);
  onTestFinished(() => wire.close());
  const problem = `connection: 127.0.0.1:${port}: the connection was refused`;
  const tries: number[] = [];
  for (const at of [0, 100, 201, 500, 602, 1300, 1403]) {
    now = at;
    expect(await problemOf(read(wire, 1))).toBe(problem);
    tries.push(attempts);
  }
  expect(tries).toEqual([1, 1, 2, 2, 3, 3, 4]);
});

test("more requests than may wait are refused at once", async () => {
  const peer = await server();
  const wire = open(peer.port);
  peer.faults.push("late");
  const waiting = Array.from({ length: 80 }, () => read(wire, 1));
  const settled = Promise.allSettled(waiting);
  expect(await problemOf(waiting[79] ?? Promise.resolve())).toMatch(/^busy: 64 requests wait/);
  await expect.poll(() => peer.seen.length).toBe(1);
  peer.release();
  expect((await settled).filter(({ status }) => status === "fulfilled").length).toBeGreaterThanOrEqual(64);
});

test("closing ends what waits", async () => {
  const peer = await server();
  const wire = open(peer.port);
  peer.faults.push("silent");
  const problem = problemOf(read(wire, 1));
  wire.close();
  expect(await problem).toBe("closed: the connection was closed");
  expect(await problemOf(read(wire, 1))).toBe("closed: the connection was closed");
});

test.each([
  ["127.0.0.1", ["private", "public", "0.0.0.0/0"]],
  ["localhost", ["private", "public", "0.0.0.0/0"]],
  ["plc.lan", ["plc.lan", "private"]],
  ["::ffff:127.0.0.1", ["0.0.0.0/0"]],
  ["[::1]", ["::/0"]],
])("%s is not reached with the rules %j", async (host, rules) => {
  const peer = await server();
  const wire = open(peer.port, { host, rules: reachRules(...rules) });
  expect(await problemOf(read(wire, 1))).toMatch(/^refused: .* is not allowed for this device; the setting lua.allow/);
  expect(peer.connections()).toBe(0);
});

test.each([
  ["localhost", ["localhost"]],
  ["plc.lan", ["127.0.0.1"]],
  ["::ffff:127.0.0.1", ["127.0.0.1"]],
])("%s is reached with the rules %j", async (host, rules) => {
  const peer = await server();
  expect(await read(open(peer.port, { host, rules: reachRules(...rules) }), 6)).toBe(60);
});

test("of several addresses only an allowed one is connected to", async () => {
  const peer = await server();
  const wire = open(peer.port, { host: "plc.lan", addresses: ["169.254.169.254", "127.0.0.1"] });
  expect(await read(wire, 6)).toBe(60);
});
