import fc from "fast-check";
import { expect, test } from "vitest";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { resolveControls } from "#manifest/control/resolve-controls.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { starterLibrary } from "#manifest/starter-profiles.ts";
import { parseScenarios } from "./parse-scenarios.ts";

const MANIFEST = `
blueprint_spec: device/3.0
display_name: Battery
runtime: {type: lua, options: {file: main.lua}}
properties:
  model: {type: string, display_name: Model}
telemetry:
  status: {type: string, display_name: Status, enum: [ok, fault]}
  battery_soc: {type: float, display_name: State of charge, aliases: soc}
  alerts: {type: alerts, display_name: Alerts}
command_groups: {all: {display_name: All}}
commands:
  set_mode:
    group: all
    display_name: Set mode
    aliases: mode
    arguments:
      mode: {type: string, display_name: Mode, required: true, enum: [remote, local]}
      reserve: {type: integer, display_name: Reserve, default: 10, max: 100}
alerts:
  too_hot: {severity: error, display_name: Too hot}
configuration:
  connection:
    display_name: Connection
    parameters:
      address: {type: string, display_name: Address, required: true}
      unit: {type: integer, display_name: Unit, min: 1, max: 247, default: 1}
`;

function blueprint(): Blueprint {
  const parsed = parseManifest(MANIFEST);
  if (parsed.blueprint === undefined) throw new Error(JSON.stringify(parsed.issues));
  return parsed.blueprint;
}

const BLUEPRINT = blueprint();

const PEERS = `peers:
  battery: {modbus: any, unit: 3, words: little, holdings: {10: {float32: 51.2}, 0x20: -1, 40: [1, 2], 50: {error: 2}}}
  cloud: {http: "http://10.0.0.9", routes: {GET /a: {json: {x: 1}}, POST /b: [204, {code: 500, body: no}]}}
  bus: {can: any, frames: [{id: 0x351, data: E8 03, every: 100ms}]}
  scale: {serial: any, answers: [{to: "?\\r", answer: {hex: 31 0d}}]}
  pump: {relay: any, closed: true}
`;

function parse(text: string) {
  return parseScenarios(text, BLUEPRINT, "file");
}

/** Each issue as `line:column message`. */
function problems(text: string): readonly string[] {
  return parse(text).issues.map(({ range, message }) => `${range.start.line}:${range.start.column} ${message}`);
}

test("a scenario says what there is, what happens and what is expected", () => {
  const { scenarios, issues } = parse(`${PEERS}
name: Charges
start: 2026-06-21T10:00:00Z
configuration: {connection: {address: 10.0.0.5}}
storage: {count: "7"}
steps:
  - wait: 1m30s
    expect: {telemetry: {soc: {approx: 50, tolerance: 2%}, status: absent}, alerts: [too_hot]}
  - command: mode
    arguments: {mode: remote}
    expect: {response: {mode: remote}, writes: {battery: {holdings: {11: {int16: 5}}}}}
`);
  expect(issues).toEqual([]);
  const [scenario] = scenarios;
  expect(scenario).toMatchObject({ name: "Charges", start: Date.UTC(2026, 5, 21, 10), connected: true });
  const tables = scenario?.peers.get("battery")?.state.units?.get(3);
  expect(tables?.holdings).toEqual(
    new Map<number, unknown>([
      [10, [0xcccd, 0x424c]],
      [0x20, [0xffff]],
      [40, [1, 2]],
      [50, { exception: 2 }],
    ]),
  );
  const [first, second] = scenario?.steps ?? [];
  expect(first).toMatchObject({ place: { line: 13, column: 5 }, wait: 90_000 });
  expect(first?.expect.telemetry).toEqual(
    new Map<string, unknown>([
      ["soc", { place: { line: 14, column: 26 }, value: { kind: "approx", value: 50, tolerance: 1 } }],
      ["status", { place: { line: 14, column: 60 }, value: { kind: "absent" } }],
    ]),
  );
  expect(second?.command).toMatchObject({ name: "set_mode", arguments: { mode: "remote", reserve: 10 } });
});

