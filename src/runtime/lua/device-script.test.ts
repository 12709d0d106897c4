import { expect, test } from "vitest";
import { logsOf, virtualScript } from "../../../test/support/virtual-script.ts";

test.each([
  ["the language is Lua 5.3", "return _VERSION", "Lua 5.3"],
  ["the runtime is v3", "return runtime_version", "v3"],
  ["enapter and device are one table", "return enapter == device", "true"],
  ["integers have 64 bits", "return (1 << 62) + 0.0, math.maxinteger", "4.6116860184274e+18 9223372036854775807"],
  ["what 5.3 had in math is there", "return math.pow(2, 3), math.log10(1000), math.ldexp(1, 4)", "8.0 3.0 16.0"],
  ["frexp takes numbers apart", "return math.frexp(10)", "0.625 4"],
  ["texts are numbers in arithmetic", "return '10' + 5, '3' * '4', 10 .. 20", "15 12 1020"],
  ["binary strings pack and unpack", "return string.unpack('>I2', string.pack('>I2', 65535))", "65535 3"],
  ["chunks of text load with their environment", "return load('x = 5; return x', 'c', 't', {})()", "5"],
  [
    "a loader may be a function",
    "local p = {'return ', '7'}; return load(function() return table.remove(p, 1) end)()",
    "7",
  ],
  ["bytecode does not load", "return load('\\27Lua')", "nil attempt to load a binary chunk (mode is 't')"],
  ["files do not load", "return loadfile, dofile, io, debug, string.dump", "nil nil nil nil nil"],
  ["nothing of os reaches out", "return os.execute, os.remove, os.exit, os.getenv('PATH')", "nil nil nil nil"],
  ["nothing of package reaches out", "return package.loadlib, package.searchers, package.cpath", "nil nil "],
  ["time comes from the host", "return os.time(), os.clock()", "1700000000 0.0"],
  ["UTC dates are written", "return os.date('!%Y-%m-%d %H:%M:%S', 86399)", "1970-01-01 23:59:59"],
  ["dates are tables", "return os.date('!*t', 0).yday, os.date('!%j %V %a', 0)", "1 001 01 Thu"],
  [
    "dates are read back",
    "return os.time({year = 2026, month = 14, day = 1}) == os.time({year = 2027, month = 2, day = 1})",
    "true",
  ],
  ["chance is the same for one seed", "return math.random(1000000)", "218944"],
  ["an unknown bucket does not throw", "return configuration.read('x')", "nil there is no configuration bucket 'x'"],
  ["nothing stored is NotFound", "return storage.read('x')", "nil NotFound"],
  ["stored text is read back", "return storage.write('k', '\\0\\255'), #storage.read('k')", "nil 2"],
  ["JSON is written", "return json.encode({a = {1, 2.5, 'ü'}})", '{"a":[1,2.5,"ü"]}'],
  [
    "JSON is read",
    "local t = json.decode('[1, null, {\"a\": 9007199254740993}]'); return t[1], t[2], t[3].a",
    "1 nil 9007199254740993",
  ],
  [
    "wrong JSON is a value, as every failure",
    "return json.decode('{')",
    "nil unexpected end of the text in JSON at character 2",
  ],
  ["JSON null is nil without an error", "return json.decode('null')", "nil"],
  ["a list with a gap is a list with null", "return json.encode({nil, 'AA'})", '[null,"AA"]'],
  ["gaps in the middle are null", "return json.encode({1, nil, {x = {nil, nil, 3}}})", '[1,null,{"x":[null,null,3]}]'],
  ["a table with numbers for names is an object", "return json.encode({[3] = 'x'})", '{"3":"x"}'],
  ["an empty table is a list", "return json.encode({{}, a = nil})", "[[]]"],
  [
    "JSON has every kind of value",
    'return json.encode(json.decode([==[[-1, 2147483648, -9007199254740993, 1.5, true, false, "\\u00fc", {"": []}]]==]))',
    '[-1,2147483648,-9007199254740993,1.5,true,false,"ü",{"":[]}]',
  ],
  [
    "bytes that are no text are replaced",
    "return json.encode({'\\xff'}), json.encode({[1.5] = true})",
    '["\ufffd"] {"1.5":true}',
  ],
  ["NaN is no JSON", "return pcall(json.encode, 0/0)", "false unexpected number value 'NaN'"],
  [
    "a circle is no JSON",
    "local t = {}; t[1] = t; return pcall(json.encode, t)",
    "false tables nested more than 100 deep, or in a circle",
  ],
  ["a document has 2 MiB of text", "return #json.encode({('x'):rep(1 << 20), ('y'):rep(1 << 20)})", "2097159"],
  [
    "a document has no more than that, all texts together",
    "return pcall(json.encode, {('x'):rep(1 << 20), ('y'):rep(1 << 20), 'z'})",
    "false more than 2097152 bytes of text in one document",
  ],
  ["a function is no JSON", "return pcall(json.encode, {print})", "false a function cannot be passed on"],
  [
    "coroutines yield and end",
    "local co = coroutine.wrap(function(a) local b = coroutine.yield(a + 1); return b * 2 end); return co(1), co(5)",
    "2 10",
  ],
  [
    "a coroutine answers as many values as it has",
    "return select('#', coroutine.resume(coroutine.create(function() end)))",
    "1",
  ],
  [
    "errors in coroutines carry their place",
    "return coroutine.resume(coroutine.create(function() error('x') end))",
    "false main.lua:1: x",
  ],
  [
    "the script itself is no coroutine",
    "return pcall(coroutine.yield)",
    "false attempt to yield from outside a coroutine",
  ],
  [
    "the running thread is the main one",
    "return select(2, coroutine.running()), coroutine.isyieldable()",
    "true false",
  ],
  [
    "delays pass through coroutines",
    "return coroutine.wrap(function() system.delay(0); return 'awake' end)()",
    "awake",
  ],
  [
    "a C function on the way stops a delay",
    "return pcall(tostring, setmetatable({}, {__tostring = function() system.delay(0) end}))",
    "false attempt to yield across a C-call boundary",
  ],
  [
    "a comparison and a replacement may wait for the host",
    "local t = {2, 1}; table.sort(t, function(a, b) system.delay(0); return a < b end); " +
      "return t[1], (('ab'):gsub('.', function(c) system.delay(0); return c:upper() end))",
    "1 AB",
  ],
  [
    "an error of wrap carries the place of the caller",
    "return pcall(function() local x = coroutine.wrap(function() error('x') end)(); return x end)",
    "false main.lua:1: main.lua:1: x",
  ],
  ["telemetry must be a table", "return enapter.send_telemetry(5)", "telemetry must be a table, not number"],
])("%s", async (_, code, expected) => {
  const body = `local r = table.pack((function() ${code} end)()); for i = 1, r.n do r[i] = tostring(r[i]) end; enapter.log(table.concat(r, ' '))`;
  expect(await logsOf(body)).toEqual([expected]);
});

