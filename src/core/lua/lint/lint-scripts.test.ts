import { describe, expect, test } from "vitest";
import { findModule, folderOf } from "#drivers/find-module.ts";
import { hostApi } from "#drivers/host-api.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { lintScripts } from "./lint-scripts.ts";

const { blueprint, issues } = parseManifest(`blueprint_spec: device/3.0
display_name: Pump
runtime: {type: lua, options: {file: main.lua}}
telemetry:
  power: {type: float, display_name: Power}
  status: {type: string, display_name: Status}
properties:
  serial_number: {type: string, display_name: Serial}
command_groups: {main: {display_name: Main}}
commands:
  start: {group: main, display_name: Start}
  set_limit: {group: main, display_name: Limit, arguments: {limit: {type: float, display_name: Limit}}}
configuration:
  connection: {display_name: Connection, parameters: {address: {type: string, display_name: Address}}}
`);
if (blueprint === undefined) throw new Error(JSON.stringify(issues));
const pump = blueprint;

type Files = Readonly<Record<string, string>>;

/** `file:line:column code message` of all findings; the file is left out for main.lua. */
function lint(
  given: string | Files,
  more: { isComplete?: boolean; v1?: boolean; rocks?: Files } = {},
): readonly string[] {
  const own = typeof given === "string" ? { "main.lua": given } : given;
  const all = { ...more.rocks, ...own };
  const program = { entry: "main.lua", modules: new Set(Object.keys(all)) };
  const issues = lintScripts({
    hostApi,
    files: Object.entries(all).map(([path, text]) => ({ path, text, isOwn: Object.hasOwn(own, path) })),
    blueprint: { ...pump, luaHost: more.v1 === true ? "v1" : "v3" },
    isComplete: more.isComplete ?? true,
    libraryAt(name, path) {
      const found = findModule(program, name, folderOf(path));
      return "library" in found ? found.library : undefined;
    },
  });
  return issues.map(
    ({ path, range: { start }, code, message }) =>
      `${path === "main.lua" ? "" : `${path}:`}${start.line}:${start.column} ${code.replace("lua_", "")}: ${message}`,
  );
}

