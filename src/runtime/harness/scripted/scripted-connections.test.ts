import { expect, test } from "vitest";
import { createDrivers } from "#drivers/create-drivers.ts";
import { luaValueOf, plainOf } from "#drivers/lua-value.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { parseScenarios } from "#manifest/scenario/parse-scenarios.ts";
import { describeHappening, type Happening } from "#runtime/harness/scenario-event.ts";
import { createVirtualClock } from "#runtime/harness/virtual-clock.ts";
import { createScriptedPeers } from "./scripted-connections.ts";

const { blueprint } = parseManifest(
  "blueprint_spec: device/3.0\ndisplay_name: D\nruntime: {type: lua, options: {file: m.lua}}\n",
);

/** The drivers of a script whose peers are written as in a scenario. Time passes while a call waits. */
function withPeers(text: string) {
  if (blueprint === undefined) throw new Error("the manifest of this test has errors");
  const { scenarios, issues } = parseScenarios(`${text}\n`, blueprint, "peers");
  expect(issues).toEqual([]);
  const [scenario] = scenarios;
  if (scenario === undefined) throw new Error("there is no scenario");
  const clock = createVirtualClock();
  const happenings: Happening[] = [];
  const peers = createScriptedPeers(
    { timers: clock, happened: (one) => happenings.push({ ...one, at: clock.elapsed() } as Happening) },
    scenario.peers,
  );
  const drivers = createDrivers(peers.drivers(() => 0));
  async function pass(until: () => boolean): Promise<void> {
    while (!until()) {
      await new Promise((resolve) => setImmediate(resolve));
      if (until() || clock.ring()) continue;
      const next = clock.nextAt();
      if (next === undefined) throw new Error("nothing will ever happen");
      clock.moveTo(next);
    }
  }
  return {
    clock,
    peers,
    step: (index: number) => {
      for (const [name, change] of scenario.steps[index]?.set ?? []) peers.change(name, change);
      for (const [name, sent] of scenario.steps[index]?.send ?? []) peers.send(name, sent);
    },
    call: async (name: string, ...args: readonly unknown[]): Promise<unknown> => {
      let answer: { readonly value: unknown } | undefined;
      const asked = drivers.call(name, args.map(luaValueOf)).then((value) => {
        answer = { value: value.map(plainOf) };
      });
      await pass(() => answer !== undefined);
      await asked;
      return answer?.value;
    },
    happenings: () => happenings.splice(0).map(describeHappening),
    waitFor: async (ms: number) => {
      let isOver = false;
      clock.after(ms, () => {
        isOver = true;
      });
      await pass(() => isOver);
    },
  };
}

