import { expect, test, vi } from "vitest";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { parseModbusMap } from "./parse-modbus-map.ts";

const { blueprint } = parseManifest(`
blueprint_spec: device/3.0
display_name: Heater
runtime: {type: embedded}
properties:
  serial_number: {type: string, display_name: Serial number}
telemetry:
  power: {type: float, unit: W, display_name: Power}
  starts: {type: integer, display_name: Starts}
  is_on: {type: boolean, display_name: On}
  status: {type: string, display_name: Status, enum: {idle: {display_name: Idle}, heating: {display_name: Heating}}}
alerts:
  overheated: {severity: error, display_name: Too hot}
command_groups: {control: {display_name: Control}}
commands:
  set_power:
    group: control
    display_name: Set power
    arguments:
      power: {type: float, display_name: Power, min: 0, max: 9000}
      mode: {type: string, display_name: Mode, enum: {eco: {display_name: Eco}, full: {display_name: Full}}}
configuration:
  connection:
    display_name: Connection
    parameters: {address: {type: string, display_name: Address}, unit_id: {type: integer, display_name: Unit}}
`);

const issues = (text: string) =>
  parseModbusMap(text, blueprint).issues.map(
    ({ code, message, range: { start } }) => `${start.line}:${start.column} ${code} ${message}`,
  );

test("a map that uses everything has no issue", () => {
  const text = `
connection: tcp://\${connection.address}:502
unit: \${connection.unit_id}
interval: 500ms
timeout: 2s
max_gap: 4
word_order: little
groups: {slow: {interval: 1m, kind: input, byte_order: little, unit: 3}}
telemetry:
  power: {address: 0x10, type: float32}
  starts: {address: 100, type: uint64, group: slow}
  is_on: {address: 3, kind: coil}
  status: {address: 20, enum: {0: idle, 1: heating}, bits: [0, 3]}
properties:
  serial_number: {address: 200, type: string, count: 8}
alerts:
  overheated: {address: 20, bit: 7}
commands:
  set_power:
    arguments:
      power: {address: 30, scale: 0.2, offset: -5}
      mode: {address: 31, enum: {1: eco, 2: full}}
    values: {unlock: {address: 32, value: 0x55}}
`;
  expect(issues(text)).toEqual([]);
  const { map } = parseModbusMap(text);
  expect(map?.points.find(({ name }) => name === "starts")).toMatchObject({
    group: "slow",
    place: { unit: 3, kind: "input", layout: { words: "little", bytes: "little" } },
  });
});

test("all problems are reported at once, with their places", () => {
  expect(
    issues(`telemetry:
  powr: {address: 0}
  power: {address: 1, type: int23}
  starts: {address: 2, scale: 0.5}
  is_on: {address: 3}
`),
  ).toEqual([
    '2:3 unknown_value The manifest has no telemetry attribute "powr". Did you mean power?',
    '3:29 unknown_value type cannot be "int23". Did you mean int32?',
    "4:3 wrong_type starts is an integer in the manifest, and its register gives fractions. Declare it as float.",
    "5:3 wrong_type is_on is a boolean in the manifest, and its register gives a number.",
  ]);
});