describe("finds", () => {
  test.each<readonly [string, string]>([
    // globals
    ["prnt('x')", "1:1 undefined_global: Nothing defines the global prnt. Did you mean print?"],
    [
      "local client = 1\nlocal x = clent + 1",
      "2:11 undefined_global: Nothing defines the global clent. Did you mean client?",
    ],
    ["scheduler.add(1000, send_it)", "1:21 undefined_global: Nothing defines the global send_it."],
    [
      "io.open('x')",
      "1:1 undefined_global: Nothing defines the global io. A script has no files; storage keeps texts.",
    ],
    ["return unpack({})", "1:8 undefined_global: Nothing defines the global unpack. Use table.unpack."],
    ["return { a = { missing } }", "1:16 undefined_global: Nothing defines the global missing."],
    [
      "function helper() end\nhelpr()",
      "2:1 undefined_global: Nothing defines the global helper. Did you mean helper?".replace(
        "helper. Did",
        "helpr. Did",
      ),
    ],
    // globals that were meant to be local
    [
      "local function f()\n  total = 1\n  return total + 1\nend\nreturn f",
      "2:3 accidental_global: total is a global variable, but only this function uses it. Write local before its first value.",
    ],
    [
      "function enapter.main()\n  for i = 1, 3 do\n    x, y = i, i\n    print(x)\n  end\n  return x\nend",
      "3:8 accidental_global: y is a global variable, but only this function uses it. Write local before its first value.",
    ],
    // fields
    ["enapter.send_telemtry({})", "1:9 unknown_field: enapter has no send_telemtry. Did you mean send_telemetry?"],
    ["device.log_it('x')", "1:8 unknown_field: enapter has no log_it."],
    ["local m = modbus\nm.nwe('x')", "2:3 unknown_field: modbus has no nwe. Did you mean new?"],
    ["local j = require('json')\nreturn j.encodee(1)", "2:10 unknown_field: json has no encodee. Did you mean encode?"],
    ["return string.fromat('x')", "1:15 unknown_field: string has no fromat. Did you mean format?"],
    ["os.execute('rm')", "1:4 unknown_field: os has no execute."],
    ["return modbus['nww']('x')", "1:15 unknown_field: modbus has no nww. Did you mean new?"],
    [
      "local client, err = modbus.new('tcp://10.0.0.1')\nclient:read_holding(1, 2, 3)",
      "2:8 unknown_field: modbus.Client has no read_holding. Did you mean read_holdings?",
    ],
    [
      "local bus\nlocal function connect() bus = nil bus = can.new('port://c') end\nconnect()\nbus:sned(1, 'x')",
      "4:5 unknown_field: can.Client has no sned. Did you mean send?",
    ],
    [
      "client = modbus.new('tcp://10.0.0.1')\nfunction enapter.main() client:reed({}) end",
      "2:32 unknown_field: modbus.Client has no reed. Did you mean read?",
    ],
    ["return http.get('http://x').status", "1:29 unknown_field: http.Response has no status."],
    [
      "return http.get('http://x').headers:gett('a')",
      "1:37 unknown_field: http.Headers has no gett. Did you mean get?",
    ],
    [
      "enapter.register_command_handler('start', function(ctx) ctx.eror('x') end)",
      "1:61 unknown_field: enapter.CommandContext has no eror. Did you mean error?",
    ],
    // calls
    ["scheduler.add(1000)", "1:14 wrong_call: scheduler.add(period, job) takes 2 arguments, not 1."],
    ["modbus.new('tcp://x', 1)", "1:11 wrong_call: modbus.new(uri) takes 1 argument, not 2."],
    [
      "local client = modbus.new('tcp://x')\nclient:read_inputs(1, 2)",
      "2:8 wrong_call: modbus.Client:read_inputs(unit, register, count, [timeout]) takes at least 3 arguments, not 2.",
    ],
    [
      "local client = modbus.new('tcp://x')\nclient.read_inputs(1, 2, 3)",
      "2:19 wrong_call: modbus.Client:read_inputs is called with a colon, not with a dot.",
    ],
    [
      "enapter:log('x')",
      "1:9 wrong_call: enapter.log is called with a dot. A colon passes the table as first argument.",
    ],
    ["system.uptime(1)", "1:14 wrong_call: system.uptime() takes no argument, not 1."],
    // the manifest
    [
      "enapter.register_command_handler('strat', print)",
      '1:34 undeclared_name: The manifest declares no command "strat". Did you mean start?',
    ],
    [
      "device.send_telemetry({ powr = 1, status = 'x', alerts = {}, ['nothing'] = 2 })",
      '1:25 undeclared_name: The manifest declares no telemetry attribute "powr". Did you mean power?\n1:63 undeclared_name: The manifest declares no telemetry attribute "nothing".',
    ],
    ["enapter.send_properties { serial = 1 }", '1:27 undeclared_name: The manifest declares no property "serial".'],
    [
      "return configuration.read('conection').address",
      '1:27 undeclared_name: The manifest declares no configuration bucket "conection". Did you mean connection?',
    ],
  ])("%s", (text, expected) => {
    expect(lint(text).join("\n")).toBe(expected);
  });
});