test("registers are read and written, exceptions and gaps refused, and silence takes the timeout", async () => {
  const { call, happenings, step, clock } = withPeers(`
peers: {b: {modbus: "tcp://10.0.0.5", unit: 3, holdings: {10: {float32: 51.2}, 20: {error: 4}}, coils: {0: [true, false, true]}}}
steps:
  - set: {b: silent}
  - set: {b: well}
  - set: {b: {error: cable cut}}
  - set: {b: {error: false, delay: 300ms}}
  - set: {b: {unlisted: 7}}
`);
  expect(await call("modbus.open", "tcp://10.0.0.5:502")).toEqual([0]);
  expect(await call("modbus.read", 0, "holdings", 3, 10, 2, 1000)).toEqual([[0x424c, 0xcccd]]);
  expect(await call("modbus.read", 0, "coils", 3, 0, 3, 1000)).toEqual([[1, 0, 1]]);
  expect(await call("modbus.read", 0, "holdings", 3, 20, 1, 1000)).toEqual([
    null,
    "exception 4: server device failure",
  ]);
  expect(await call("modbus.read", 0, "holdings", 3, 99, 1, 1000)).toEqual([null, "exception 2: illegal data address"]);
  expect(await call("modbus.write", 0, "holding", 3, 99, 500, 1000)).toEqual([]);
  expect(await call("modbus.read", 0, "holdings", 3, 99, 1, 1000)).toEqual([[500]]);
  expect(await call("modbus.write", 0, "holding", 3, 20, 1, 1000)).toEqual([
    null,
    "exception 4: server device failure",
  ]);
  expect(happenings()).toContain("b ← holdings 99 of unit 3 = 500");
  expect(clock.elapsed()).toBe(0);
  expect(await call("modbus.read", 0, "holdings", 9, 10, 1, 700)).toEqual([
    null,
    "no answer from unit 9 within 700 ms",
  ]);
  expect(clock.elapsed()).toBe(700);
  step(0);
  expect(await call("modbus.read", 0, "holdings", 3, 10, 1, 1000)).toEqual([null, "no answer within 1000 ms"]);
  expect(clock.elapsed()).toBe(1700);
  step(1);
  expect(await call("modbus.read", 0, "holdings", 3, 10, 1, 1000)).toEqual([[0x424c]]);
  step(2);
  expect(await call("modbus.read", 0, "holdings", 3, 10, 1, 1000)).toEqual([null, "cable cut"]);
  step(3);
  expect(await call("modbus.read", 0, "holdings", 3, 10, 1, 1000)).toEqual([[0x424c]]);
  expect(clock.elapsed()).toBe(2000);
  step(4);
  expect(await call("modbus.read", 0, "holdings", 3, 12, 2, 1000)).toEqual([[7, 7]]);
});

test("a peer at the very address goes before one that takes every address, and nobody else answers", async () => {
  const { call, happenings, peers } = withPeers(`
peers: {one: {modbus: "port://rs485", holdings: {0: 1}}, any: {modbus: any, holdings: {0: 2}}}
steps: []`);
  expect(await call("modbus.open", "port://rs485?baud_rate=9600")).toEqual([0]);
  expect(await call("modbus.open", "tcp://10.0.0.9")).toEqual([1]);
  expect(await call("modbus.read", 0, "holdings", 1, 0, 1, 1000)).toEqual([[1]]);
  expect(await call("modbus.read", 1, "holdings", 1, 0, 1, 1000)).toEqual([[2]]);
  expect(await call("http.send", "GET", "http://10.0.0.1/", [], null, 2)).toEqual([
    null,
    "no answer from http://10.0.0.1 within 2000 ms",
  ]);
  expect(happenings()).toContain("the scenario has no peer at http://10.0.0.1");
  expect(peers.strangers()).toEqual(["the scenario has no peer at http://10.0.0.1"]);
});

test("routes answer by method and path, lists one answer after the other", async () => {
  const { call, happenings } = withPeers(`
peers:
  cloud:
    http: https://api.example.com
    routes:
      GET /a: [503, {json: {ok: true}}]
      GET /items/*: {body: item, headers: {X-Test: "1"}}
      GET /q?x=1: {body: one}
      GET /late: {delay: 3s, body: late}
      GET /cut: {error: connection reset}
steps: []`);
  const get = async (path: string, method = "GET") => {
    const [answer, error] = (await call(
      "http.send",
      method,
      `https://api.example.com${path}`,
      [],
      null,
      2,
    )) as readonly [{ readonly code: number; readonly body: string } | null, string?];
    return answer === null ? error : `${answer.code} ${answer.body}`;
  };
  expect(await get("/a")).toBe("503 ");
  expect(await get("/a")).toBe('200 {"ok":true}');
  expect(await get("/a?b=1")).toBe('200 {"ok":true}');
  expect(await get("/items/5")).toBe("200 item");
  expect(await get("/q?x=1")).toBe("200 one");
  expect(await get("/q?x=2")).toBe("404 ");
  expect(await get("/a", "DELETE")).toBe("404 ");
  expect(await get("/late")).toBe("no answer within 2000 ms");
  expect(await get("/cut")).toBe("connection reset");
  expect(happenings()).toContain("cloud → 404 (no route GET /q?x=2)");
});

