// What sessions of a hub promise, run in the hub's own thread and through a channel as other threads do.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MessageChannel } from "node:worker_threads";
import { describe, expect, onTestFinished, test } from "vitest";
import { parseHardwarePort } from "#core/hardware/hardware-port.ts";
import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { simulatedPorts } from "../../test/support/drivers.ts";
import { manualTimers } from "../../test/support/manual-timers.ts";
import { readAnswer, readRequest, writeRequest } from "./modbus/pdu.ts";
import type { PortRequest, PortSession, Quantity } from "./port/port-request.ts";
import { connectPorts, servePorts } from "./port-bridge.ts";
import { createPortHub, type PortHub } from "./port-hub.ts";

type Sessions = (hub: PortHub) => (name: string) => PortSession;

const direct: Sessions = (hub) => (name) => hub.session({ id: `id-${name}`, slug: name });
const overChannel: Sessions = (hub) => {
  const { port1, port2 } = new MessageChannel();
  const stop = servePorts(hub, port1, (error) => {
    throw error;
  });
  const remote = connectPorts(port2);
  onTestFinished(() => {
    remote.close();
    stop();
  });
  return (name) => remote.session({ id: `id-${name}`, slug: name });
};

function machinePorts(...texts: readonly string[]) {
  return texts.map((text) => {
    const port = parseHardwarePort(text);
    if ("problem" in port) throw new Error(port.problem);
    return port;
  });
}

function setUp(sessions: Sessions, ...machine: readonly string[]) {
  const clock = manualTimers();
  const simulated = simulatedPorts();
  const budgets = createByteBudgets();
  const hub = createPortHub({ machine: machinePorts(...machine), simulated, timers: clock.timers, budgets });
  onTestFinished(() => hub.close());
  const used = (name: string) =>
    budgets
      .list()
      .find((buffer) => buffer.name === name)
      ?.used();
  return { clock, simulated, hub, session: sessions(hub), used };
}

const problemOf = (work: Promise<unknown>) =>
  work.then(
    (value) => `no problem but ${value}`,
    (error: Error & { code: string }) => `${error.code}: ${error.message}`,
  );
const modbus = (register: number, unit = 1): PortRequest => ({
  op: "modbus",
  unit,
  pdu: readRequest("holdings", register, 1),
  timeoutMs: 100,
});
const bytes = (...list: number[]) => Uint8Array.from(list);

