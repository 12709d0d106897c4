import { expect, test } from "vitest";
import type { LuaValue } from "#drivers/lua-value.ts";
import { startDrivers } from "../../test/support/drivers.ts";
import { startModbusServer } from "../../test/support/modbus-server.ts";

const map = (fields: Readonly<Record<string, LuaValue>>) => new Map(Object.entries(fields));

test("a batch of reads has a result for each, failed or not", async () => {
  const server = await startModbusServer();
  server.unit(1).holdings.set(0, 7).set(1, 65_535);
  server.unit(1).coils.set(3, 1);
  const { drivers } = startDrivers("127.0.0.1");
  const [handle] = await drivers.call("modbus.open", [`tcp://127.0.0.1:${server.port}`]);
  const query = (type: string, reg: number, count: number, more = {}) =>
    map({ type, addr: 1, reg, count, timeout: 1000, ...more });
  const [results] = await drivers.call("modbus.read_all", [
    handle,
    [
      query("holdings", 0, 2),
      query("coils", 3, 1),
      query("inputs", 0, 1),
      query("nothing", 0, 1),
      query("holdings", 0, 200),
    ],
  ]);
  expect(results).toEqual([
    map({ data: [7, 65_535] }),
    map({ data: [1] }),
    map({ errcode: "exception", errmsg: "exception 2: illegal data address" }),
    map({ errcode: "invalid", errmsg: 'type must be one of coils, discrete_inputs, holdings, inputs, got "nothing"' }),
    map({ errcode: "invalid", errmsg: "count must be an integer from 1 to 125, got 200" }),
  ]);
});

test("a batch of writes has a result for each", async () => {
  const server = await startModbusServer();
  const bank = server.unit(1);
  for (let at = 0; at < 10; at++) {
    bank.holdings.set(at, 0);
    bank.coils.set(at, 0);
  }
  const { drivers } = startDrivers("127.0.0.1");
  const [handle] = await drivers.call("modbus.open", [`tcp://127.0.0.1:${server.port}`]);
  const query = (type: string, reg: number, more: Readonly<Record<string, LuaValue>>) =>
    map({ type, addr: 1, reg, timeout: 1000, ...more });
  const [results] = await drivers.call("modbus.write_all", [
    handle,
    [
      query("holding", 0, { value: -2 }),
      query("coil", 1, { value: true }),
      query("multiple_holdings", 2, { values: [1, 2] }),
      query("multiple_coils", 6, { values: [4, 0, 5] }),
      query("holding", 99, { value: 1 }),
      query("holding", 0, {}),
    ],
  ]);
  expect(results).toEqual([
    map({}),
    map({}),
    map({}),
    map({}),
    map({ errcode: "exception", errmsg: "exception 2: illegal data address" }),
    map({ errcode: "invalid", errmsg: "value must be an integer from -32768 to 65535, got nil" }),
  ]);
  expect([...bank.holdings.values()]).toEqual([65_534, 0, 1, 2, 0, 0, 0, 0, 0, 0]);
  expect([...bank.coils.values()]).toEqual([0, 1, 0, 0, 0, 0, 1, 0, 1, 0]);
});

test("the same address is the same handle and the same connection", async () => {
  const server = await startModbusServer();
  server.unit(1).inputs.set(0, 5);
  const { drivers } = startDrivers("127.0.0.1");
  for (let round = 0; round < 100; round++) {
    const [handle] = await drivers.call("modbus.open", [`tcp://127.0.0.1:${server.port}`]);
    expect(await drivers.call("modbus.read", [handle, "inputs", 1, 0, 1, 1000])).toEqual([[5]]);
  }
  expect(server.connections()).toBe(1);
});

test("a device has so many endpoints and no more", async () => {
  const { drivers } = startDrivers();
  for (let at = 1; at <= 64; at++)
    expect(await drivers.call("modbus.open", [`tcp://10.0.0.${at}`])).toEqual([expect.any(Number)]);
  expect(await drivers.call("modbus.open", ["tcp://10.0.0.65"])).toEqual([
    undefined,
    "a device has 64 Modbus clients at most",
  ]);
});

test.each([
  [["ftp://10.0.0.1"], '"ftp://10.0.0.1" is no connection URI such as'],
  [["tcp://"], "is no connection URI"],
  [["tcp://10.0.0.1:0"], "is no connection URI"],
  [["tcp://user@10.0.0.1"], "is no connection URI"],
  [["tcp://10.0.0.1/path"], "is no connection URI"],
  [["port://"], "is no connection URI"],
  [["port://../../dev/ttyS0"], "is no connection URI"],
  [["gio://dev/serial"], "gio:// is not supported"],
  [[""], "is no connection URI"],
  [[], "connection URI must be a string, got nil"],
  [[map({})], "connection URI must be a string, got a table"],
])("modbus.open %j says: %s", async (args, problem) => {
  const { drivers } = startDrivers();
  expect(await drivers.call("modbus.open", args)).toEqual([undefined, expect.stringContaining(problem)]);
});