test.each([
  ["x", "x.lua"],
  ["./x", "x.lua"],
  ["a.b", "a/b.lua"],
  ["a/b", "a/b.lua"],
  ["./a.b", "a/b.lua"],
  ["pkg", "pkg/init.lua"],
  ["x.lua", "x.lua"],
])("require('%s') finds %s", async (name, path) => {
  const files = { "main.lua": `enapter.log(require('${name}').mine)`, [path]: "return { mine = 'found' }" };
  expect(await logsOf(files)).toEqual(["found"]);
});

test("a module finds its siblings, and is loaded once however it is named", async () => {
  const logs = await logsOf({
    "main.lua": "enapter.log(tostring(require('lib.a') == require('./lib/a').twin))",
    "lib/a.lua": "local me = {}; require('b')(me); return me",
    "lib/b.lua": "return function(t) t.twin = t end",
  });
  expect(logs).toEqual(["true"]);
});

test("a program's own json goes before the host's, which can be required too", async () => {
  expect(await logsOf({ "main.lua": "enapter.log(require('json'))", "json.lua": "return 'own'" })).toEqual(["own"]);
  expect(await logsOf("enapter.log(tostring(require('json') == json))")).toEqual(["true"]);
});

test.each(["os.date(('%c'):rep(100000))", "require(('.'):rep(100000))"])(
  "%s is an error before it has cost anything",
  async (code) => {
    expect(await logsOf(`enapter.log(select(2, pcall(function() ${code} end)))`)).toEqual([
      "a text of more than 1000 bytes is too long here",
    ]);
  },
);

test("a missing module is an error that names where it was looked for", async () => {
  const [line] = await logsOf("require('nowhere')");
  expect(line).toContain("main.lua:1: module 'nowhere' not found:");
  expect(line).toContain("no file 'nowhere/init.lua'");
});

test("enapter.main runs after the entry chunk", async () => {
  expect(await logsOf("function enapter.main() enapter.log('main') end enapter.log('chunk')")).toEqual([
    "chunk",
    "main",
  ]);
});

test("jobs run by their periods, keep running after an error, and can be removed", async () => {
  const { runTo } = virtualScript(`
    local n = 0
    local id
    id = scheduler.add(100, function()
      n = n + 1
      enapter.log('tick ' .. n)
      if n == 1 then error('oops') end
      if n == 3 then scheduler.remove(id) end
    end)`);
  expect(await runTo(1000)).toEqual([
    "100 info: tick 1",
    "100 fault: main.lua:7: oops",
    "200 info: tick 2",
    "300 info: tick 3",
  ]);
});