test("several scenarios share peers, and each adds to what the file says", () => {
  const { scenarios, issues } = parse(`${PEERS}
configuration: {connection: {address: a}}
scenarios:
  - {name: one, steps: [{wait: 1s}]}
  - {name: two, configuration: {connection: {unit: 2}}, set: {battery: silent}, steps: [{wait: 1s}]}
`);
  expect(issues).toEqual([]);
  expect(scenarios.map(({ name }) => name)).toEqual(["one", "two"]);
  expect(scenarios[1]?.configuration.get("connection")).toEqual(
    new Map<string, unknown>([
      ["address", "a"],
      ["unit", 2],
    ]),
  );
  expect(scenarios[1]?.set.get("battery")).toMatchObject({ silent: true });
});

test.each([
  [
    "steps: [{wait: 5}]",
    "1:16 wait must be a duration such as 5s, 200ms or 1m30s, and is the number 5. Did you mean 5s?",
  ],
  ["steps: [{wait: 8d}]", "1:16 wait must be seven days at most. To reach another date, set the clock."],
  ["steps: [{wiat: 5s}]", '1:10 A step has no key "wiat". Did you mean wait?'],
  ["stepps: []", '1:1 A scenario has no key "stepps". Did you mean steps?'],
  ["name: x", "1:1 A scenario needs either steps, or scenarios for several of them."],
  [
    "steps: [{expect: {telemetry: {bettery_soc: 5}}}]",
    '1:31 There is no telemetry attribute "bettery_soc". Did you mean battery_soc?',
  ],
  [
    "steps: [{expect: {telemetry: {soc: {aprox: 5}}}}]",
    '1:31 An expectation has no key "aprox". Did you mean approx? An object as value is written {equals: {...}}.',
  ],
  [
    "steps: [{expect: {telemetry: {soc: {min: 5, equals: 6}}}}]",
    "1:31 min and equals do not go together. Keep one of the two.",
  ],
  [
    "steps: [{expect: {telemetry: {soc: }}}]",
    "1:31 An expectation is empty. Write a value, or absent where nothing is expected.",
  ],
  ["steps: [{expect: {alerts: [too_cold]}}]", '1:28 There is no alert "too_cold". Known are too_hot.'],
  ["steps: [{expect: {alerts: {raised: hot}}}]", '1:36 There is no alert "hot". Known are too_hot.'],
  ["steps: [{command: set_mod}]", '1:19 There is no command "set_mod". Did you mean set_mode?'],
  ["steps: [{command: set_mode}]", "1:10 set_mode: mode is required."],
  [
    "steps: [{command: set_mode, arguments: {mode: remot}}]",
    '1:41 set_mode: mode must be one of remote, local, not "remot"; did you mean remote?',
  ],
  [
    "steps: [{command: set_mode, arguments: {mode: local, x: 1}}]",
    '1:54 set_mode has no argument "x"; declared: mode, reserve.',
  ],
  ["steps: [{arguments: {a: 1}}]", "1:10 arguments need a command."],
  ["steps: [{set: {batery: silent}}]", '1:16 There is no peer "batery". No peer is declared.'],
  [`${PEERS}steps: [{set: {batery: silent}}]`, '7:16 There is no peer "batery". Did you mean battery?'],
  [`${PEERS}steps: [{set: {battery: slient}}]`, '7:25 battery cannot be "slient". Did you mean silent?'],
  [
    `${PEERS}steps: [{set: {battery: {closed: true}}}]`,
    '7:26 A modbus peer has no key "closed". Known are silent, delay, error, unit, words, unlisted, holdings, inputs, coils, discrete_inputs, units.',
  ],
  [
    `${PEERS}steps: [{set: {battery: {holdings: {a: 1}}}}]`,
    '7:37 "a" is no register. Registers are numbered from 0 to 65535, as the script numbers them.',
  ],
  [
    `${PEERS}steps: [{set: {battery: {holdings: {1: {int16: 40000}}}}}]`,
    "7:37 int16 at 1 must lie between -32768 and 32767, not 40000.",
  ],
  [
    `${PEERS}steps: [{set: {battery: {holdings: {1: {flaot32: 1}}}}}]`,
    '7:41 A register has no key "flaot32". Did you mean float32?',
  ],
  [
    `${PEERS}steps: [{expect: {requests: {battery: nothing}}}]`,
    '7:30 There is no http peer "battery". Known are cloud.',
  ],
  [
    `${PEERS}steps: [{expect: {requests: {cloud: get /a}}}]`,
    '7:37 cloud must be a method and a path, such as POST /limit, and is the text "get /a".',
  ],
  [
    `${PEERS}steps: [{send: {bus: {id: 1, data: xyz}}}]`,
    '7:36 data must be bytes as hexadecimal digits, such as "E8 03", and is the text "xyz".',
  ],
  ["peers: {a: {modbsu: any}}\nsteps: []", "1:9 The peer a needs one key that says what it is. Did you mean modbus?"],
  [
    "configuration: {conection: {}}\nsteps: []",
    '1:17 There is no configuration bucket "conection". Did you mean connection?',
  ],
  ["configuration: {connection: {unit: 300}}\nsteps: []", "1:36 unit must be at most 247, not 300."],
  [
    "steps: [{wait: 1s, within: 2s}]",
    "1:20 wait lets exactly so much time pass, within at most so much. Keep one of the two.",
  ],
  ["steps: [{within: 2s}]", "1:10 within waits for what is expected, but nothing is. Add expect, or write wait."],
  [
    "steps: [{command: set_mode, arguments: {mode: local}, expect: {error: a, response: {}}}]",
    '1:55 "response" and "error" do not go together. Keep one of the two.',
  ],
  [
    "start: yesterday\nsteps: []",
    '1:8 start must be a moment such as 2026-06-21T10:00:00Z, and is the text "yesterday".',
  ],
  ["", "1:1 The scenario is empty."],
  [
    "a: [",
    "1:5 The indentation does not fit the lines above. Use the same number of spaces for what belongs together. (Flow sequence in block collection must be sufficiently indented and end with a ])",
  ],
  ["steps: [{wait: 1s, wait: 2s}]", "1:20 wait is given twice. Keep one of the two."],
])("%j is explained", (text, message) => {
  expect(problems(text)).toEqual([message]);
});

