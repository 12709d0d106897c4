import { describe, expect, test } from "vitest";
import type { Failure } from "#core/scenario/test-report.ts";
import { resolveControls } from "#manifest/control/resolve-controls.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { parseScenarios } from "#manifest/scenario/parse-scenarios.ts";
import { starterLibrary } from "#manifest/starter-profiles.ts";
import { compileJsonChecks } from "#service/blueprint/compile-json-checks.ts";
import { CONVERT, MANIFEST, SCRIPT, SETUP } from "../../../test/support/battery-blueprint.ts";
import { runScenario } from "./run-scenario.ts";
import { startScripts } from "./start-scripts.ts";

/** Runs one scenario of the battery, in this thread. */
async function run(steps: string, { script = SCRIPT, setup = SETUP, manifest = MANIFEST } = {}) {
  const { blueprint } = parseManifest(manifest);
  if (blueprint === undefined) throw new Error("the manifest has errors");
  const controls = resolveControls(blueprint, starterLibrary());
  const { scenarios, issues } = parseScenarios(`${setup}name: a try\nsteps:\n${steps}`, blueprint, "a.yml", controls);
  expect(issues).toEqual([]);
  const [scenario] = scenarios;
  if (scenario === undefined) throw new Error("there is no scenario");
  const modules = new Map([
    ["main.lua", script],
    ["convert.lua", CONVERT],
  ]);
  const scripts = startScripts({ entry: "main.lua", modules, nodebug: false });
  const json = compileJsonChecks(blueprint);
  const needs = { ...scripts, blueprint, controls, json, alive: () => {}, seed: undefined, isVerbose: true };
  return runScenario(needs, scenario, "a.yml");
}

/** A failure in one line. */
function line({ message, expected, actual, at, script, count }: Failure): string {
  const place = script === undefined ? "" : `${script.file}:${script.line} `;
  const compared = expected === undefined ? "" : `: expected ${expected}, came ${actual}`;
  return `${place}${message}${compared} at ${at}${count === undefined ? "" : ` x${count}`}`;
}

const replaced = (from: string, to: string): string => {
  expect(SCRIPT).toContain(from);
  return SCRIPT.replace(from, to);
};

test("scenarios pass, time is virtual, and what they made use of is counted", async () => {
  const report = await run(`  - wait: 2s
    expect: {telemetry: {volts: 51.2, status: ok}, properties: {model: B1}, alerts: none, writes: {battery: nothing}}
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
`);
  expect(report.failures.map(line)).toEqual([]);
  expect(report.elapsed).toBe(3_601_000);
  expect(report.exercised).toEqual({
    telemetry: ["alerts", "status", "voltage"],
    commands: ["set_power", "count_down"],
    alerts: ["too_hot", "lost"],
    handlers: ["set_power", "count_down"],
  });
});

const WAIT = "  - wait: 1s\n";

/** What each expectation says when it does not hold. */
test.each([
  ["{telemetry: {status: absent}}", "telemetry status", "nothing", '"ok"'],
  ["{telemetry: {voltage: {min: 60}}}", "telemetry voltage", "at least 60", "51.20000076293945"],
  ["{telemetry: {status: {in_order: [ok, fault]}}}", "telemetry status", '"ok", then "fault"', '"ok"'],
  ["{properties: {model: B2}}", "property model", '"B2"', '"B1"'],
  ["{alerts: [too_hot]}", "active alerts", "too_hot", "none"],
  ["{alerts: {raised: lost}}", "alert lost", "raised in this step", "not raised"],
  ["{alerts: {cleared: lost}}", "alert lost", "cleared in this step", "it was not active before"],
  ["{log: hello}", "log", 'a text with "hello"', "nothing was logged"],
  ["{storage: {power: 1}}", "storage power", '"1"', "nothing"],
  ["{writes: {battery: {holdings: {200: 5}}}}", "write to battery: holdings 200", "[5]", "nothing was written"],
  ["{lua_error: boom}", "Lua error", 'a text with "boom"', "no error"],
])("%s that does not hold", async (expectation, message, expected, actual) => {
  const { failures } = await run(`${WAIT}    expect: ${expectation}\n`);
  expect(failures.map(line)).toEqual([
    `${message}: expected ${expected}, came ${actual} at ${message === "property model" ? 0 : 1000}`,
  ]);
});

test("a command that nobody expects to fail must succeed, also one that ends while other steps run", async () => {
  const tooMuch = "  - command: set_power\n    arguments: {power: 9001}\n";
  const message = 'command set_power: expected success, came the error "too much" at 0';
  expect((await run(tooMuch)).failures.map(line)).toEqual([message]);
  expect((await run(`${tooMuch}    wait: 0s\n  - wait: 1s\n`)).failures.map(line)).toEqual([message]);
});