test("a job that takes longer than its period misses ticks instead of queueing them", async () => {
  const { runTo } = virtualScript("scheduler.add(100, function() enapter.log('tick') system.delay(250) end)");
  expect(await runTo(1000)).toEqual(["100 info: tick", "350 info: tick", "600 info: tick", "850 info: tick"]);
});

test("commands go ahead of ticks, and no second activity starts while one sleeps", async () => {
  const { script, runTo } = virtualScript(`
    scheduler.add(100, function() enapter.log('tick') end)
    enapter.register_command_handler('slow', function(ctx, args) ctx.log('began') system.delay(args.ms) return { took = args.ms } end)`);
  script.command({ id: "c1", name: "slow", arguments: { ms: 150 } });
  script.command({ id: "c2", name: "slow", arguments: { ms: 10 } });
  expect(await runTo(200)).toEqual([
    '0 c1 IN_PROGRESS: {"message":"began"}',
    '150 c1 SUCCEEDED: {"took":150}',
    '150 c2 IN_PROGRESS: {"message":"began"}',
    '160 c2 SUCCEEDED: {"took":10}',
    "160 info: tick",
    "200 info: tick",
  ]);
});

test("a command that nobody waits for any more is not started", async () => {
  const begin = 1_700_000_000_000;
  const { script, runTo } = virtualScript(`
    enapter.register_command_handler('slow', function(ctx, args) system.delay(args.ms) enapter.log('did') end)`);
  script.command({ id: "c1", name: "slow", arguments: { ms: 500 }, expiresAt: begin + 1 });
  script.command({ id: "c2", name: "slow", arguments: { ms: 10 }, expiresAt: begin + 500 });
  script.command({ id: "c3", name: "slow", arguments: { ms: 10 }, expiresAt: begin + 501 });
  expect(await runTo(600)).toEqual([
    "500 info: did",
    "500 c1 SUCCEEDED: {}",
    '500 c2 ERROR: {"message":"the device was busy for too long; the command was not started"}',
    "510 info: did",
    "510 c3 SUCCEEDED: {}",
  ]);
});

test.each([
  ["return nil", "SUCCEEDED: {}"],
  ["return {}", "SUCCEEDED: {}"],
  ["return { soc = 41.5, mode = 'idle' }", 'SUCCEEDED: {"soc":41.5,"mode":"idle"}'],
  ["return { 1, 2 }", 'SUCCEEDED: {"result":[1,2]}'],
  ["return 0/0", "SUCCEEDED: {}"],
  ["ctx.error('no power') return {}", 'ERROR: {"message":"no power"}'],
  ["ctx:error('no power')", 'ERROR: {"message":"no power"}'],
  ["ctx.error({ a = 1 })", 'ERROR: {"a":1,"message":"{\\"a\\":1}"}'],
  ["ctx:error({ message = 'jammed' })", 'ERROR: {"message":"jammed"}'],
  ["ctx.error({ 'first', 'second' })", 'ERROR: {"message":"[\\"first\\",\\"second\\"]"}'],
  ["ctx.error({ f = print })", 'ERROR: {"f":null,"message":"{\\"f\\":null}"}'],
  ["ctx.error({ reason = 'low gas' })", 'ERROR: {"reason":"low gas","message":"low gas"}'],
  ["ctx.error(setmetatable({}, { __tostring = function() return 'own words' end }))", 'ERROR: {"message":"own words"}'],
  ["ctx.error({})", 'ERROR: {"message":"the device reported an error without a message"}'],
  ["pcall(ctx.error, 'kept') return { ok = true }", 'ERROR: {"message":"kept"}'],
  ["error({ a = 1 })", 'ERROR: {"message":"{\\"a\\":1}"}'],
  ["error({ message = 'jammed', code = 5 })", 'ERROR: {"message":"jammed"}'],
  ["error({ error = 'low gas' })", 'ERROR: {"message":"low gas"}'],
  ["error({})", 'ERROR: {"message":"the device reported an error without a message"}'],
  ["local x = args.none.none", `ERROR: {"message":"main.lua:1: attempt to index a nil value (field 'none')"}`],
])("a handler that does `%s` ends with %s", async (body, expected) => {
  const { script, runTo } = virtualScript(`enapter.register_command_handler('go', function(ctx, args) ${body} end)`);
  script.command({ id: "c", name: "go", arguments: {} });
  const [first] = await runTo(0);
  expect(first).toMatch(/^0 c /);
  const sorted = first?.replace('{"mode":"idle","soc":41.5}', '{"soc":41.5,"mode":"idle"}');
  expect(sorted).toBe(`0 c ${expected}`);
});

