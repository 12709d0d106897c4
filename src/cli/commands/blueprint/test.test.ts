import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { runBusbar, withFolder } from "../../../../test/support/run-busbar.ts";

const MANIFEST = `blueprint_spec: device/3.0
display_name: Battery
runtime: {type: lua, options: {dir: lua}}
properties:
  model: {type: string, display_name: Model}
telemetry:
  status: {type: string, display_name: Status, enum: [ok, fault]}
  voltage: {type: float, display_name: Voltage, aliases: volts}
  alerts: {type: alerts, display_name: Alerts}
command_groups: {all: {display_name: All}}
commands:
  set_power:
    group: all
    display_name: Set power
    arguments: {power: {type: integer, display_name: Power, required: true}}
    response: {power: {type: integer, required: true}}
  count_down: {group: all, display_name: Count down}
alerts:
  too_hot: {severity: error, display_name: Too hot}
  lost: {severity: warning, display_name: Lost}
configuration:
  link: {display_name: Link, parameters: {address: {type: string, display_name: Address, required: true}, period: {type: integer, display_name: Period, default: 1000}}}
`;

const SCRIPT = `local convert = require('convert')
local client
local job

local function tick()
  local words, err = client:read_holdings(1, 100, 3, 500)
  if not words then
    enapter.log('no answer: ' .. err, 'warning')
    enapter.send_telemetry({ status = 'fault', alerts = { 'lost' } })
    return
  end
  enapter.send_telemetry({
    status = 'ok',
    voltage = convert.float(words[1], words[2]),
    alerts = words[3] > 600 and { 'too_hot' } or {},
  })
end

local function start()
  local config = configuration.read('link')
  client = modbus.new('tcp://' .. config.address)
  if job then scheduler.remove(job) end
  job = scheduler.add(config.period, tick)
end

function enapter.main()
  enapter.send_properties({ model = 'B1' })
  start()
  configuration.after_write('link', start)
  enapter.on_connection_status_changed(function(is_connected)
    enapter.log('connected: ' .. tostring(is_connected))
  end)
  enapter.register_command_handler('set_power', function(ctx, args)
    if args.power > 9000 then ctx.error('too much') end
    local err = client:write_holding(1, 200, args.power)
    if err then ctx.error(err) end
    storage.write('power', tostring(args.power))
    return { power = args.power }
  end)
  enapter.register_command_handler('count_down', function(ctx)
    for i = 3, 1, -1 do
      ctx.log('at ' .. i)
      system.delay(2000)
    end
  end)
end
`;

const CONVERT = `return {
  float = function(high, low)
    return (string.unpack('>f', string.pack('>I2I2', high, low)))
  end,
}
`;

const SETUP = `configuration: {link: {address: 10.0.0.5}}
peers:
  battery: {modbus: "tcp://10.0.0.5:502", holdings: {100: {float32: 51.2}, 102: 235}}
`;

const GOOD = { "manifest.yml": MANIFEST, "lua/main.lua": SCRIPT, "lua/convert.lua": CONVERT };

type Files = Readonly<Record<string, string>>;

/** What `busbar blueprint test` says about a folder of these files. */
function testing(files: Files, flags = "") {
  return withFolder((folder) => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    return runBusbar(`blueprint test ${flags}`, { cwd: folder });
  });
}

const scenario = (steps: string, setup = SETUP): Files => ({
  ...GOOD,
  "tests/a.yml": `${setup}name: a try\nsteps:\n${steps}`,
});

test("scenarios pass, time is virtual, and what they made use of is counted", async () => {
  const { code, out, err } = await testing(
    scenario(`  - wait: 2s
    expect: {telemetry: {volts: 51.2, status: ok}, properties: {model: absent}, alerts: none, writes: {battery: nothing}}
  - set: {battery: {holdings: {102: 650}}}
    within: 10s
    expect: {alerts: {raised: too_hot}}
  - command: set_power
    arguments: {power: 500}
    expect: {response: {power: 500}, writes: {battery: {holdings: {200: 500}}}, storage: {power: 500}}
  - command: set_power
    arguments: {power: 9001}
    expect: {error: too much, storage: {power: "500"}}
  - command: count_down
    expect: {progress: [at 3, at 1]}
  - command: count_down
    wait: 1s
    expect: {no_response: true}
  - within: 10s
    expect: {response: {}}
  - set: {battery: silent}
    wait: 3s
    expect: {log: {severity: warning, text: no answer within 500 ms}, telemetry: {voltage: absent, status: fault}, alerts: {raised: lost, cleared: too_hot}}
  - set: {battery: well}
    connected: false
    wait: 1s
    expect: {log: "connected: false"}
  - configure: {link: {period: 60000}}
    wait: 30s
    expect: {telemetry: {status: absent}}
  - at: 1h
    restart: true
    wait: 1s
    expect: {properties: {model: B1}, telemetry: {status: absent}, storage: {power: 500}}
`),
  );
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toBe(`.
  ✓ tests/a.yml  a try  3601 s

  telemetry 3 of 3 sent, commands 2 of 2 run, alerts 2 of 2 raised

1 scenario passed
`);
});