describe("whatever a scenario expects, it fails when the script", () => {
  test.each([
    [
      "sends what is not declared",
      ["status = 'ok',", "status = 'ok', voltag = 1,"],
      "telemetry voltag is not declared in the blueprint; did you mean voltage? at 1000 x2",
    ],
    [
      "sends another type",
      ["voltage = convert", "voltage = tostring(5), x = nil, y = nil and convert"],
      'telemetry voltage must be a number, not "5" at 1000 x2',
    ],
    [
      "leaves an enum",
      ["status = 'ok'", "status = 'okay'"],
      'telemetry status must be one of ok, fault, not "okay" at 1000 x2',
    ],
    [
      "raises an alert that is not declared",
      ["or {}", "or { 'to_hot' }"],
      "alert to_hot is not declared in the blueprint; did you mean too_hot? at 1000 x2",
    ],
    ["sends a property of another type", ["model = 'B1'", "model = 5"], "property model must be a text, not 5 at 0"],
    [
      "has an error that nothing catches",
      ["if not words", "if words.x.y"],
      "main.lua:7 attempt to index a nil value (field 'x') at 1000 x2",
    ],
    ["cannot be loaded", ["local job", "local = job"], "main.lua:3 <name> expected near '=' at 0"],
    [
      "calls its peers without end",
      ["local words, err", "while true do client:read_holdings(1, 100, 1, 500) end local words, err"],
      "the script calls its peers again and again without an end, and no time passes at 1000",
    ],
  ] as const)("%s", async (_, [from, to], message) => {
    const { failures } = await run("  - wait: 2s\n", { script: replaced(from, to) });
    expect(failures.map(line)).toEqual([message]);
  });

  test("answers a command with less than the manifest says", async () => {
    const script = replaced("return { power = args.power }", "return {}");
    const { failures } = await run("  - {command: set_power, arguments: {power: 1}}\n", { script });
    expect(failures.map(line)).toEqual(["response of set_power has no power, which the manifest requires at 0"]);
  });

  test("computes without end", async () => {
    const script = replaced("local words", "while true do end local words");
    const { failures, isWhole } = await run("  - wait: 2s\n", { script });
    expect(failures.map(({ message }) => message)).toEqual(["computed for more than 5000 ms without a pause"]);
    expect(isWhole).toBe(false);
  });
});

describe("json values are held against their json_schema", () => {
  const manifest = MANIFEST.replace(
    "properties:\n",
    `properties:\n  plan: {type: json, display_name: Plan, json_schema: '{"type": "object", "required": ["a"]}'}\n`,
  ).replace(
    "  count_down:",
    `  plan:
    group: all
    display_name: Plan
    arguments: {steps: {type: json, display_name: Steps, json_schema: '{"type": "array", "items": {"type": "integer"}}'}}
    response: {made: {type: json, json_schema: '{"type": "object", "additionalProperties": {"type": "integer"}}'}}
  count_down:`,
  );
  const answering = (made: string) =>
    `${SCRIPT}\nenapter.register_command_handler('plan', function() return { made = ${made} } end)`;
  const planning = (steps: string) => `  - {command: plan, arguments: {steps: ${steps}}}\n`;

  test.each([
    ["arguments", planning("[1, x]"), "{}", ["plan: steps does not fit its schema: /1 must be integer at 0"]],
    [
      "answers",
      planning("[1]"),
      "{ a = 'b' }",
      ["response of plan: made does not fit its schema: /a must be integer at 0"],
    ],
    ["sound ones", planning("[1, 2]"), "{ a = 1 }", []],
    ["an empty table, which is a list and an object alike", planning("[]"), "{}", []],
  ])("%s", async (_, steps, made, expected) => {
    expect((await run(steps, { script: answering(made), manifest })).failures.map(line)).toEqual(expected);
  });

  test("properties", async () => {
    const sending = (plan: string) => replaced("model = 'B1'", `plan = ${plan}`);
    const problem = 'property plan does not fit its schema: it lacks the field "a" at 0';
    expect((await run(WAIT, { script: sending("{ b = 1 }"), manifest })).failures.map(line)).toEqual([problem]);
    expect((await run(WAIT, { script: sending("{ a = 1 }"), manifest })).failures.map(line)).toEqual([]);
  });
});

test("names that a scenario allows may be sent undeclared", async () => {
  const script = replaced("status = 'ok',", "status = 'ok', extra = 1,");
  const { failures } = await run("  - wait: 2s\n", { script, setup: `${SETUP}allow_undeclared: [extra]\n` });
  expect(failures).toEqual([]);
});

