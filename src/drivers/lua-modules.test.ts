// The modules but Modbus as scripts see them: real Lua, real drivers, real peers. Calls are written as published scripts write them.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { Aedes } from "aedes";
import { expect, onTestFinished, test } from "vitest";
import { runDriven } from "../../test/support/driven-script.ts";
import { startDrivers } from "../../test/support/drivers.ts";

async function httpSite() {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { method, url, headers } = request;
      const body = Buffer.concat(pieces).toString("latin1");
      const { authorization, cookie, "content-type": type, "auth-token": token } = headers;
      if (url === "/bytes") return void response.end(Buffer.from([0, 255, 10, 128]));
      response.writeHead(url === "/missing" ? 404 : 200, {
        "Content-Type": "application/json; charset=UTF-8",
        "Set-Cookie": "_session_id=7; Expires=Wed, 09 Jun 2100 10:18:14 GMT",
      });
      response.end(JSON.stringify({ method, url, body, authorization, cookie, type, token }));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const site = startDrivers("127.0.0.1");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return (body: string) => runDriven(site, `local url = '${url}'\n${body}`);
}

test("http gets and posts", async () => {
  const run = await httpSite();
  expect(
    await run(`local response, err = http.get(url .. '/missing')
      local posted = json.decode(http.post(url, 'application/json', '{"query": 1}').body)
      local form = json.decode(http.post_form(url, { query = 'a b&c', lang = 'ü' }).body)
      return err, response.code, math.type(response.code), posted.method, posted.type, posted.body, form.type, form.body, #http.get(url .. '/bytes').body`),
  ).toEqual([
    ...["nil", "404", "integer", "POST", "application/json", '{"query": 1}'],
    ...["application/x-www-form-urlencoded", "lang=%C3%BC&query=a+b%26c", "4"],
  ]);
});

test("a header of the connection is refused alone, and the request is sent", async () => {
  const run = await httpSite();
  expect(
    await run(`local request = http.request('POST', url, 'body')
      local te, own = request:set_header('TE', 'trailers'), request:set_header('X-Own', 'yes')
      local response, err = http.client():do_request(request)
      return te, own, err, response.code`),
  ).toEqual(["header TE belongs to the connection: the request is sent without it", "nil", "nil", "200"]);
});

test("http requests carry what was set on them", async () => {
  const run = await httpSite();
  expect(
    await run(`local request = http.request('PUT', url, 'x')
      request:set_header('auth-token', 'secret')
      request:set_header('Auth-Token', 'newer')
      request:set_basic_auth('Aladdin', 'open sesame')
      request:add_cookie('_auth', 'aabb')
      request:add_cookie('name', 'value')
      local client = http.client({ timeout = 5 })
      local seen = json.decode(client:do_request(request).body)
      return seen.method, seen.body, seen.token, seen.authorization, seen.cookie`),
  ).toEqual(["PUT", "x", "newer", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "_auth=aabb; name=value"]);
});

test("http responses have headers and cookies", async () => {
  const run = await httpSite();
  expect(
    await run(`local response = http.get(url)
      local names = {}
      for name, values in pairs(response.headers) do if name == 'Content-Type' then names = values end end
      local cookie = response.cookies[1]
      return response.headers:get('content-type'), response.headers:values('Content-Type'), response.headers['Content-Type'][1],
        response.headers['content-type'][2], response.headers:get('X-None'), names, cookie.name, cookie.value, cookie.expires`),
  ).toEqual([
    ...["application/json", "{application/json, charset=UTF-8}", "application/json", "charset=UTF-8", "nil"],
    ...["{application/json, charset=UTF-8}", "_session_id", "7", "Wed, 09 Jun 2100 10:18:14 GMT"],
  ]);
});

test("an http client keeps cookies if it is asked to", async () => {
  const run = await httpSite();
  expect(
    await run(`local function cookie(client) client:get(url); return json.decode(client:get(url).body).cookie end
      return cookie(http.client({ enable_cookie_jar = true })), cookie(http.client())`),
  ).toEqual(["_session_id=7", "nil"]);
});