test("all problems are reported at once", () => {
  expect(problems("steps:\n  - wiat: 1s\n  - wait: x\n  - command: nope\n")).toHaveLength(3);
});

test("whatever the text, nothing is thrown", () => {
  const word = fc.constantFrom(
    "steps",
    "peers",
    "expect",
    "wait",
    "telemetry",
    "soc",
    "modbus",
    "holdings",
    "command",
    "set",
    "[",
    "]",
    "{",
    "}",
    ": ",
    ", ",
    "\n",
    "  ",
    "- ",
    "1",
    "5s",
    "null",
    "*a",
    "&a",
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), (words) => {
      parse(words.join(""));
    }),
  );
});

/** It has a control of its power. */
function controlled() {
  const manifest = `${MANIFEST.replace("battery_soc:", "power: {type: float, display_name: P}\n  battery_soc:").replace(
    "alerts:\n  too_hot",
    ".busbar: {controls: {power: {command: set_power, argument: power, reads: power, min: -5, max: 5}}}\nalerts:\n  too_hot",
  )}`.replace(
    "commands:\n",
    "commands:\n  set_power: {group: all, display_name: S, arguments: {power: {type: float, display_name: P}}}\n",
  );
  const own = parseManifest(manifest).blueprint ?? BLUEPRINT;
  return { own, controls: resolveControls(own, starterLibrary()) };
}