test("the same tests give the same bytes", async () => {
  const files = scenario("  - {wait: 5s, expect: {telemetry: {voltage: 1}}}\n");
  const [one, other] = [await testing(files, "--verbose"), await testing(files, "--verbose")];
  expect(one.code).toBe(1);
  expect(one).toEqual(other);
});

test("a failure says what was expected, what came, where, and what happened before", async () => {
  const { code, out } = await testing(scenario("  - wait: 1s\n    expect: {telemetry: {volts: 48}}\n"));
  expect(code).toBe(1);
  expect(out).toBe(`.
  ✗ tests/a.yml  a try  1 s

  tests/a.yml:7:26  telemetry volts  at 1 s
    expected  48
    came      51.20000076293945
    5 | steps:
    6 |   - wait: 1s
    7 |     expect: {telemetry: {volts: 48}}
      |                          ^^^^^

  what happened before (all of it with --verbose)
    0 s    properties model="B1"
    0 s  line 6
    1 s    battery ← read holdings 100+3 of unit 1 → 16972 52429 235
    1 s    telemetry alerts=[] status="ok" voltage=51.2

  telemetry 3 of 3 sent, commands 0 of 2 run, alerts 0 of 2 raised

1 scenario failed
`);
});

const WAIT = "  - wait: 1s\n";

/** What each expectation says when it does not hold. */
test.each([
  ["{telemetry: {status: absent}}", "telemetry status", "nothing", '"ok"'],
  ["{telemetry: {voltage: {min: 60}}}", "telemetry voltage", "at least 60", "51.20000076293945"],
  ["{telemetry: {status: {in_order: [ok, fault]}}}", "telemetry status", '"ok", then "fault"', '"ok"'],
  ["{properties: {model: B2}}", "property model", '"B2"', 'not sent in this step; last sent "B1" at 0 s'],
  ["{alerts: [too_hot]}", "active alerts", "too_hot", "none"],
  ["{alerts: {raised: lost}}", "alert lost", "raised in this step", "not raised"],
  ["{alerts: {cleared: lost}}", "alert lost", "cleared in this step", "it was not active before"],
  ["{log: hello}", "log", 'a text with "hello"', "nothing was logged"],
  ["{storage: {power: 1}}", "storage power", '"1"', "nothing"],
  ["{writes: {battery: {holdings: {200: 5}}}}", "write to battery: holdings 200", "[5]", "nothing was written"],
  ["{lua_error: boom}", "Lua error", 'a text with "boom"', "no error"],
])("%s that does not hold", async (expectation, message, expected, actual) => {
  const { out } = await testing(scenario(`${WAIT}    expect: ${expectation}\n`), "-o json");
  const { blueprints } = JSON.parse(out);
  expect(blueprints[0].scenarios[0].failures).toEqual([
    { kind: "expectation", message, expected, actual, at_ms: 1000, line: 7, column: expect.any(Number) },
  ]);
});

test("a command that nobody expects to fail must succeed", async () => {
  const { out } = await testing(scenario("  - command: set_power\n    arguments: {power: 9001}\n"));
  expect(out).toContain(
    'tests/a.yml:6:5  command set_power  at 0 s\n    expected  success\n    came      the error "too much"',
  );
});

describe("whatever a scenario expects, it fails when the script", () => {
  const quiet = scenario("  - wait: 2s\n");
  test.each([
    [
      "sends what is not declared",
      "status = 'ok',",
      "status = 'ok', voltag = 1,",
      "telemetry voltag is not declared in the blueprint; did you mean voltage?  at 1 s\n    and 1 more time",
    ],
    [
      "sends another type",
      "voltage = convert",
      "voltage = tostring(5), x = nil, _ = convert",
      'telemetry voltage must be a number, not "5"',
    ],
    ["leaves an enum", "status = 'ok'", "status = 'okay'", 'telemetry status must be one of ok, fault, not "okay"'],
    [
      "raises an alert that is not declared",
      "or {}",
      "or { 'to_hot' }",
      "alert to_hot is not declared in the blueprint; did you mean too_hot?",
    ],
    [
      "has no handler",
      "handler('count_down'",
      "handler('countdown'",
      "command count_down has no handler in the script; did you mean it by the handler of countdown?",
    ],
    [
      "handles what is not declared",
      "handler('count_down'",
      "handler('countdown'",
      "the script handles countdown, which the manifest does not declare; did you mean count_down?",
    ],
    [
      "has an error that nothing catches",
      "if not words",
      "if words.x.y",
      "lua/main.lua:7  attempt to index a nil value (field 'x')  at 1 s\n    and 1 more time",
    ],
    ["cannot be loaded", "local job", "local = job", "lua/main.lua:3  unexpected symbol near '='"],
  ])("%s", async (_, from, to, message) => {
    expect(SCRIPT).toContain(from);
    const { code, out } = await testing({ ...quiet, "lua/main.lua": SCRIPT.replace(from, to) });
    expect(code).toBe(1);
    expect(out).toContain(message);
  });

  test("answers a command with less than the manifest says", async () => {
    const files = scenario("  - {command: set_power, arguments: {power: 1}}\n");
    const { out } = await testing({
      ...files,
      "lua/main.lua": SCRIPT.replace("return { power = args.power }", "return {}"),
    });
    expect(out).toContain("response of set_power has no power, which the manifest requires");
  });

  test("computes without end", async () => {
    const { code, out } = await testing({
      ...quiet,
      "lua/main.lua": SCRIPT.replace("local words", "while true do end local words"),
    });
    expect(code).toBe(1);
    expect(out).toContain("computed for more than");
  });
});