test.each<[string, readonly LuaValue[], string]>([
  ["modbus.read", ["holdings", undefined, 0, 1, 1000], "unit must be an integer from 0 to 255, got nil"],
  ["modbus.read", ["holdings", 0, 0, 1, 1000], "on a line unit 0 is all units: it can be written to, not read"],
  ["modbus.read", ["holdings", 1.5, 0, 1, 1000], "unit must be an integer from 0 to 255, got 1.5"],
  ["modbus.read", ["holdings", "x", 0, 1, 1000], 'unit must be an integer from 0 to 255, got "x"'],
  ["modbus.read", ["holdings", 1, -1, 1, 1000], "register must be an integer from 0 to 65535, got -1"],
  ["modbus.read", ["holdings", 1, 65_535, 2, 1000], "registers 65535 to 65536 go beyond 65535"],
  ["modbus.read", ["holdings", 1, 0, 126, 1000], "count must be an integer from 1 to 125, got 126"],
  ["modbus.read", ["coils", 1, 0, 2001, 1000], "count must be an integer from 1 to 2000, got 2001"],
  ["modbus.read", ["holdings", 1, 0, 1, 0], "timeout must be longer than 0 ms, got 0"],
  ["modbus.read", ["holdings", 1, 0, 1, Number.NaN], "timeout must be a number, got NaN"],
  ["modbus.write", ["holding", 1, 0, 65_536, 1000], "value must be an integer from -32768 to 65535, got 65536"],
  ["modbus.write", ["multiple_holdings", 1, 0, [], 1000], "values must not be empty"],
  ["modbus.write", ["multiple_holdings", 1, 0, 7, 1000], "values must be a list, got 7"],
  [
    "modbus.write",
    ["multiple_holdings", 1, 0, new Array<number>(124).fill(0), 1000],
    "values must not have more than 123 items, got 124",
  ],
  ["modbus.write", ["multiple_coils", 1, 0, [0, "on"], 1000], 'value must be an integer from 0 to 65535, got "on"'],
])("%s %j says: %s", async (name, args, problem) => {
  const { drivers } = startDrivers();
  const [handle] = await drivers.call("modbus.open", ["port://rs485"]);
  expect(await drivers.call(name, [handle, ...args])).toEqual([undefined, problem]);
});

test("numbers may come as text, as everywhere in Lua", async () => {
  const { drivers, simulated } = startDrivers();
  simulated.port("rs485").unit(3).holdings.set(16, 9);
  const [handle] = await drivers.call("modbus.open", ["port://rs485?baud_rate=9600"]);
  expect(await drivers.call("modbus.read", [handle, "holdings", "3", "0x10", "1", "500"])).toEqual([[9]]);
});

test.each<[string, readonly LuaValue[], string]>([
  ["port.open", ["relay", "tcp://10.0.0.1:502"], '"tcp://10.0.0.1:502" is no port; its form is port://NAME'],
  ["serial.read", ["rs232", 0, 100], "count must be an integer from 1 to 65536, got 0"],
  ["serial.write", ["rs232", undefined], "data must be a string, got nil"],
  ["can.send", ["can-1", 0x20000000, ""], "CAN id must be an integer from 0 to 536870911, got 536870912"],
  ["can.send", ["can-1", 1, "Hello World"], "data must not be longer than 8 bytes, got 11"],
  ["can.listen", ["can-1", [], 1], "ids must not be empty"],
  ["can.listen", ["can-1", [1, 2], 8193, 0], "size must be an integer from 1 to 8192, got 8193"],
  ["can.listen", ["can-1", [1], 1, 2], "policy must be an integer from 0 to 1, got 2"],
  ["level.write", ["do-1", "state", 2], "state must be an integer from 0 to 1, got 2"],
  ["level.write", ["ao-1", "volts", "high"], 'volts must be a number, got "high"'],
  ["level.impulse", ["do-1", 0], "duration must be more than 0 and at most 3600000 ms, got 0"],
])("%s %j says: %s", async (name, args, problem) => {
  const { drivers } = startDrivers();
  expect(await drivers.call(name, args)).toEqual([undefined, problem]);
});

test("after closing every call says so", async () => {
  const { drivers } = startDrivers();
  const waiting = drivers.call("serial.read", ["rs232", 1, 60_000]);
  drivers.close();
  expect(await waiting).toEqual([undefined, "the device has stopped"]);
  expect(await drivers.call("level.read", ["do-1", "state"])).toEqual([undefined, "the device has stopped"]);
});

test("no more calls are under way at once than may be", async () => {
  const { drivers } = startDrivers();
  const calls = Array.from({ length: 17 }, () => drivers.call("serial.read", ["rs232", 1, 60_000]));
  expect(await calls[16]).toEqual([undefined, "16 calls are under way already"]);
  drivers.close();
  await Promise.all(calls);
});
