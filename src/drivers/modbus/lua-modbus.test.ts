// Modbus as scripts see it: real Lua, real drivers, real peers. Calls are written as published scripts write them.
import { expect, test } from "vitest";
import { runDriven } from "../../../test/support/driven-script.ts";
import { startDrivers } from "../../../test/support/drivers.ts";
import { startModbusServer } from "../../../test/support/modbus-server.ts";

async function modbusSite() {
  const server = await startModbusServer();
  const bank = server.unit(1);
  for (let at = 0; at < 20; at++) {
    bank.holdings.set(at, at);
    bank.inputs.set(at, 100 + at);
    bank.coils.set(at, at % 2);
    bank.discreteInputs.set(at, (at + 1) % 2);
  }
  bank.holdings.set(10, 0x4248).set(11, 0);
  const site = startDrivers("127.0.0.1");
  const run = (body: string) =>
    runDriven(site, `local client, err = modbus.new('tcp://127.0.0.1:${server.port}')\n${body}`);
  return { server, bank, run };
}

test("modbus reads the four tables", async () => {
  const { run } = await modbusSite();
  expect(
    await run(`return client:read_holdings(1, 3, 2, 1000), client:read_inputs(1, 3, 2, 1000),
      client:read_coils(1, 3, 3, 1000), client:read_discrete_inputs(1, 3, 3, 1000)`),
  ).toEqual(["{3, 4}", "{103, 104}", "{0, 1, 1}", "{0, 0, 1}"]);
});

test("modbus numbers are integers that pack and shift", async () => {
  const { run } = await modbusSite();
  expect(
    await run(`local reg = client:read_holdings(1, 10, 2, 1000)
      local raw = string.pack('BBBB', reg[1]>>8, reg[1]&0xff, reg[2]>>8, reg[2]&0xff)
      return math.type(reg[1]), #reg, string.unpack('>f', raw)`),
  ).toEqual(["integer", "2", "50.0", "5"]);
});

test("modbus writes answer nil, or what went wrong", async () => {
  const { run, bank } = await modbusSite();
  expect(
    await run(`return client:write_holding(1, 0, 12, 500), client:write_coil(1, 0, 1, 500),
      client:write_multiple_holdings(1, 1, {14, 15}, 500), client:write_multiple_coils(1, 1, {0, 1}, 500),
      client:write_holding(1, 900, 1, 500), client:write_holding(1, 0, 'much', 500)`),
  ).toEqual([
    ...["nil", "nil", "nil", "nil"],
    "exception 2: illegal data address",
    'value must be an integer from -32768 to 65535, got "much"',
  ]);
  expect([0, 1, 2].map((at) => [bank.holdings.get(at), bank.coils.get(at)])).toEqual([
    [12, 1],
    [14, 0],
    [15, 1],
  ]);
});

test("a batch of reads has a result for each query, with numbers by index too", async () => {
  const { run } = await modbusSite();
  expect(
    await run(`local queries = {
        { type='inputs', addr=1, reg=0, count=2, timeout=500 },
        { type='holdings', addr=1, reg=500, count=2, timeout=500 },
        { type='coils',  addr=1, reg=6, count=2, timeout=500 },
      }
      local results, err = client:read(queries)
      local sum = 0
      for _, v in ipairs(results[1]) do sum = sum + v end
      return err, #results, results[1].data, results[1][2], #results[1], sum, results[1].errmsg,
        results[2].errmsg, results[2].errcode, results[2].data, results[3].data, json.encode(results[1])`),
  ).toEqual([
    ...["nil", "3", "{100, 101}", "101", "2", "201", "nil"],
    ...["exception 2: illegal data address", "exception", "nil", "{0, 1}", '{"data":[100,101]}'],
  ]);
});

test("a batch of writes has a result for each query", async () => {
  const { run, bank } = await modbusSite();
  expect(
    await run(`local results, err = client:write({
        { type="holding", addr=1, reg=0, value=2, timeout=500 },
        { type="multiple_coils", addr=1, reg=6, values={4,5}, timeout=500 },
        { type="holding", addr=1, reg=900, value=2, timeout=500 },
      })
      return err, #results, results[1].errmsg, results[2].errmsg, results[3].errmsg`),
  ).toEqual(["nil", "3", "nil", "nil", "exception 2: illegal data address"]);
  expect([bank.holdings.get(0), bank.coils.get(6), bank.coils.get(7)]).toEqual([2, 1, 1]);
});

test("what is wrong with a modbus call is reported", async () => {
  const { run, server } = await modbusSite();
  server.faults.push("silent");
  expect(
    await run(`local _, slow = client:read_holdings(1, 0, 1, 50)
      local _, count = client:read_holdings(1, 0, 1000, 50)
      local _, queries = client:read('all')
      local nothing, uri = modbus.new('rs485')
      local ok, colon = pcall(client.read_holdings, 1, 0, 1)
      return slow, count, queries, nothing, uri, ok, colon`),
  ).toEqual([
    `no answer from 127.0.0.1:${server.port} within 50 ms`,
    "count must be an integer from 1 to 125, got 1000",
    'queries must be a list, got "all"',
    "nil",
    '"rs485" is no connection URI such as tcp://192.168.1.10:502 or port://rs485',
    "false",
    expect.stringContaining("call it with a colon: client:read_holdings(...)"),
  ]);
});

test("a host that is not allowed is refused in words that name the setting", async () => {
  const site = startDrivers();
  expect(await runDriven(site, "return modbus.new('tcp://10.0.0.5:502'):read_holdings(1, 0, 1, 500)")).toEqual([
    "nil",
    "10.0.0.5:502 is not allowed for this device; the setting lua.allow says what is",
  ]);
});

test("modbus over a port is the same client", async () => {
  const site = startDrivers();
  site.simulated.port("rs485-1").unit(7).inputs.set(0, 9);
  expect(
    await runDriven(
      site,
      `local client = modbus.new('port://rs485-1')
      local results = client:read({ { type='inputs', addr=7, reg=0, count=1, timeout=500 }, { type='inputs', addr=8, reg=0, count=1, timeout=30 } })
      return client:read_inputs(7, 0, 1, 500), results[1].data, results[2].errmsg`,
    ),
  ).toEqual(["{9}", "{9}", "no answer from unit 8 within 30 ms"]);
});