test("frames come at intervals, single ones by steps, and what is sent is recorded", async () => {
  const { call, step, waitFor, happenings } = withPeers(`
peers: {bus: {can: any, frames: [{id: 0x10, data: 01 02, every: 100ms}]}}
steps:
  - send: {bus: [{id: 0x20, data: [255]}]}
  - set: {bus: silent}`);
  const [port] = (await call("port.open", "can", "port://can")) as readonly [string];
  const [listener] = (await call("can.listen", port, [0x10, 0x20], 10, 0)) as readonly [number];
  await waitFor(250);
  expect(await call("can.take", port, listener, [0x10, 0x20])).toEqual([
    [["\u0001\u0002", "\u0001\u0002", "\u0001\u0002"], []],
  ]);
  step(0);
  expect(await call("can.take", port, listener, [0x20])).toEqual([[["\ufffd"]]]);
  await call("can.send", port, 5, "AB");
  expect(happenings()).toContain("bus ← frame 0x5 41 42");
  step(1);
  await waitFor(1000);
  expect(await call("can.take", port, listener, [0x10])).toEqual([[[]]]);
});

test("a serial device answers what it knows, speaks on its own, and is silent otherwise", async () => {
  const { call, step, clock } = withPeers(`
peers: {scale: {serial: any, answers: [{to: "W\\r", answer: "12.5\\r"}]}}
steps: [{send: {scale: hello}}]`);
  const [port] = (await call("port.open", "serial", "port://rs232")) as readonly [string];
  await call("serial.write", port, "W");
  await call("serial.write", port, "\r");
  expect(await call("serial.read", port, 5, 1000)).toEqual(["12.5\r"]);
  step(0);
  expect(await call("serial.read", port, 5, 1000)).toEqual(["hello"]);
  expect(await call("serial.read", port, 1, 400)).toEqual([null, "0 of 1 bytes arrived within 400 ms"]);
  expect(clock.elapsed()).toBe(400);
});

test("relays and levels keep what they are set to, and an impulse ends", async () => {
  const { call, peers, waitFor } = withPeers(`
peers:
  pump: {relay: "port://p"}
  door: {digitalin: "port://d", state: high, counter: 5}
  level: {analogin: "port://l", volts: 3.2}
steps: []`);
  const [pump] = (await call("port.open", "relay", "port://p")) as readonly [string];
  const [door] = (await call("port.open", "digitalin", "port://d")) as readonly [string];
  const [level] = (await call("port.open", "analogin", "port://l")) as readonly [string];
  expect(await call("level.read", door, "state")).toEqual([1]);
  expect(await call("level.read", door, "counter")).toEqual([5]);
  expect(await call("level.read", level, "volts")).toEqual([3.2]);
  await call("level.write", pump, "state", 1);
  expect(peers.level("pump", "state")).toBe(1);
  await call("level.impulse", pump, 500);
  expect(peers.level("pump", "state")).toBe(0);
  await waitFor(600);
  expect(peers.level("pump", "state")).toBe(1);
});

test("a broker hands messages to those who subscribed", async () => {
  const { call, step, happenings } = withPeers(`
peers: {broker: {mqtt: "mqtt://10.0.0.7"}}
steps: [{send: {broker: [{topic: a/b, json: {x: 1}}, {topic: c, payload: y}]}}]`);
  const [client] = (await call("mqtt.open", "mqtt://10.0.0.7:1883")) as readonly [number];
  await call("mqtt.subscribe", client, "a/+");
  step(0);
  const [messages] = (await call("mqtt.take", client)) as readonly [readonly { topic: string; payload: string }[]];
  expect(messages.map(({ topic, payload }) => [topic, payload])).toEqual([["a/b", '{"x":1}']]);
  await call("mqtt.publish", client, "t", "hi");
  expect(happenings()).toContain('broker ← t "hi"');
});