test.each([
  ["an unknown key", "telemetry: {power: {adress: 1}}", "has no key"],
  ["no place", "telemetry: {power: {scale: 2}}", "needs either address, or sunspec"],
  ["two places", "telemetry: {power: {address: 1, sunspec: 103.W}}", "needs either address, or sunspec"],
  ["a register beyond the last", "telemetry: {power: {address: 65535, type: float32}}", "go beyond 65535"],
  ["an address that is none", "telemetry: {power: {address: 70000}}", "a whole number from 0 to 65535"],
  ["a text without its length", "properties: {serial_number: {address: 1, type: string}}", "needs count"],
  ["a number with a length", "telemetry: {power: {address: 1, count: 2}}", "count is for strings"],
  [
    "values that overlap",
    "telemetry: {power: {address: 1, type: float32}, starts: {address: 2}}",
    "overlaps power (registers 1 to 2)",
  ],
  ["a coil of two registers", "telemetry: {is_on: {address: 1, kind: coil, type: int32}}", "its type can only be bool"],
  ["a bit that the type lacks", "telemetry: {is_on: {address: 1, bit: 16}}", "has the bits 0 to 15"],
  ["bits of a float", "telemetry: {is_on: {address: 1, type: float32, bit: 1}}", "Only registers of the types"],
  ["a scale of nothing", "telemetry: {power: {address: 1, scale: 0}}", "scale must not be 0"],
  ["a scale of a bit", "telemetry: {is_on: {address: 1, kind: coil, scale: 2}}", "scale is for numbers"],
  ["a number for a text", "telemetry: {status: {address: 1}}", "Add enum to say what each number means"],
  ["a meaning that the manifest lacks", "telemetry: {status: {address: 1, enum: {0: ilde}}}", "Did you mean idle?"],
  ["a meaning of another type", "telemetry: {is_on: {address: 1, enum: {0: no}}}", '"no" is not a boolean'],
  [
    "a key that is no number",
    "telemetry: {status: {address: 1, enum: {idle: 0}}}",
    "no number that a register can hold",
  ],
  ["a group that is not there", "telemetry: {power: {address: 1, group: slow}}", 'no group "slow"'],
  ["an interval that is too short", "interval: 5ms\ntelemetry: {power: {address: 1}}", "at least 100ms"],
  ["a bare interval", "interval: 5\ntelemetry: {power: {address: 1}}", "Did you mean 5s?"],
  ["an unknown model", "telemetry: {power: {sunspec: 9999.W}}", "The model 9999 is not known"],
  ["a SunSpec point with a scale factor for an integer", "telemetry: {starts: {sunspec: 103.W}}", "gives fractions"],
  ["an unknown point", "telemetry: {power: {sunspec: 103.TmpCap}}", "Did you mean TmpCab?"],
  ["a type of a SunSpec point", "telemetry: {power: {sunspec: 103.W, type: int16}}", "SunSpec says the type"],
  ["an unknown property", "properties: {sn: {address: 1}}", "no property"],
  ["an unknown alert", "alerts: {cold: {address: 1}}", "no alert"],
  ["an unknown command", "commands: {stop: {values: {x: {address: 1, value: 0}}}}", "no command"],
  ["an unknown argument", "commands: {set_power: {arguments: {watts: {address: 1}}}}", "no argument of set_power"],
  ["a command without registers", "commands: {set_power: {}}", "writes nothing"],
  [
    "an input that is written",
    "commands: {set_power: {arguments: {power: {address: 1, kind: input}}}}",
    "cannot be written",
  ],
  ["a fixed value without one", "commands: {set_power: {values: {x: {address: 1}}}}", "needs value"],
  [
    "a limit that does not fit",
    "commands: {set_power: {arguments: {power: {address: 1, scale: 0.1}}}}",
    "allows 9000 for power, but what is written must lie between 0 and 65535, not 90000",
  ],
  [
    "a choice without a number",
    "commands: {set_power: {arguments: {mode: {address: 1, enum: {1: eco}}}}}",
    "allows full for mode",
  ],
  ["a text argument without numbers", "commands: {set_power: {arguments: {mode: {address: 1}}}}", "Add enum"],
  [
    "an unknown setting",
    `connection: tcp://\${connection.adress}\ntelemetry: {power: {address: 1}}`,
    "Did you mean connection.address?",
  ],
  ["nothing", "unit: 1", "has no registers"],
  ["no object", "- 1", "The register map must be an object"],
  ["no YAML", "a: [", "indentation"],
])("%s is reported", (_, text, words) => {
  const found = issues(text);
  expect(found.join("\n")).toContain(words);
  expect(parseModbusMap(text, blueprint).map).toBeUndefined();
});

test("a register is not compared with every mistake of the map: scripts open maps beside other devices' scripts", () => {
  const registers = Array.from({ length: 1_800 }, (_, n) => `  r${n}: {adress: ${n}, type: int}`);
  const compare = vi.spyOn(String.prototype, "startsWith");
  const { issues } = parseModbusMap(`telemetry:\n${registers.join("\n")}\n`);
  const { length: comparisons } = compare.mock.calls;
  compare.mockRestore();
  expect(issues).toHaveLength(501);
  expect(comparisons).toBeLessThan(100_000);
});