test.each([
  ["{ a = { 1, 2 } }", '{"a":[1,2]}'],
  ["{ f = print, n = 0/0, t = 'ä' }", /^\{.*"t":"ä".*\}$/],
  ["setmetatable({}, { __tostring = function() return 'own words' end })", "own words"],
  ["nil", "nil"],
  ["1.5", "1.5"],
])("%s in a log is %s", async (value, expected) => {
  const [line = ""] = await logsOf(`enapter.log(${value})`);
  expect(line).toMatch(expected);
  const { script, runTo } = virtualScript(
    `enapter.register_command_handler('go', function(ctx) ctx.log(${value}) end)`,
  );
  script.command({ id: "c", name: "go", arguments: {} });
  expect((await runTo(0))[0]).toBe(`0 c IN_PROGRESS: ${JSON.stringify({ message: line })}`);
});

test("a command without a handler is an error", async () => {
  const { script, runTo } = virtualScript("");
  script.command({ id: "c", name: "go", arguments: {} });
  expect(await runTo(0)).toEqual([`0 c ERROR: {"message":"no handler is registered for the command 'go'"}`]);
});

test("configuration reaches the script, and so do its changes", async () => {
  const { script, buckets, runTo } = virtualScript(
    `
    local function show() enapter.log(configuration.read('net').host .. tostring(configuration.is_all_required_set('net'))) end
    configuration.after_write('net', show)
    show()`,
    {},
  );
  buckets.set("net", new Map([["host", "a"]]));
  await runTo(0);
  buckets.set("net", new Map([["host", "b"]]));
  script.configurationWritten("net");
  script.configurationWritten("unknown");
  expect(await runTo(1)).toEqual(["0 info: atrue", "1 info: btrue"].map((line) => line.replace("1 info", "0 info")));
});

test("a script hears of a change of its connection", async () => {
  const { script, runTo } = virtualScript(
    "enapter.on_connection_status_changed(function(up) enapter.log(tostring(up)) end)",
  );
  await runTo(0);
  script.connectionChanged(false);
  expect(await runTo(0)).toEqual(["0 info: false"]);
});

test("values that have no place outside Lua are dropped one by one", async () => {
  const [line] = await logsOf("enapter.send_telemetry({ power = 5, f = print })");
  expect(line).toMatch(/"power":5/);
  expect(line).toMatch(/"f":null/);
});

test("an error in the entry chunk ends the script, with file and line", async () => {
  const faults: unknown[] = [];
  const { script, runTo } = virtualScript(
    { "main.lua": "require('lib.deep')", "lib/deep.lua": "\n\nerror('bad')" },
    { host: { fault: (error) => void faults.push(error) } },
  );
  await runTo(0);
  expect(faults).toEqual([
    { message: "lib/deep.lua:3: bad", file: "lib/deep.lua", line: 3, traceback: expect.stringContaining("main.lua:1") },
  ]);
  expect(script.run(5)).toBe("dead");
});

test("severities of log lines are read in any case, warn is warning, and an unknown one is info", async () => {
  const severities: string[] = [];
  const { runTo } = virtualScript(
    "for _, word in ipairs({'warn', 'ERROR', 'debug', 'loud', 'warning'}) do enapter.log('x', word) end",
    { host: { log: (_text, severity) => void severities.push(severity) } },
  );
  await runTo(0);
  expect(severities).toEqual(["warning", "error", "debug", "info", "warning"]);
});

test("nodebug leaves files and lines out", async () => {
  expect(await logsOf("error('bad')", { nodebug: true })).toEqual(["fault: bad"]);
});

test("an endless loop is sliced even inside pcall, and given up after its time", async () => {
  const { script, output } = virtualScript("while true do pcall(function() while true do end end) end", {
    limits: { activityMs: 100 },
  });
  expect(script.run(5)).toBe("more");
  while (script.run(5) === "more");
  expect(output).toEqual(["0 fault: computed for more than 100 ms without a pause"]);
});

test("memory beyond the limit is an error that a script may catch", async () => {
  const hungry = "local t = {} for i = 1, 1e9 do t[i] = 'x' .. i end";
  expect(await logsOf(`enapter.log(select(2, pcall(function() ${hungry} end)))`)).toEqual(["not enough memory"]);
});

test("two scripts with one seed behave alike to the last order of keys", async () => {
  const code =
    "local t = {} for i = 1, 50 do t['k' .. i] = math.random() end for k, v in pairs(t) do enapter.log(k .. v) end";
  expect(await logsOf(code)).toEqual(await logsOf(code));
});