test("claims are held against the controls of the device", () => {
  const { own, controls } = controlled();
  const read = (step: string) => parseScenarios(`name: a\nsteps:\n  - {${step}}`, own, "file", controls);
  const [scenario] = read("claim: {power: {min: 1, max: unlimited, class: rule, lease: 5m}}, release: power").scenarios;
  expect(scenario?.steps[0]).toMatchObject({
    release: ["power"],
    claim: [
      {
        control: "power",
        class: "rule",
        leaseMs: 300_000,
        values: [
          { kind: "min", value: 1 },
          { kind: "max", value: "unlimited" },
        ],
      },
    ],
  });
  const wrong = (step: string) => read(step).issues.map(({ message }) => message);
  expect(wrong("claim: {powr: 5}")).toEqual(['There is no control "powr". Did you mean power?']);
  expect(wrong("claim: {power: 6}")).toEqual(["power goes from -5 to 5."]);
  expect(wrong("claim: {power: {lease: 5m}}")).toEqual(["A claim needs a target, a min or a max."]);
  expect(wrong("claim: {power: {target: 1, class: grid}}")).toEqual(["A claim of class grid only limits: min or max."]);
  expect(wrong("claim: {power: {target: unlimited}}")).toContain("A claim needs a target, a min or a max.");
  expect(wrong("release: [pow]")).toHaveLength(1);
  expect(wrong("wait: 1s, expect: {controls: {power: follows}}")).toHaveLength(1);
});

test("interlocks are held against the device that is tested, and everything wrong is said at its place", () => {
  const { own, controls } = controlled();
  const read = (interlocks: string) =>
    parseScenarios(`name: a\nsteps: []\ninterlocks: ${interlocks}`, own, "file", controls);
  const full =
    "{kind: condition, when: {device: b, attribute: battery_soc, below: 10}, limits: [{device: b, control: power, max: 0}]}";
  const { scenarios, issues } = read(`{reserve: ${full}}`);
  expect(issues).toEqual([]);
  expect(scenarios[0]?.interlocks.get("reserve")?.resolved).toMatchObject({
    source: { attribute: "battery_soc" },
    limits: [{ control: { id: "power" }, max: 0 }],
  });
  const wrong = (interlocks: string) => read(interlocks).issues.map(({ path, message }) => `${path} ${message}`);
  expect(wrong(`{Reserve: ${full}}`)).toHaveLength(1);
  expect(wrong("{a: {kind: conditon}}")).toEqual([
    "/interlocks/a/kind kind must be one of connection, circuits, condition, grid_signal.",
  ]);
  expect(wrong(`{a: ${full.replace("control: power", "control: pwr").replace("battery_soc", "soc")}}`)).toEqual([
    '/interlocks/a/when/attribute when.attribute is no attribute of the device: "soc"; it has status, power, battery_soc, alerts.',
    '/interlocks/a/limits/0/control limits.0.control is no control of the device: "pwr"; it has power.',
  ]);
  expect(wrong(`{a: ${full.replace("max: 0", "hold: 5")}}`)).toHaveLength(2);
  expect(wrong(`{a: ${full.replace("device: b", "device: room")}}`)).toEqual([
    "/interlocks/a In a scenario there is only the device that is tested, and this interlock names room and b.",
  ]);
  expect(wrong(`{${Array.from({ length: 51 }, (_, n) => `a${n}: ${full}`).join(", ")}}`)).toHaveLength(1);
});

test("a scenario adds interlocks to those of its file, and replaces them by name", () => {
  const { own, controls } = controlled();
  const limit = (max: number) =>
    `{kind: condition, when: {device: b, attribute: battery_soc, below: 10}, limits: [{device: b, control: power, max: ${max}}]}`;
  const text = `interlocks: {a: ${limit(1)}, b: ${limit(2)}}\nscenarios:\n  - {name: x, steps: [], interlocks: {b: ${limit(3)}, c: ${limit(4)}}}\n`;
  const [scenario] = parseScenarios(text, own, "file", controls).scenarios;
  const maxima = [...(scenario?.interlocks ?? [])].map(([name, { resolved }]) => [
    name,
    resolved.kind === "condition" ? resolved.limits[0]?.max : undefined,
  ]);
  expect(maxima).toEqual([
    ["a", 1],
    ["b", 3],
    ["c", 4],
  ]);
});