describe("says nothing about", () => {
  test.each([
    // globals
    "function send() end\nscheduler.add(1000, send)",
    "scheduler.add(1000, function() send() end)\nfunction send() end",
    "if DEBUG then print(DEBUG) end",
    "local unpack = table.unpack or unpack\nreturn unpack({})",
    "if type(inspect) == 'function' then print(inspect({})) end",
    "local x = not missing",
    "_G.shared = 1\nreturn shared",
    "return _G['missing']",
    "setmetatable(_G, { __index = function() return 1 end })\nreturn anything",
    "load('x = 1')()\nreturn x",
    "local _ENV = { y = 1 }\nreturn y",
    "for name in pairs(_G) do _G[name] = nil end\nreturn z",
    // globals of functions
    "function enapter.main() client = 1 end\nfunction tick() return client end",
    "function tick() count = (count or 0) + 1 end",
    "function f(now) if now then cached = 1 end return cached end",
    "state = 1\nfunction f() state = 2 return state end",
    "function f() _, err2 = pcall(print) return err2 end".replace("err2 =", "_ =").replace("return err2", "return 1"),
    "local function f() local x = 1 x = 2 return x end return f",
    // fields
    "enapter.helper = function() end\nenapter.helper()",
    "function enapter.extra() end\nenapter.extra()",
    "if enapter.newer then enapter.newer(1) end",
    "local has = modbus.map ~= nil\nreturn has and modbus.map('x')",
    "extend(enapter)\nfunction extend(t) t.added = print end\nenapter.added()",
    "local modbus = { neww = print }\nmodbus.neww()",
    "json = { parse = print }\njson.parse('x')",
    "local client = modbus.new('x')\nclient.name = 'one'\nreturn client.name",
    "local client = modbus.new('x')\nclient = { reed = print }\nclient.reed()",
    "return http.get('x').headers['X-Any'], http.get('x').headers.anything",
    "return ('x'):fromat(1)",
    "local client = modbus.new('x')\nreturn client['read_' .. kind(1)](client, 1, 2, 3)\n".replace(
      "kind(1)",
      "'inputs'",
    ),
    // calls
    "local function f(...) scheduler.add(...) enapter.log(...) end return f",
    "scheduler.add(table.unpack({ 1000, print }))",
    "local client = modbus.new('x')\nclient.read_inputs(client, 1, 2, 3)",
    "local client = modbus.new('x')\nlocal c = client\nc.read_inputs(c, 1, 2, 3, 500)",
    "function enapter.log(a, b, c, d) end\nenapter.log(1, 2, 3, 4)",
    "enapter.register_command_handler('start', function(ctx) ctx:log('x') ctx.log('x', 'info') ctx:error() end)",
    "scheduler.remove(nil)",
    "return os.date(), os.time({ year = 2026, month = 1, day = 1 }), math.pow(2, 3)",
    // the manifest
    "local name = 'x'\nenapter.register_command_handler(name, print)\nenapter.send_telemetry({ [name] = 1, 2 })",
    "local child = enapter.register_child('c')\nchild:send_telemetry({ any = 1 })\nchild.configuration.read('other')",
    "enapter.send_telemetry({ alert_details = {} })",
    // a text that our reader does not take is the interpreter's business
    "return return",
  ])("%s", (text) => {
    expect(lint(text)).toEqual([]);
  });
});

test("names are shared by all files of the package and its rocks", () => {
  const files = { "main.lua": "require('lib')\nshared()\nfrom_rock()", "lib.lua": "function shared() end" };
  expect(lint(files, { rocks: { "rock.lua": "from_rock = print\nnothing_of_ours()" } })).toEqual([]);
  expect(lint({ ...files, "lib.lua": "" }, { rocks: { "rock.lua": "from_rock = print" } })).toEqual([
    "2:1 undefined_global: Nothing defines the global shared.",
  ]);
});

test("a file of the package comes before a table of the host", () => {
  const files = { "main.lua": "return require('json').parse('x')", "json.lua": "return { parse = print }" };
  expect(lint(files)).toEqual([]);
});

test("without the rocks only what looks misspelt is reported", () => {
  expect(lint("from_a_rock()\nprnt()", { isComplete: false })).toEqual([
    "2:1 undefined_global: Nothing defines the global prnt. Did you mean print?",
  ]);
});

test("scripts of device/1.0 have their own host, by the manifest or by what they require", () => {
  const script = "rs485.init(9600, 8, 'N', 1)\nlocal d, code = modbus.read_holdings(1, 2, 3)\nrl6.opn(1)";
  const found = ["3:5 unknown_field: rl6 has no opn. Did you mean open?"];
  expect(lint(script, { v1: true })).toEqual(found);
  expect(lint(`require('busbar.v1')\n${script}`)).toEqual(found.map((one) => one.replace("3:5", "4:5")));
  expect(lint(script).length).toBeGreaterThan(1);
});

test("places are right behind letters of several bytes and other line ends", () => {
  expect(lint("local a = 'ä€😀' prnt()")).toEqual([expect.stringMatching(/^1:18 undefined_global: /)]);
  expect(lint("\r\n\rprnt()\n\r")).toEqual([expect.stringMatching(/^3:1 undefined_global: /)]);
});

test("a flood of findings is cut", () => {
  const many = Array.from({ length: 500 }, (_, n) => `f${n}_x()`).join("\n");
  const found = lint(many);
  expect(found).toHaveLength(101);
  expect(found.at(-1)).toBe("1:1 too_many_issues: More than 100 findings. The others are not listed.");
});
