// The host of device/1.0 as its scripts see it: failures are numbers. Real Lua, real drivers, simulated ports.
import { expect, test } from "vitest";
import { runDriven } from "../../../../test/support/driven-script.ts";
import { simulatedPorts, startDrivers, startDriversWith } from "../../../../test/support/drivers.ts";

function startV1(ports?: readonly string[]) {
  const site = ports === undefined ? startDrivers() : startDriversWith(simulatedPorts(ports));
  return { ...site, run: (body: string) => runDriven(site, `require('busbar.v1')\n${body}`) };
}

test("the version of the host is unknown, as it was, and each module names its codes", async () => {
  const { run } = startV1();
  expect(
    await run(`return runtime_version, can.err_to_str(0), storage.err_to_str(0), storage.err_to_str(nil),
      modbus.err_to_str(1), type(rl6.err_to_str(99)), type(inspect)`),
  ).toEqual(["nil", "Success", "", "", "Timeout", "string", "function"]);
});

test("telemetry and properties answer a code", async () => {
  const { run } = startV1();
  expect(
    await run("return enapter.send_telemetry({ a = 1 }), enapter.send_properties({}), enapter.send_telemetry(5) ~= 0"),
  ).toEqual(expect.arrayContaining(["0", "0", "true"]));
});

test("a key of the storage that was never written is nil and no failure", async () => {
  const { run } = startV1();
  expect(
    await run(`local value, code = storage.read('never')
      local wrote = storage.write('k', 5)
      local empty = storage.write('', '')
      assert(storage.write(('k'):rep(64), 'x') == 0 and storage.read(('k'):rep(64)) == 'x')
      local long = storage.write(('k'):rep(65), 'x')
      return value, code, wrote, storage.read('k'), empty, #storage.read(''), long ~= 0, storage.err_to_str(long),
        storage.remove('k'), (storage.read('k'))`),
  ).toEqual(["nil", "0", "0", "5", "0", "0", "true", "a key has at most 64 characters", "0", "nil"]);
});

test("Modbus on the module's own port: values from 1 and code 0, or nil and a code", async () => {
  const { run, simulated } = startV1();
  simulated.port("rs485").unit(1).holdings.set(10, 7);
  simulated.port("rs485").unit(1).holdings.set(11, 65_535);
  expect(
    await run(`local before, early = modbus.read_holdings(1, 10, 2, 100)
      local init = rs485.init(9600, 8, 'N', 1)
      local data, code = modbus.read_holdings(1, 10, 2, 100)
      local missing, exception = modbus.read_inputs(1, 500, 1, 100)
      local nobody, timeout = modbus.read_holdings(2, 10, 1, 20)
      local wrote = modbus.write_multiple_holdings(1, 10, { 1, 2 }, 100)
      return before, early ~= 0, init, data, code, missing, exception, modbus.err_to_str(exception), nobody, timeout,
        modbus.err_to_str(timeout), wrote, modbus.write_holding('1', '10', 9.0), modbus.read_holdings(1, 10, 1)`),
  ).toEqual([
    ...["nil", "true", "0", "{65535, 7}", "0", "nil", "13", "exception 2: illegal data address"],
    ...["nil", "1", "no answer from unit 2 within 20 ms", "0", "0", "{9}", "0"],
  ]);
});

test("a client of Modbus TCP is never nil; one of RTU is nil where its port cannot be", async () => {
  const { run } = startV1();
  expect(
    await run(`local client = modbustcp.new('127.0.0.1:1')
      local data, code = client:read_holdings(1, 0, 1, 50)
      local odd = modbustcp.new('')
      local rtu = modbusrtu.new('/dev/ttyUSB0', { baud_rate = 9600, data_bits = 8, parity = 'E', stop_bits = '1', read_timeout = 20 })
      local values, timeout = rtu:read_holdings(3, 0, 1)
      return data, code ~= 0, client:err_to_str(code) == modbustcp.err_to_str(code), (odd:write_coil(1, 1, 1)) ~= 0,
        values, timeout, rtu:err_to_str(timeout), modbusrtu.new('/dev/ttyUSB1', { baud_rate = 1 })`),
  ).toEqual(["nil", "true", "true", "true", "nil", "1", "no answer from unit 3 within 20 ms", "nil"]);
});