test("an error that is wanted is no failure", async () => {
  const script = replaced("local words, err", "error('boom') local words, err");
  expect((await run("  - {wait: 2s, expect: {lua_error: boom}}\n", { script })).failures).toEqual([]);
  expect((await run("  - {wait: 2s, expect: {lua_error: bang}}\n", { script })).failures.map(line)).toEqual([
    "main.lua:6 boom at 1000 x2",
    'Lua error: expected a text with "bang", came "main.lua:6: boom"; "main.lua:6: boom" at 2000',
  ]);
});

test("an error by which a handler ends its command as expected is no failure", async () => {
  const script = replaced("ctx.error('too much')", "error('too much')");
  const steps = (message: string) =>
    `  - {command: set_power, arguments: {power: 9001}, expect: {error: ${message}}}\n`;
  expect((await run(steps("too much"), { script })).failures).toEqual([]);
  expect((await run(steps("too little"), { script })).failures).toHaveLength(2);
});

test("a restart interrupts a command as on a gateway", async () => {
  const { failures } = await run(`  - {command: count_down, wait: 1s}
  - {restart: true, expect: {error: "interrupted by restart, outcome unknown"}}
  - {command: set_power, arguments: {power: 5}}
`);
  expect(failures.map(line)).toEqual([]);
  expect((await run("  - {command: count_down, wait: 1s}\n  - restart: true\n")).failures.map(line)).toEqual([]);
});

test("the time that values were taken at is no value", async () => {
  const script = replaced("status = 'ok',", "status = 'ok', timestamp = os.time(),");
  expect((await run("  - wait: 1s\n", { script })).failures).toEqual([]);
});

test("the start belongs to the first step, and a step without action to the step before", async () => {
  const { failures } = await run(`  - wait: 1s
    expect: {properties: {model: B1}}
  - expect: {properties: {model: B1}, telemetry: {status: ok}}
  - wait: 1s
    expect: {properties: {model: absent}}
  - at: 5s
    expect: {telemetry: {status: ok}, properties: {model: absent}}
  - wait: 1ms
    expect: {telemetry: {status: ok}}
`);
  expect(failures.map(line)).toEqual([
    'telemetry status: expected "ok", came not sent in this step; last sent "ok" at 5 s at 5001',
  ]);
});

test("a moment that has passed is no place to go to", async () => {
  const { failures } = await run("  - wait: 5s\n  - at: 2s\n");
  expect(failures.map(line)).toEqual(["at 2 s has passed already: the step begins at 5 s at 5000"]);
});

test("the wall clock can be set, and goes on from there", async () => {
  const script = `${SCRIPT}\nscheduler.add(1000, function() enapter.log(os.date('!%H:%M:%S') .. ' ' .. system.uptime()) end)`;
  const { failures } = await run(
    "  - {wait: 1s, expect: {log: 00:00:01 1}}\n  - {clock: 2026-01-01T23:59:59Z, wait: 1s, expect: {log: 00:00:00 2}}\n",
    { script },
  );
  expect(failures.map(line)).toEqual([]);
});

test("the clock, chance and the order of things are the same in every run", async () => {
  const script = `${SCRIPT}
enapter.log(os.date('!%Y-%m-%d %H:%M:%S') .. ' ' .. math.random(1000000))
for name in pairs({ a = 1, b = 2, c = 3, d = 4, e = 5, f = 6 }) do enapter.log(name) end`;
  const setup = `${SETUP}start: 2026-06-21T10:00:00Z\n`;
  const [one, other] = [await run("  - wait: 5s\n", { script, setup }), await run("  - wait: 5s\n", { script, setup })];
  expect(one.timeline[0]?.text).toMatch(/^log info: 2026-06-21 10:00:00 \d+$/);
  expect(one).toEqual(other);
});