test("what is wrong with an http call is reported", async () => {
  const run = await httpSite();
  expect(
    await run(`local response, err = http.get('http://169.254.169.254/latest')
      local _, scheme = http.get('ftp://x')
      local _, port = http.get('http://127.0.0.1:1')
      local _, request = http.client():do_request('GET')
      local _, method = http.client():do_request(http.request('BREW', url))
      return response, err, scheme, port, request, method`),
  ).toEqual([
    "nil",
    "169.254.169.254:80 is not allowed for this device; the setting lua.allow says what is",
    "a URL starts with http:// or https://, not ftp:",
    "the connection was refused",
    "request must be made by http.request()",
    'method must be one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, got "BREW"',
  ]);
});

test("serial reads, writes, flushes and holds the port for a transaction", async () => {
  const site = startDrivers();
  const line = site.simulated.port("rs232").serial;
  line.onSent((data) => {
    if (Buffer.from(data).toString() === "ping") line.emit(Uint8Array.of(0, 255, 10));
  });
  expect(
    await runDriven(
      site,
      `local client, err = serial.new('port://rs232')
      local flushed, wrote = client:flush(), client:write('ping')
      local data = client:read(3, 500)
      local _, late = client:read(1, 20)
      local a, b = client:transaction(function()
        client:flush()
        client:write('ping')
        return client:transaction(function() return client:read(3, 500), 'second' end)
      end)
      local none, why = client:transaction(function() error('oops', 0) end)
      local after = client:flush()
      return err, flushed, wrote, #data, data:byte(2), late, #a, b, none, why, after`,
    ),
  ).toEqual([
    "nil",
    "nil",
    "nil",
    "3",
    "255",
    "0 of 1 bytes arrived within 20 ms",
    "3",
    "second",
    "nil",
    "oops",
    "nil",
  ]);
});

test("can sends, and gives frames of monitors and queues", async () => {
  const site = startDrivers();
  const bus = site.simulated.port("can-1").can;
  const sent: string[] = [];
  bus.onSent(({ id, data }) => {
    sent.push(`${id.toString(16)} ${Buffer.from(data).toString("hex")}`);
    // The bus answers with what came, and the next two numbers.
    for (const more of [0, 1, 2]) bus.emit({ id: 0x90, data: Uint8Array.of((data[0] ?? 0) + more) });
  });
  expect(
    await runDriven(
      site,
      `local client, err = can.new('port://can-1')
      local monitor = client:monitor({ 0x666, 0x090, 0x091 })
      local oldest = client:queue({ 0x090 }, 2, can.DROP_OLDEST)
      local newest = client:queue({ 0x090 }, 2, can.DROP_NEWEST)
      local send_err = client:send(0x001, string.pack('BBBBBBBB', 1, 0, 0, 0, 0, 0, 0, 0))
      local data = monitor:pop({ 0x666, 0x090, 0x091 })
      local again = monitor:pop({ 0x090 })
      local function hex(list) for k, v in pairs(list) do list[k] = string.format('%02X', v:byte()) end return list end
      return err, send_err, data[1], data[2]:byte(), data[3], again[1], hex(oldest:pop(0x090)), hex(newest:pop(0x090)),
        oldest:drops_count(0x090), newest:drops_count(0x090), newest:drops_count(0x090), newest:pop(0x090),
        client:send(0x213, 'Hello World'), can.DROP_OLDEST, can.DROP_NEWEST`,
    ),
  ).toEqual([
    ...["nil", "nil", "nil", "3", "nil", "nil", "{02, 03}", "{01, 02}", "1", "1", "0", "{}"],
    ...["data must not be longer than 8 bytes, got 11", "0", "1"],
  ]);
  expect(sent).toEqual(["1 0100000000000000"]);
});

test.each([
  [[0x90], '["90"]'],
  [[0x91], '[null,"91"]'],
  [[0x91, 0x93], '[null,"91",null,"93"]'],
  [[0x92], '[null,null,"92"]'],
  [[], "[]"],
])("a monitor's frames of %j are a list, with null where none came", async (ids, list) => {
  const site = startDrivers();
  const bus = site.simulated.port("can-1").can;
  bus.onSent(() => {
    for (const id of ids) bus.emit({ id, data: Uint8Array.of(id) });
  });
  expect(
    await runDriven(
      site,
      `local client = can.new('port://can-1')
      local ids = { 0x090, 0x091, 0x092, 0x093 }
      local monitor = client:monitor(ids)
      client:send(0x001, 'x')
      local frames = monitor:pop(ids)
      for at, frame in pairs(frames) do frames[at] = string.format('%02X', frame:byte()) end
      return json.encode(frames)`,
    ),
  ).toEqual([list]);
});