describe.each([
  ["in the hub's thread", direct],
  ["over a channel", overChannel],
])("a session %s", (_, sessions) => {
  test("reads and writes registers of a simulated unit; one that is not there stays silent", async () => {
    const { simulated, session, clock } = setUp(sessions);
    const one = session("a");
    const written: unknown[] = [];
    const bank = simulated.port("rs485").unit(1);
    bank.holdings.set(7, 42);
    bank.onWrite = (table, register, values) => void written.push([table, register, values]);
    expect(readAnswer("holdings", 1, (await one.call("rs485", modbus(7))) as Uint8Array)).toEqual([42]);
    await one.call("rs485", { op: "modbus", unit: 1, pdu: writeRequest("holding", 7, [5]), timeoutMs: 100 });
    expect([written, bank.holdings.get(7)]).toEqual([[["holdings", 7, [5]]], 5]);
    const silent = problemOf(one.call("rs485", modbus(7, 9)));
    await expect.poll(() => clock.count()).toBeGreaterThan(0);
    clock.pass(100);
    expect(await silent).toBe("timeout: no answer from unit 9 within 100 ms");
    const broadcast = { op: "modbus", unit: 0, pdu: writeRequest("holding", 7, [9]), timeoutMs: 100 } as const;
    await one.call("rs485", broadcast);
    expect(bank.holdings.get(7)).toBe(9);
  });

  test("devices take turns at a port, in the order in which they came", async () => {
    const { simulated, session, clock } = setUp(sessions);
    simulated.port("rs485").unit(1).holdings.set(0, 1);
    const order: string[] = [];
    const silent = problemOf(session("a").call("rs485", modbus(0, 9))).then(() => order.push("a"));
    const others = ["b", "c"].map((name) =>
      session(name)
        .call("rs485", modbus(0))
        .then(() => order.push(name)),
    );
    // The silent one's wait for an answer, and the waits of the other two for their turns.
    await expect.poll(() => clock.count()).toBe(3);
    clock.pass(100);
    await Promise.all([silent, ...others]);
    expect(order).toEqual(["a", "b", "c"]);
  });

  test("a turn that does not come in time is given up", async () => {
    const { session, clock } = setUp(sessions);
    const long = { op: "modbus", unit: 9, pdu: readRequest("holdings", 0, 1), timeoutMs: 60_000 } as const;
    const problems = ["a", "b", "c"].map((name) => problemOf(session(name).call("rs485", long)));
    await expect.poll(() => clock.count()).toBe(3);
    // Nobody has the line for longer than this, whatever was asked for.
    clock.pass(5000);
    expect(await problems[0]).toBe("timeout: no answer from unit 9 within 5000 ms");
    await expect.poll(() => clock.count()).toBe(2);
    clock.pass(4999);
    await expect.poll(() => clock.count()).toBe(2);
    clock.pass(1);
    expect(await problems[2]).toBe("busy: the port was in use for 10000 ms");
  });

  test("more than may wait are refused", async () => {
    const { session } = setUp(sessions);
    const devices = Array.from({ length: 70 }, (_unused, at) => session(`d${at}`));
    const answers = devices.map((device) => problemOf(device.call("rs485", modbus(0, 9))));
    expect(await answers[69]).toBe("busy: 64 calls wait for the port already");
    for (const device of devices) device.close();
    await Promise.all(answers);
  });

  test("between lock and unlock no other device has the port", async () => {
    const { simulated, session } = setUp(sessions);
    const line = simulated.port("rs232").serial;
    const heard: string[] = [];
    line.onSent((data) => heard.push(Buffer.from(data).toString("latin1")));
    const [a, b] = [session("a"), session("b")];
    const write = (one: PortSession, text: string) =>
      one.call("rs232", { op: "serial.write", data: new Uint8Array(Buffer.from(text, "latin1")) });
    await a.call("rs232", { op: "serial.lock" });
    const later = write(b, "b");
    await write(a, "a1");
    line.emit(bytes(1, 2, 3));
    expect(await a.call("rs232", { op: "serial.read", count: 2, timeoutMs: 100 })).toEqual(bytes(1, 2));
    await write(a, "a2");
    await a.call("rs232", { op: "serial.unlock" });
    await later;
    expect(heard).toEqual(["a1", "a2", "b"]);
    // What was not read stays; flush forgets it.
    expect(await b.call("rs232", { op: "serial.read", count: 1, timeoutMs: 100 })).toEqual(bytes(3));
    line.emit(bytes(9));
    await b.call("rs232", { op: "serial.flush" });
    line.emit(bytes(4));
    expect(await b.call("rs232", { op: "serial.read", count: 1, timeoutMs: 100 })).toEqual(bytes(4));
  });

  test("who holds a port too long, or stops, loses it", async () => {
    const { session, clock } = setUp(sessions);
    const [a, b, c] = [session("a"), session("b"), session("c")];
    await a.call("rs232", { op: "serial.lock" });
    const second = b.call("rs232", { op: "serial.lock" });
    await expect.poll(() => clock.count()).toBe(2);
    clock.pass(4999);
    expect(clock.count()).toBe(2);
    clock.pass(1);
    await second;
    expect(await problemOf(a.call("rs232", { op: "serial.flush" }))).toBe(
      "timeout: the transaction took longer than 5000 ms",
    );
    await a.call("rs232", { op: "serial.unlock" });
    const third = c.call("rs232", { op: "serial.lock" });
    b.close();
    expect(await third).toBeUndefined();
    expect(await problemOf(b.call("rs232", { op: "serial.flush" }))).toBe("closed: the device has stopped");
  });

  test("bytes that do not come in time are an error, and stay", async () => {
    const { simulated, session, clock } = setUp(sessions);
    const one = session("a");
    const reading = problemOf(one.call("rs232", { op: "serial.read", count: 3, timeoutMs: 50 }));
    await expect.poll(() => clock.count()).toBe(1);
    simulated.port("rs232").serial.emit(bytes(7));
    clock.pass(50);
    expect(await reading).toBe("timeout: 1 of 3 bytes arrived within 50 ms");
    expect(await one.call("rs232", { op: "serial.read", count: 1, timeoutMs: 50 })).toEqual(bytes(7));
  });

  test("frames of a CAN bus are kept per id and device, with room for so many", async () => {
    const { simulated, session } = setUp(sessions);
    const bus = simulated.port("can-1").can;
    const sent: unknown[] = [];
    bus.onSent((frame) => sent.push(frame));
    const one = session("a");
    await one.call("can-1", { op: "can.send", id: 0x213, data: bytes(1, 2) });
    expect(sent).toEqual([{ id: 0x213, data: bytes(1, 2) }]);
    const listen = async (size: number, drop: "oldest" | "newest") =>
      (await one.call("can-1", { op: "can.listen", filter: { ids: [1, 2], size, drop } })) as number;
    const [latest, queue] = [await listen(1, "oldest"), await listen(2, "newest")];
    for (const at of [10, 11, 12]) bus.emit({ id: 1, data: bytes(at) });
    bus.emit({ id: 3, data: bytes(99) });
    const take = (listener: number, ...ids: number[]) => one.call("can-1", { op: "can.take", listener, ids });
    expect(await take(latest, 1, 2, 3)).toEqual([[bytes(12)], [], []]);
    expect(await take(latest, 1)).toEqual([[]]);
    expect(await take(queue, 1)).toEqual([[bytes(10), bytes(11)]]);
    const drops = () => one.call("can-1", { op: "can.drops", listener: queue, id: 1 });
    expect([await drops(), await drops()]).toEqual([1, 0]);
    // New listeners push out those that were not used for longest.
    for (let at = 0; at < 31; at++) await listen(1, "oldest");
    expect(await problemOf(take(latest, 1))).toContain("closed: this monitor or queue was closed");
    expect(await take(queue, 1)).toEqual([[]]);
  });

  test("a frame on a simulated bus reaches the other devices on it, and not its sender", async () => {
    const { session } = setUp(sessions);
    const [sender, other, third] = [session("a"), session("b"), session("c")];
    const filter = { ids: [5], size: 4, drop: "oldest" } as const;
    const listen = async (one: PortSession, port: string) => {
      const listener = (await one.call(port, { op: "can.listen", filter })) as number;
      return () => one.call(port, { op: "can.take", listener, ids: [5] });
    };
    const [own, heard, elsewhere] = [
      await listen(sender, "can-1"),
      await listen(other, "can-1"),
      await listen(third, "can-2"),
    ];
    await sender.call("can-1", { op: "can.send", id: 5, data: bytes(1, 2) });
    await sender.call("can-1", { op: "can.send", id: 6, data: bytes(3) });
    expect([await own(), await heard(), await elsewhere()]).toEqual([[[]], [[bytes(1, 2)]], [[]]]);
  });

  test("levels are read and written; an impulse ends by itself or with the next write", async () => {
    const { simulated, session, clock } = setUp(sessions);
    const { levels } = simulated.port("do-1");
    const written: unknown[] = [];
    levels.onWritten((quantity, value) => written.push([quantity, value]));
    const one = session("a");
    const read = (quantity: Quantity) => one.call("do-1", { op: "level.read", quantity });
    levels.set("volts", 3.3);
    expect([await read("volts"), await read("amps"), await read("state")]).toEqual([3.3, 0, 0]);
    await one.call("do-1", { op: "level.impulse", ms: 200 });
    expect(await read("state")).toBe(1);
    clock.pass(200);
    expect([await read("state"), await read("counter")]).toEqual([0, 1]);
    await one.call("do-1", { op: "level.impulse", ms: 200 });
    await one.call("do-1", { op: "level.write", quantity: "state", value: 1 });
    clock.pass(1000);
    expect(await read("state")).toBe(1);
    expect(written).toEqual([
      ["state", 1],
      ["state", 0],
      ["state", 1],
      ["state", 1],
    ]);
  });

  test("says what a port cannot do, and for whom it is", async () => {
    const { session } = setUp(
      sessions,
      "can-1=can:nocan0",
      "do-1=file:/nowhere/value?device=b",
      "rs485=serial:/dev/nowhere",
    );
    const [a, b] = [session("a"), session("b")];
    const open = (one: PortSession, port: string, use: "can" | "relay" | "modbus", ...parameters: [string, string][]) =>
      problemOf(one.call(port, { op: "open", use, parameters }));
    expect(await open(a, "can-1", "modbus")).toBe("unsupported: port can-1 is a CAN bus and cannot serve modbus");
    expect(await open(a, "do-1", "relay")).toContain(
      "refused: port do-1 is not for this device; the setting lua.ports",
    );
    expect(await open(b, "do-1", "relay")).toBe("no problem but undefined");
    expect(await problemOf(b.call("do-1", { op: "level.read", quantity: "state" }))).toBe(
      "connection: /nowhere/value is not there",
    );
    expect(await problemOf(b.call("do-1", { op: "level.read", quantity: "counter" }))).toBe(
      "unsupported: port do-1 has no counter",
    );
    expect(await problemOf(a.call("can-1", { op: "can.send", id: 1, data: bytes() }))).toBe(
      "connection: CAN interface nocan0 is not there",
    );
    expect(await problemOf(a.call("rs485", modbus(0)))).toBe("connection: /dev/nowhere is not there");
    expect(await open(a, "a b", "relay")).toBe('invalid: "a b" is no name of a port');
    expect(await open(a, "rs485", "modbus", ["baud", "1"])).toContain("invalid: parameter baud is unknown");
  });

  test("one name may be a port of each device, and another for all others", async () => {
    const folder = mkdtempSync(join(tmpdir(), "busbar-ports-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = (name: string, value: string) => {
      writeFileSync(join(folder, name), value);
      return `file:${join(folder, name)}`;
    };
    const { session } = setUp(
      sessions,
      `x=${file("others", "1")}`,
      `x=${file("a", "2")}?device=a`,
      `x=${file("b", "3")}?device=id-b`,
    );
    const read = (name: string) => session(name).call("x", { op: "level.read", quantity: "volts" });
    expect(await Promise.all([read("a"), read("b"), read("c"), read("a")])).toEqual([2, 3, 1, 2]);
  });

  test("the first who says how a line talks decides, for all", async () => {
    const { session } = setUp(sessions);
    const open = (name: string, baud: string) =>
      problemOf(session(name).call("rs485", { op: "open", use: "modbus", parameters: [["baud_rate", baud]] }));
    expect(await open("a", "19200")).toBe("no problem but undefined");
    expect(await open("b", "19200")).toBe("no problem but undefined");
    expect(await open("c", "9600")).toContain("refused: the port runs with baudRate 19200, not 9600");
  });

  test("a device may change what only it has said, and one that has stopped no longer counts", async () => {
    const { session } = setUp(sessions);
    const open = (device: PortSession, baud: string) =>
      problemOf(device.call("rs485", { op: "open", use: "modbus", parameters: [["baud_rate", baud]] }));
    const [a, b] = [session("a"), session("b")];
    expect(await open(a, "19200")).toBe("no problem but undefined");
    expect(await open(a, "9600")).toBe("no problem but undefined");
    expect(await open(b, "9600")).toBe("no problem but undefined");
    expect(await open(a, "19200")).toContain("not 19200; another device has set it");
    b.close();
    expect(await open(a, "19200")).toBe("no problem but undefined");
  });
});

test("when a thread ends, what its devices hold is free again", async () => {
  const { hub, session } = setUp(direct);
  const { port1, port2 } = new MessageChannel();
  servePorts(hub, port1, () => {});
  const remote = connectPorts(port2);
  const held = remote.session({ id: "x", slug: "x" });
  await held.call("rs232", { op: "serial.lock" });
  const next = session("a").call("rs232", { op: "serial.lock" });
  remote.close();
  expect(await next).toBeUndefined();
});

test("levels may be files of the kernel", async () => {
  const folder = mkdtempSync(join(tmpdir(), "busbar-levels-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [value, counter] = [join(folder, "value"), join(folder, "count")];
  writeFileSync(value, "100\n");
  writeFileSync(counter, "17\n");
  const { session } = setUp(direct, `ai-1=file:${value}?scale=0.01&offset=1&counter=${counter}`, `do-1=file:${value}`);
  const one = session("a");
  const read = (port: string, quantity: Quantity) => one.call(port, { op: "level.read", quantity });
  const write = (port: string, quantity: Quantity, level: number) =>
    one.call(port, { op: "level.write", quantity, value: level });
  expect([await read("ai-1", "volts"), await read("ai-1", "counter"), await read("do-1", "state")]).toEqual([2, 17, 1]);
  await write("ai-1", "volts", 3.5);
  await write("ai-1", "counter", 0);
  expect([readFileSync(value, "utf8").trim(), readFileSync(counter, "utf8").trim()]).toEqual(["250", "0"]);
  await write("do-1", "state", 0);
  expect(await read("do-1", "state")).toBe(0);
  writeFileSync(value, "on\n");
  expect(await problemOf(read("do-1", "state"))).toContain("holds no number");
});

test("CAN frames that nobody takes are bounded, of one device and of all", async () => {
  const { simulated, session, used } = setUp(direct);
  const bus = simulated.port("can-1").can;
  const filter = { ids: [1, 2], size: 16_384, drop: "oldest" } as const;
  const listen = (one: PortSession) => one.call("can-1", { op: "can.listen", filter });
  const greedy = session("greedy");
  const listeners = [await listen(greedy), await listen(greedy), await listen(greedy)];
  for (let n = 0; n < 10_000; n++) bus.emit({ id: 1, data: bytes(n % 256) });
  // Room for 16,384 frames of a device, although its listeners ask for 98,304.
  expect(used("can_frames")).toBe(16_384 * 128);
  const other = session("other");
  const fresh = (await listen(other)) as number;
  bus.emit({ id: 1, data: bytes(7) });
  const taken = await other.call("can-1", { op: "can.take", listener: fresh, ids: [1] });
  expect(taken).toEqual([[bytes(7)]]);
  const drops = await greedy.call("can-1", { op: "can.drops", listener: listeners[2] as number, id: 1 });
  expect(drops).toBeGreaterThan(0);
  const log = (await greedy.call("can-1", { op: "can.log", size: 16_384 })) as number;
  bus.emit({ id: 3, data: bytes(8) });
  // The listeners have left it no room.
  expect(await greedy.call("can-1", { op: "can.take_log", listener: log })).toEqual({ frames: [], dropped: 1 });
  greedy.close();
  expect(used("can_frames")).toBe(0);
});

test("bytes of calls that wait for ports are bounded", async () => {
  const { session, used, clock, simulated } = setUp(direct);
  for (let line = 0; line < 20; line += 1) simulated.port(`line-${line}`);
  const read = { op: "serial.read", count: 65_536, timeoutMs: 1_000 } as const;
  const sessions = Array.from({ length: 20 }, (_, n) => session(`d${n}`));
  const calls = sessions.flatMap((one, n) => Array.from({ length: 8 }, () => problemOf(one.call(`line-${n}`, read))));
  expect(used("port_calls")).toBeLessThanOrEqual(8 * 1024 * 1024);
  for (const one of sessions) one.close();
  const answers = await Promise.all(calls);
  expect(answers.filter((one) => one.startsWith("busy: too many bytes wait for ports")).length).toBeGreaterThan(20);
  // The reads that had begun end with their time.
  clock.pass(1_000);
  await expect.poll(() => used("port_calls")).toBe(0);
});