test("names that a scenario allows may be sent undeclared", async () => {
  const script = SCRIPT.replace("status = 'ok',", "status = 'ok', extra = 1,");
  const files = scenario("  - wait: 2s\n", `${SETUP}allow_undeclared: [extra]\n`);
  expect((await testing({ ...files, "lua/main.lua": script })).code).toBe(0);
});

test("an error that is wanted is no failure", async () => {
  const script = SCRIPT.replace("local words, err", "error('boom') local words, err");
  const files = scenario("  - {wait: 2s, expect: {lua_error: boom}}\n");
  expect((await testing({ ...files, "lua/main.lua": script })).code).toBe(0);
});

test("without a scenario the script runs for a minute with nobody to talk to", async () => {
  const ran = await testing({ ...GOOD, "lua/main.lua": "function enapter.main() error('no address') end" });
  expect(ran.code).toBe(1);
  expect(ran.out).toContain("✗ starts and runs for a minute without peers");
  expect(ran.out).toContain("lua/main.lua:1  no address");
});

test("a scenario that cannot be read is told with every problem and its place, and the others run", async () => {
  const { code, out } = await testing({
    ...scenario("  - wait: 1s\n"),
    "tests/b.yml": "steps:\n  - wiat: 1s\n  - expect: {telemetry: {volt: 5}}\n",
  });
  expect(code).toBe(1);
  expect(out).toContain("✓ tests/a.yml  a try  1 s");
  expect(out).toContain('tests/b.yml:2:5 error\n    A step has no key "wiat". Did you mean wait?');
  expect(out).toContain('There is no telemetry attribute "volt". Did you mean volts?');
});

test("only what the filter names is run, and nothing to run is wrong usage", async () => {
  const files = scenario("  - wait: 1s\n");
  expect((await testing(files, "--filter try")).out).toContain("✓ tests/a.yml");
  expect(await testing(files, "--filter other")).toMatchObject({
    code: 2,
    out: expect.stringContaining("no scenario fits the filter"),
  });
  const embedded = { "manifest.yml": "blueprint_spec: device/3.0\ndisplay_name: E\nruntime: {type: embedded}\n" };
  expect(await testing(embedded)).toMatchObject({ code: 2, out: expect.stringContaining("its runtime is embedded") });
});

test("a manifest with errors is reported as lint does it", async () => {
  const { code, err } = await testing({
    "manifest.yml": MANIFEST.replace("display_name: Battery", "display_nam: Battery"),
  });
  expect(code).toBe(1);
  expect(err).toContain("display_nam");
});

test("files may be named, several scenarios lie in one, and random numbers follow the seed", async () => {
  const files = {
    ...GOOD,
    "lua/main.lua": `${SCRIPT}\nenapter.log(tostring(math.random(1000000)))`,
    "more/x.yml": `${SETUP}scenarios:\n  - {name: one, steps: [{wait: 1s}]}\n  - {name: two, seed: 5, steps: [{wait: 1s}]}\n`,
  };
  const numbers = async (flags: string) => {
    const { out } = await testing(files, `--scenario more/x.yml --verbose ${flags}`);
    return [...out.matchAll(/log info: (\d+)/g)].map(([, number]) => number);
  };
  const [first, second] = [await numbers(""), await numbers("--seed 7")];
  expect(first).toHaveLength(2);
  expect(second[0]).not.toBe(first[0]);
  expect(second[1]).toBe(first[1]);
});

test("--watch runs again when a file changes", async () => {
  await withFolder(async (folder) => {
    for (const [path, content] of Object.entries(scenario("  - wait: 1s\n"))) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    let outputs = 0;
    const { promise: interrupt, resolve: end } = Promise.withResolvers<void>();
    const ran = await runBusbar("blueprint test --watch", {
      cwd: folder,
      interrupt,
      onOutput: () => {
        outputs += 1;
        if (outputs === 1) writeFileSync(join(folder, "lua/main.lua"), SCRIPT.replace("'ok'", "'okay'"));
        else end();
      },
    });
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(/1 scenario passed[\s\S]*1 scenario failed/);
  });
});