describe("controls", () => {
  const CONTROLLED = `${MANIFEST.replace("voltage:", "power: {type: float, display_name: Power}\n  voltage:")}
.busbar:
  controls:
    power:
      {command: set_power, argument: power, reads: power, min: 0, max: 20000, settle: 3s, tolerance: 1, fallback: {value: 0}}
`;
  const FOLLOWING = replaced("status = 'ok',", "status = 'ok', power = tonumber(storage.read('power') or '0'),");
  const play = async (steps: string, script = FOLLOWING, setup = SETUP) =>
    (await run(steps, { script, setup, manifest: CONTROLLED })).failures.map(line);

  test("a claim is written, followed, limited, ended by its lease, and the fallback comes", async () => {
    const failures = await play(`  - claim: {power: {target: 500, lease: 30s}}
    within: 5s
    expect: {controls: {power: {value: 500, written: 500, follow: followed}}, writes: {battery: {holdings: {200: 500}}}}
  - claim: {power: {max: 200, class: grid, lease: 10s}}
    within: 5s
    expect: {controls: {power: {value: 200, written: 200}}}
  - wait: 12s
    expect: {controls: {power: {written: 500}}}
  - wait: 20s
    expect: {controls: {power: {value: absent, written: absent, follow: idle}}, storage: {power: 0}}
`);
    expect(failures).toEqual([]);
  });

  test("what fails says why, is repeated, and does not count as the latest command", async () => {
    const failures = await play(`  - claim: {power: 9500}
    wait: 2s
    expect: {controls: {power: {written: 9500}}}
  - command: count_down
  - wait: 20s
    expect: {response: {}}
`);
    expect(failures).toEqual(["control power: written: expected 9500, came none (set_power failed: too much) at 2000"]);
  });

  test("a device that does not follow is noticed, also after a restart of its script", async () => {
    const deaf = replaced("status = 'ok',", "status = 'ok', power = 3,");
    expect(
      await play("  - claim: {power: 500}\n    wait: 6s\n    expect: {controls: {power: not_followed}}\n", deaf),
    ).toEqual([]);
    const restarted = `  - claim: {power: 500}
    wait: 5s
  - restart: true
    store: {power: ""}
    wait: 5s
    expect: {writes: {battery: {holdings: {200: 500}}}, controls: {power: followed}}
`;
    expect(await play(restarted)).toEqual([]);
  });

  const INTERLOCKED = `${SETUP}interlocks:
  low:
    kind: condition
    when: {device: battery, attribute: voltage, below: 48, hysteresis: 2}
    hold_for: 10s
    limits: [{device: battery, control: power, max: 300}]
`;
  const volts = (value: number) => `set: {battery: {holdings: {100: {float32: ${value}}}}}`;

  test("an interlock limits claims and refuses commands, with hysteresis and its minimum time", async () => {
    const failures = await play(
      `  - wait: 3s
    expect: {controls: {power: {value: absent, upper_bound: absent, limited_by: absent}}, writes: {battery: nothing}}
  - claim: {power: 500}
    within: 5s
    expect: {controls: {power: {written: 500, follow: followed}}}
  - ${volts(47)}
    within: 5s
    expect: {controls: {power: {value: 300, written: 300, upper_bound: 300, lower_bound: absent, limited_by: low}}}
  - command: set_power
    arguments: {power: 301}
    expect: {refused: the interlock low does not allow 301 of power, storage: {power: 300}}
  - command: set_power
    arguments: {power: 299}
    expect: {response: {power: 299}}
  - ${volts(49)}
    wait: 30s
    expect: {controls: {power: {value: 300, limited_by: low}}}
  - ${volts(50)}
    within: 5s
    expect: {controls: {power: {value: 500, written: 500, limited_by: absent}}}
  - ${volts(47)}
    wait: 2s
  - ${volts(50)}
    wait: 5s
    expect: {controls: {power: {limited_by: low}}}
  - wait: 5s
    expect: {controls: {power: {limited_by: absent}}}
`,
      FOLLOWING,
      INTERLOCKED,
    );
    expect(failures).toEqual([]);
  });

  test("what nobody claims is told the limit and given back, and nothing known is never fine", async () => {
    const failures = await play(
      `  - wait: 2s
  - command: set_power
    arguments: {power: 800}
  - wait: 3s
    expect: {controls: {power: {written: absent}}}
  - set: {battery: silent}
    wait: 25s
    expect: {controls: {power: {limited_by: absent}}}
  - wait: 10s
    expect: {controls: {power: {value: 300, upper_bound: 300, limited_by: low}}}
  - set: {battery: well}
    wait: 15s
    expect: {controls: {power: {value: absent, limited_by: absent}}}
`,
      FOLLOWING,
      INTERLOCKED,
    );
    expect(failures).toEqual([]);
  });

  test("a refusal is no error of the script, and neither is it the other way round", async () => {
    const failures = await play(
      `  - ${volts(47)}
    wait: 3s
  - command: set_power
    arguments: {power: 500}
    expect: {error: low}
  - command: set_power
    arguments: {power: 100}
    expect: {refused: low}
  - command: set_power
    arguments: {power: 500}
`,
      FOLLOWING,
      INTERLOCKED,
    );
    expect(failures).toHaveLength(3);
    expect(failures[0]).toMatch(/^command set_power: expected an error, .*came it was refused: the interlock low/);
    expect(failures[1]).toMatch(/^command set_power: expected a refusal, .*came SUCCEEDED/);
    expect(failures[2]).toMatch(/^command set_power: expected success, came the error "the interlock low/);
  });

  test("nothing is written while the connection is lost", async () => {
    const failures = await play(`  - connected: false
    claim: {power: 500}
    wait: 5s
    expect: {writes: {battery: nothing}}
  - connected: true
    within: 5s
    expect: {controls: {power: {written: 500}}}
`);
    expect(failures).toEqual([]);
  });
});
