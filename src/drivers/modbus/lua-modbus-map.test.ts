// Register maps and SunSpec as scripts see them: real Lua, real drivers, a real server.
import { expect, test } from "vitest";
import { runDriven } from "../../../test/support/driven-script.ts";
import { startDrivers } from "../../../test/support/drivers.ts";
import { startModbusServer } from "../../../test/support/modbus-server.ts";
import { playSunSpec } from "../../../test/support/sunspec-server.ts";

async function mapSite() {
  const server = await startModbusServer();
  const bank = server.unit(1);
  for (let at = 0; at < 20; at++) bank.holdings.set(at, 100 + at);
  bank.coils.set(3, 1);
  const site = startDrivers("127.0.0.1");
  const run = (body: string) => runDriven(site, `local uri = 'tcp://127.0.0.1:${server.port}'\n${body}`);
  return { server, bank, run };
}

test("a map that is a table reads values by name, in as few requests as possible", async () => {
  const { run, server } = await mapSite();
  expect(
    await run(`local map = modbus.map({
      connection = uri,
      telemetry = { power = { address = 0, scale = 0.1 }, on = { address = 3, kind = 'coil' },
        status = { address = 9, enum = { [109] = 'running' } } },
      properties = { serial = { address = 2 } },
    })
    local reading = map:read()
    return reading.telemetry, reading.properties, #reading.failures, reading.is_silent`),
  ).toEqual(["{on=true, power=10, status=running}", "{serial=102}", "0", "false"]);
  expect(server.seen).toEqual(["1:1", "1:3"]);
});

test("a map may be a text, and take its connection from the script", async () => {
  const { run, bank } = await mapSite();
  expect(
    await run(`local map = assert(modbus.map([[
commands:
  set_power: {arguments: {power: {address: 5, scale: 0.1}}, values: {on: {address: 3, kind: coil, value: false}}}
]], uri))
    return map:write('set_power', { power = 12.5 }), map:write('set_power', { power = -1 }), map:write('stop')`),
  ).toEqual(["nil", "power must lie between 0 and 65535, not -10", 'the map has no command "stop"']);
  expect([bank.holdings.get(5), bank.coils.get(3)]).toEqual([125, 0]);
});

test("a wrong map and a missing connection are texts that say what is wrong", async () => {
  const { run } = await mapSite();
  expect(
    await run(`local _, wrong = modbus.map({ telemetry = { power = { adress = 0 } } })
    local map = modbus.map({ telemetry = { power = { address = 0 } } })
    local _, missing = map:read()
    local other = modbus.map({ connection = 'tcp://\${net.host}', telemetry = { power = { address = 0 } } })
    local _, setting = other:read()
    return wrong, missing, setting`),
  ).toEqual([
    expect.stringContaining('/telemetry/power/adress: A register has no key "adress". Did you mean address?'),
    "the map has no connection; give its URI",
    "net.host is not configured",
  ]);
});

test("a script opens 16 maps at most, and the same one as often as it likes", async () => {
  const { run } = await mapSite();
  expect(
    await run(`local opened, err = 0, nil
    for round = 1, 2 do
      for at = 1, 17 do
        local map
        map, err = modbus.map({ telemetry = { power = { address = at } } })
        if map then opened = opened + 1 end
      end
    end
    return opened, err`),
  ).toEqual(["32", "a device opens 16 register maps at most, wrong ones included"]);
});

test("wrong maps count, so that a script cannot have them read without end; one of them is wrong as often as it is opened", async () => {
  const { run } = await mapSite();
  expect(
    await run(`local errors = {}
    for round = 1, 2 do
      for at = 1, 17 do
        local _, err = modbus.map({ telemetry = { power = { adress = at } } })
        errors[err] = (errors[err] or 0) + 1
      end
    end
    local wrong, full = 0, 0
    for err, count in pairs(errors) do
      if err:find('wrong:', 1, true) then wrong = wrong + count else full = full + count end
    end
    return wrong, full`),
  ).toEqual(["32", "2"]);
});

test("a device that does not answer gives no values and says so", async () => {
  const { run, server } = await mapSite();
  server.faults.push("silent", "silent");
  expect(
    await run(`local map = modbus.map({ connection = uri, timeout = '400ms', telemetry = { power = { address = 0 } } })
    local first = map:read()
    local second = map:read()
    local third = map:read()
    return next(first.telemetry), first.is_silent, #first.failures, second.is_silent, third.telemetry.power`),
  ).toEqual(["nil", "true", "1", "true", "100"]);
});

test("sunspec finds the models of a device, and reads and writes them by name", async () => {
  const { run, bank } = await mapSite();
  const places = playSunSpec(bank, 40_000, [
    { id: 1, values: { Mn: "Solarwerk", SN: "4711" } },
    { id: 103, values: { W: 1234, W_SF: 1, St: 4 } },
    { id: 160, repeats: 2, values: { DCW_SF: 0, "module[1].DCW": 700, "module[2].DCW": 800 } },
    { id: 123, values: { WMaxLimPct_SF: -2, WMaxLim_Ena: 0 } },
  ]);
  expect(
    await run(`local sunspec = require('sunspec')
    local device = assert(sunspec.find(modbus.new(uri), 1, 1000))
    local common, inverter = device:read(1), device:read(101, 102, 103)
    local trackers = device:read(160)
    local err = device:write(123, { WMaxLimPct = 42.5, WMaxLim_Ena = 1 })
    local _, missing = device:read(802)
    return device.base, #device.models, device.models[2].name, common.Mn, common.SN, inverter.W, inverter.St, inverter.Hz,
      trackers.module[2].DCW, err, missing, device:write(123, { Nothing = 1 })`),
  ).toEqual([
    ...["40000", "4", "three-phase inverter", "Solarwerk", "4711", "12340", "4", "nil", "800", "nil"],
    "the device has no such SunSpec model",
    "model 123 has no point Nothing",
  ]);
  const controls = places.get(123) ?? 0;
  expect([bank.holdings.get(controls + 3), bank.holdings.get(controls + 7)]).toEqual([4250, 1]);
});

test("a device without SunSpec is reported as that", async () => {
  const { run } = await mapSite();
  expect(await run("return sunspec.find(modbus.new(uri), 1, 1000)")).toEqual(["nil", "unit 1 has no SunSpec marker"]);
});