test("relays close, open and give impulses", async () => {
  const site = startDrivers();
  const { levels } = site.simulated.port("rl-1");
  const written: number[] = [];
  levels.onWritten((_, value) => written.push(value));
  expect(
    await runDriven(
      site,
      `local r, err = relay.new('port://rl-1')
      local before = r:is_closed()
      local closed_err, closed = r:close(), r:is_closed()
      local open_err, opened = r:open(), r:is_closed()
      return err, before, closed_err, closed, open_err, opened, r:impulse(500), r:is_closed(), r:impulse('long')`,
    ),
  ).toEqual(["nil", "false", "nil", "true", "nil", "false", "nil", "true", 'duration must be a number, got "long"']);
  await expect.poll(() => written).toEqual([1, 0, 1, 0]);
});

test("digital and analog inputs and outputs read and set levels", async () => {
  const site = startDrivers();
  const [input, analog] = [site.simulated.port("di-1").levels, site.simulated.port("ai-1").levels];
  for (const state of [1, 0, 1]) input.set("state", state);
  for (const [quantity, value] of [
    ["volts", 3.25],
    ["amps", 0.012],
    ["temperature", 21.5],
  ] as const)
    analog.set(quantity, value);
  expect(
    await runDriven(
      site,
      `local di, d0, ai, ao = digitalin.new('port://di-1'), digitalout.new('port://do-1'), analogin.new('port://ai-1'), analogout.new('port://ao-1')
      return di:get_state() == digitalin.HIGH, di:read_counter(), di:reset_counter(), di:read_counter(), d0:get_state() == digitalout.LOW,
        d0:set_state(digitalout.HIGH), d0:get_state(), d0:set_state(5), ai:get_volts(), ai:get_amps(), ai:get_temperature(),
        ao:set_volts(7.5), ao:set_amps(0.004), ao:set_volts()`,
    ),
  ).toEqual([
    ...["true", "2", "nil", "0", "true", "nil", "1", "state must be an integer from 0 to 1, got 5"],
    ...["3.25", "0.012", "21.5", "nil", "nil", "volts must be a number, got nil"],
  ]);
  const output = site.simulated.port("ao-1").levels;
  expect([output.get("volts"), output.get("amps")]).toEqual([7.5, 0.004]);
});

test("a port that is none, or of another kind, is reported", async () => {
  const site = startDrivers();
  expect(
    await runDriven(
      site,
      `local results = {}
      for _, module in ipairs({ serial, can, relay, digitalin, digitalout, analogin, analogout }) do
        local client, err = module.new('tcp://10.0.0.1:5')
        table.insert(results, err)
        assert(client == nil)
      end
      return #results, results[1]`,
    ),
  ).toEqual(["7", '"tcp://10.0.0.1:5" is no port; its form is port://NAME']);
});

test("mqtt publishes, subscribes and gives messages", async () => {
  const broker = await Aedes.createBroker();
  const server = createTcpServer(broker.handle);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.close();
    broker.close();
  });
  const site = startDrivers("127.0.0.1");
  const uri = `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(
    await runDriven(
      site,
      `local client, err = mqtt.new('${uri}', { client_id = 'busbar-1' })
      local subscribed = client:subscribe('meters/+/power', { qos = 1 })
      local published = client:publish('meters/a/power', '\\0\\255', { qos = 1 })
      local messages = {}
      while #messages == 0 do
        messages = client:pop()
        client:publish('tick', '', { qos = 1 })
      end
      return err, subscribed, published, #messages, messages[1].topic, messages[1].payload:byte(2), client:drops_count(),
        client:is_connected(), client:unsubscribe('meters/+/power'), client:publish('a/#', ''), mqtt.new('tcp://x')`,
    ),
  ).toEqual([
    ...[
      "nil",
      "nil",
      "nil",
      "1",
      "meters/a/power",
      "255",
      "0",
      "true",
      "nil",
      '"a/#" is no topic to publish to',
      "nil",
    ],
    '"tcp://x" is no address such as mqtt://192.168.1.10:1883 or mqtts://host',
  ]);
});