test("a serial line gives a chunk as it comes, and sending drops what nobody has read", async () => {
  const { run, simulated } = startV1();
  const line = simulated.port("rs232").serial;
  line.onSent((bytes) => {
    const asked = Buffer.from(bytes).toString("latin1");
    if (asked === "A") line.emit(Buffer.from("one"));
    if (asked === "B") for (const part of ["tw", "o\r"]) line.emit(Buffer.from(part));
  });
  expect(
    await run(`local early = rs232.send('A')
      local init = rs232.init(2400, 8, 'N', 1)
      local sent = rs232.send('A')
      rs232.send('B')
      local answer, code = rs232.receive(500)
      local nothing, timeout = rs232.receive(10)
      rs232.send('A')
      rs232.send('A', false)
      local first = rs232.receive(500, 2)
      return early ~= 0, init, sent, answer, code, nothing, timeout, first, rs232.receive(500)`),
  ).toEqual(["true", "0", "0", "two\r", "0", "nil", "1", "on", "eone", "0"]);
});

test("frames are sent from texts and from numbers", async () => {
  const { run, simulated } = startV1();
  const sent: string[] = [];
  simulated.port("can").can.onSent(({ id, data }) => void sent.push(`${id} ${Buffer.from(data).toString("hex")}`));
  expect(
    await run(`local early = can.send(1, 'x')
      return early ~= 0, can.init(250), can.send(0x1C000090, '\\1\\2'), can.send(5, 0x01), can.send(5, 0x1234),
        can.send(5, 'nine bytes') ~= 0, can.send(-1, 'x') ~= 0`),
  ).toEqual(["true", "0", "0", "0", "0", "true", "true"]);
  expect(sent).toEqual(["469762192 0102", "5 01", "5 1234"]);
});

test("relays by number, all at once, and the single relay whose success is nil", async () => {
  const { run, simulated } = startV1();
  expect(
    await run(`local closed, code = rl6.close(2), rl6.open(3)
      local is_closed, read = rl6.get(2)
      local set = rl6.set_all(true, false, true)
      local none, bad = rl6.get(7)
      return closed, code, is_closed, read, set, rl6.close_all(), rl6.open_all(), rl6.impulse(4, 50), none, bad ~= 0,
        rl6.err_to_str(bad), rl.close(), rl.is_closed(), rl.open(), rl.is_closed()`),
  ).toEqual([
    ...["0", "0", "true", "0", "0", "0", "0", "0", "nil", "true", "there is no channel 7, they are 1 to 6"],
    ...["nil", "true", "nil", "false"],
  ]);
  expect([1, 4].map((n) => simulated.port(`relay-${n}`).levels.get("state"))).toEqual([0, 1]);
});

test("inputs: contacts and counters by number, milliamps in ampere", async () => {
  const { run, simulated } = startV1();
  simulated.port("di-3").levels.set("state", 1);
  simulated.port("ai-1").levels.set("volts", 3.3);
  simulated.port("ai-2").levels.set("amps", 0.012);
  expect(
    await run(`local closed, code = di7.is_closed(3)
      local count, seconds, read = di7.read_counter(3)
      local set = di7.set_counter(3, 40)
      local volts, vcode = ai4.read_volts(1)
      local amps, acode = ai4.read_milliamps(2)
      local none, bad = ai4.read_volts(5)
      return closed, code, di7.is_opened(3), count, seconds, read, set, (di7.read_counter(3)), volts, vcode, amps, acode,
        none, bad ~= 0`),
  ).toEqual(["true", "0", "false", "1", "0", "0", "0", "40", "3.3", "0", "0.012", "0", "nil", "true"]);
});

test("a peer module is refused in words, and inspect writes tables on one line or many", async () => {
  const { run } = startV1();
  expect(
    await run(`local state, payload, err = ucm.new('X1', 'gio'):execute_command('open_channel', {}, { timeout = 100 })
      local circle = {}
      circle.self = circle
      return state, payload, type(err), inspect({ 1, 'b', c = true, ['d e'] = { x = {} } }, { newline = '', indent = '' }),
        inspect({ a = 1 }), inspect('q"\\n'), inspect(nil), inspect(circle, { newline = ' ', indent = '' }), inspect({ 1, 2 })`),
  ).toEqual([
    ...["nil", "nil", "string", '{ 1, "b",c = true,["d e"] = {x = {}}}', "{\n  a = 1\n}", '"q\\"\\n"', "nil"],
    ...["{ self = <cycle> }", "{ 1, 2 }"],
  ]);
});

test("a connector that nobody has configured has code 12, and its words name the ports that exist", async () => {
  const { run, simulated } = startV1(["di-1"]);
  expect(simulated.names()).toEqual(["di-1"]);
  const [text = "", ...codes] = await run(`
    local code = rs485.init(9600, 8, 'N', 1)
    local closed, relay = rl6.get(1)
    local volts, input = ai4.read_volts(1)
    return rs485.err_to_str(code), code, rs232.init(9600, 8, 'N', 1), can.init(250), rl6.close(1), closed, relay, volts, input`);
  expect(text).toContain("there is no port rs485: this device has di-1.");
  expect(codes).toEqual(["12", "12", "12", "12", "nil", "12", "nil", "12"]);
});
