// Each rule of manifests once, drawn into a text that breaks it; and what would mend it.
import { expect, test } from "vitest";
import { parseManifest } from "./parse-manifest.ts";

const HEAD = "blueprint_spec: device/3.0\ndisplay_name: Demo\n";
const RUNTIME = "runtime: {type: embedded}\n";
const GROUP = "command_groups: {main: {display_name: Main}}\n";
const POWER = `
telemetry:
  measured: {type: float, unit: kW, display_name: Measured}
  state: {type: string, display_name: State}
commands:
  set_power:
    group: main
    display_name: Set
    arguments:
      power: {type: float, unit: W, display_name: Power, required: true}
      minutes: {type: integer, unit: min, min: 1, max: 60, display_name: Minutes, required: true}
      word: {type: string, display_name: Word}
  take_over: {group: main, display_name: Take, arguments: {on: {type: boolean, display_name: On}}}
`;

/**
 * Issues are drawn into the text: a comment line with carets under what is wrong, then the code. Several may stand in a
 * row under the same line; `#@ 1-5 code` gives the columns by number. The text must raise exactly these issues.
 */
function drawn(text: string): string[] {
  const issues: string[] = [];
  let target = 0;
  for (const [index, line] of text.split("\n").entries()) {
    const columns = /^#@ (\S+ \w+)$/.exec(line);
    const [, before = "", carets = "", code = ""] = /^( *# *)(\^+) (\w+)$/.exec(line) ?? [];
    if (columns) issues.push(`${target}:${columns[1]}`);
    else if (code !== "") issues.push(`${target}:${before.length + 1}-${before.length + carets.length + 1} ${code}`);
    else target = index + 1;
  }
  return issues.sort();
}

function raised(text: string): string[] {
  return parseManifest(text)
    .issues.map(({ range: { start, end }, code }) => {
      const to = start.line === end.line ? end.column : `${end.line}:${end.column}`;
      return `${start.line}:${start.column}-${to} ${code}`;
    })
    .sort();
}

const CASES: Readonly<Record<string, string>> = {
  "a clean manifest": `${HEAD}${RUNTIME}`,
  "misspelt keys at every level": `${HEAD}
runtime:
  type: embedded
  optons: {}
# ^^^^^^ unknown_key
telemetry:
  power:
    type: float
    display_name: Power
    Unit: kW
#   ^^^^ unknown_key
    enum: {on: {displayname: On}}
#               ^^^^^^^^^^^ unknown_key
#          ^^ enum_value_type
suport: {}
#@ 1-7 unknown_key
`,
  "missing keys point at the name of what lacks them": `${HEAD}${RUNTIME}telemetry:
  power:
# ^^^^^ missing_key
    type: float
  voltage: {display_name: Voltage}
# ^^^^^^^ missing_key
alerts:
  hot: {}
# ^^^ missing_key
# ^^^ missing_key
`,
  "wrong types": `${HEAD}${RUNTIME}
description: 5
#            ^ wrong_type
contributors: someone
#             ^^^^^^^ wrong_type
author: [a]
#@ 1-7 wrong_type
`,
  "values that are empty": `${HEAD}${RUNTIME}
telemetry:
#@ 1-10 empty_value
properties: ~
#           ^ empty_value
support: {url: null}
#              ^^^^ empty_value
`,
  "words that are not allowed": `${HEAD}${RUNTIME}
category: Sensors
#         ^^^^^^^ unknown_value
telemetry:
  a: {type: int, display_name: A, access_level: root}
#           ^^^ unknown_value
#                                               ^^^^ unknown_value
  b: {type: string, display_name: B, enum: {x: {color: greenish}}}
#                                                      ^^^^^^^^ unknown_value
`,
  ids: `${HEAD}${RUNTIME}
telemetry:
  constructor: {type: float, display_name: A}
  toString: {type: float, display_name: B}
  __proto__: {type: float, display_name: C}
# ^^^^^^^^^ bad_id
  a-b: {type: float, display_name: D}
# ^^^ bad_id
  1a: {type: float, display_name: E}
# ^^ bad_id
  "": {type: float, display_name: F}
# ^^ bad_id
alerts:
  1-a: {severity: info, display_name: A}
  a.b: {severity: info, display_name: B}
# ^^^ bad_id
`,
  aliases: `${HEAD}${RUNTIME}
telemetry:
  a: {type: float, display_name: A, aliases: [b, c, a]}
#                                             ^ alias_taken
  b: {type: float, display_name: B, aliases: c}
#                                            ^ alias_taken
  d: {type: float, display_name: D, aliases: [x.y, e, e]}
#                                             ^^^ bad_alias
#                                                     ^ alias_taken
properties:
  f: {type: float, display_name: F, aliases: a}
`,
  groups: `${HEAD}${RUNTIME}${GROUP}
commands:
  a: {group: main, display_name: A}
  b: {group: Main, display_name: B}
#            ^^^^ unknown_group
  c: {display_name: C}
# ^ missing_key
`,
  "commands without any group": `${HEAD}${RUNTIME}
commands:
  a: {group: main, display_name: A}
#            ^^^^ unknown_group
`,
  "a broken group is still declared": `${HEAD}${RUNTIME}
command_groups:
  main: {name: Main}
# ^^^^ missing_key
#        ^^^^ unknown_key
commands:
  a: {group: main, display_name: A}
`,
  "the command that fills in values": `${HEAD}${RUNTIME}${GROUP}
commands:
  a: {group: main, display_name: A, aliases: aa}
  b: {group: main, display_name: B, populate_values_command: a}
  c: {group: main, display_name: C, populate_values_command: aa}
  d: {group: main, display_name: D, populate_values_command: x}
#                                                            ^ unknown_command
`,
  "enum values": `${HEAD}${RUNTIME}
telemetry:
  a: {type: integer, display_name: A, enum: [1, 2.0, "3", x, 1.5]}
#                                                    ^^^ enum_value_converted
#                                                         ^ enum_value_type
#                                                            ^^^ enum_value_type
  b: {type: integer, display_name: B, enum: {1: {}, 0x10: {}, x: {}}}
#                                                             ^ enum_value_type
  c: {type: string, display_name: C, enum: [a, 1, yes, no]}
#                                              ^ enum_value_converted
  d: {type: boolean, display_name: D, enum: {true: {}, false: {}}}
  e: {type: boolean, display_name: E, enum: [true]}
#                                            ^^^^ wrong_type
  f: {type: float, display_name: F, enum: [1, .nan]}
#                                             ^^^^ wrong_type
  g: {type: array_of_strings, display_name: G, enum: [a, b]}
`,
  defaults: `${HEAD}${RUNTIME}
configuration:
  main:
    display_name: Main
    parameters:
      a: {type: boolean, display_name: A, default: yes}
#                                                  ^^^ default_converted
      b: {type: boolean, display_name: B, default: 1}
#                                                  ^ default_type
      c: {type: integer, display_name: C, default: 1.0}
      d: {type: integer, display_name: D, default: 1.5}
#                                                  ^^^ default_type
      e: {type: integer, display_name: E, default: 9007199254740993}
#                                                  ^^^^^^^^^^^^^^^^ default_type
      f: {type: string, display_name: F, default: 010}
#                                                 ^^^ default_converted
      g: {type: array_of_strings, display_name: G, default: '["a"]'}
      h: {type: array_of_strings, display_name: H, default: a}
#                                                           ^ default_type
      i: {type: json, display_name: I, default: '{"a": [1]}'}
      j: {type: json, display_name: J, default: 5}
      p: {type: json, display_name: P, default: .inf}
#                                               ^^^^ default_type
      k: {type: float, display_name: K, default: 5, min: 6}
#                                                ^ default_out_of_range
      l: {type: string, display_name: L, default: a, enum: [A, b]}
#                                                 ^ default_not_in_enum
      m: {type: float, display_name: M, default: .inf}
#                                                ^^^^ default_type
      n: {type: string, display_name: N, default: [a]}
#                                        ^^^^^^^ wrong_type
      o: {type: array_of_strings, display_name: O, default: '["a", "c"]', enum: [a, b]}
#                                                           ^^^^^^^^^^^^ default_not_in_enum
`,
  ranges: `${HEAD}${RUNTIME}
configuration:
  main:
    display_name: Main
    parameters:
      a: {type: float, display_name: A, min: 2, max: 1, default: 7}
#                                            ^ min_above_max
      b: {type: float, display_name: B, min: 1, max: 1}
      c: {type: float, display_name: C, min: "1"}
#                                            ^^^ wrong_type
      d: {type: float, display_name: D, max: .inf}
#                                            ^^^^ wrong_type
      e: {type: string, display_name: E, min: 1, max: 2}
#                                        ^^^ bounds_without_order
#                                                ^^^ bounds_without_order
      f: {type: json, display_name: F, max: 2}
#                                      ^^^ bounds_without_order
`,
  "grace periods": `${HEAD}${RUNTIME}
alerts:
  a: {severity: info, display_name: A, grace_period: 2m30s}
  b: {severity: info, display_name: B, grace_period: ""}
  c: {severity: info, display_name: C, grace_period: soon}
#                                                    ^^^^ bad_duration
  d: {severity: info, display_name: D, grace_period: 15}
#                                                    ^^ wrong_type
`,
  units: `${HEAD}${RUNTIME}
units: {turns: {symbol: t}}
telemetry:
  a: {type: float, display_name: A, unit: kWh, auto_scale: [Wh, MWh, kW]}
#                                                                    ^^ incompatible_scale
  b: {type: float, display_name: B, unit: turns, auto_scale: [turns, s]}
#                                                                    ^ incompatible_scale
  c: {type: float, display_name: C, unit: C}
#                                         ^ ambiguous_unit
  d: {type: float, display_name: D, unit: C, allow_unit_c: true}
  e: {type: float, display_name: E, unit: F, allow_unit_c: true}
#                                         ^ ambiguous_unit
  f: {type: float, display_name: F, unit: degC, auto_scale: [Cel]}
#                                         ^^^^ unknown_unit
  g: {type: float, display_name: G, unit: W, auto_scale: [kw]}
#                                                         ^^ unknown_unit
`,
  "units of arguments": `${HEAD}${RUNTIME}${GROUP}
commands:
  a:
    group: main
    display_name: A
    arguments: {x: {type: float, display_name: X, unit: C}}
#                                                       ^ ambiguous_unit
`,
  "telemetry of alerts": `${HEAD}${RUNTIME}
telemetry:
  power: {type: float, display_name: P, aliases: p}
alerts:
  a: {severity: info, display_name: A, telemetry: [power, p, alerts, powr]}
#                                                                    ^^^^ unknown_telemetry
`,
  formats: `${HEAD}${RUNTIME}${GROUP}
commands:
  a:
    group: main
    display_name: A
    arguments: {x: {type: string, display_name: X, format: date-time}}
    response: {"any name": {type: string, format: dat}}
#                                                 ^^^ unknown_format
`,
  status: `${HEAD}${RUNTIME}
telemetry:
  status: {type: string, display_name: S}
# ^^^^^^ status_style
`,
  "runtime options": `${HEAD}
runtime:
  type: lua
  options:
    file: a.lua
#   ^^^^ conflicting_keys
    dir: src
    rockspec: a.rockspec
    luarocks: [x]
#   ^^^^^^^^ conflicting_keys
    amalg_mode: [isolate, fast]
#                         ^^^^ unknown_value
`,
  "a lua runtime without a script": `${HEAD}
runtime: {type: lua}
#@ 1-8 missing_script
`,
  "duplicate keys": `${HEAD}${RUNTIME}
telemetry:
  a: {type: float, display_name: A, type: float}
#                                   ^^^^ duplicate_key
  a: {type: float, display_name: B}
# ^ duplicate_key
`,
  "our own dot-key": `${HEAD}${RUNTIME}
.busbar: {alerts: on_chang, alrets: repeated}
#                 ^^^^^^^^ bad_extension
#                           ^^^^^^ bad_extension
`,
  "our own dot-key as a text": `${HEAD}${RUNTIME}
.busbar: on_change
#@ 1-8 bad_extension
`,
  "controls that fit": `${HEAD}${RUNTIME}${GROUP}${POWER}
.busbar:
  controls:
    power: {command: set_power, argument: power, arguments: {minutes: 5}, reads: measured, unit: W, min: -2000,
      max: 2000, step: 100, refresh: 30s, tolerance: 50, settle: 10s, ramp: 500, interval: 2s, safe: min,
      prepare: {command: take_over}, fallback: {value: 0}}
`,
  "controls with names that do not exist": `${HEAD}${RUNTIME}${GROUP}${POWER}
.busbar:
  controls:
    a: {command: set_powr, argument: power}
#                ^^^^^^^^ bad_control
    b: {command: set_power, argument: powr, arguments: {minutes: 5, power: 2, hours: 1}, reads: mesured}
#                                     ^^^^ bad_control
#                                                                                    ^ bad_control
#                                                                                               ^^^^^^^ bad_control
    c: {command: set_power, argument: word, arguments: {minutes: 5, power: 1}, fallback: {command: nothing}}
#                                     ^^^^ bad_control
#                                                                                                  ^^^^^^^ bad_control
    d: {command: set_power, argument: power}
#                ^^^^^^^^^ bad_control
    2d: {command: set_power, argument: minutes}
#   ^^ bad_id
    e: {comand: set_power, argument: power}
#       ^^^^^^ unknown_key
#   ^ missing_key
`,
  "controls with values that do not fit": `${HEAD}${RUNTIME}${GROUP}${POWER}
.busbar:
  controls:
    a: {command: set_power, argument: power, arguments: {minutes: 5}, unit: A, min: 5, max: 5}
#                                                                           ^ bad_control
#                                                                                   ^ bad_control
    b: {command: set_power, argument: minutes, arguments: {power: 1}, max: 90, reads: state, fallback: {value: 95}}
#                                                                                                              ^^ bad_control
#                                                                                     ^^^^^ bad_control
#                                                                          ^^ bad_control
    c: {command: take_over, argument: on, ramp: 2, fallback: {value: 1, arguments: {}}}
#                                               ^ bad_control
#                                                  ^^^^^^^^ bad_control
    d: {command: take_over, argument: on, settle: 5, fallback: {value: high}, safe: off, refresh: 1s}
#                                     ^^ bad_control
#                                                 ^ bad_duration
#                                                                      ^^^^ wrong_type
#                                                                                   ^^^ unknown_value
#                                                                                                 ^^ bad_control
`,
  "cancel that fits": `${HEAD}${RUNTIME}${GROUP}
commands:
  test: {group: main, display_name: Test, .busbar: {cancel: stop}}
  stop: {group: main, display_name: Stop, arguments: {execution_id: {type: string, display_name: Id, required: true}}}
`,
  "cancel that does not fit": `${HEAD}${RUNTIME}${GROUP}
commands:
  a: {group: main, display_name: A, .busbar: {cancel: stopp}}
#                                                     ^^^^^ bad_cancel
  b: {group: main, display_name: B, .busbar: {cancel: b}}
#                                                     ^ bad_cancel
  c: {group: main, display_name: C, .busbar: {cancel: stop}}
#                                                     ^^^^ bad_cancel
  d: {group: main, display_name: D, .busbar: {cancl: a}}
#                                             ^^^^^ bad_extension
  e: {group: main, display_name: E, .busbar: {cancel: number}}
#                                                     ^^^^^^ bad_cancel
  f: {group: main, display_name: F, .busbar: {cancel: [a]}}
#                                             ^^^^^^ bad_cancel
  stop: {group: main, display_name: Stop, arguments: {why: {type: string, display_name: Why, required: true}}}
  number: {group: main, display_name: N, arguments: {execution_id: {type: integer, display_name: Id}}}
`,
  "our own dot-key elsewhere": `${HEAD}${RUNTIME}
telemetry:
  .busbar: {alerts: anything}
`,
  "dot-keys anywhere": `${HEAD}
.cloud: {a: 1, a: 2, [x]: y}
runtime:
  type: embedded
  .: anything
telemetry:
  .note: 5
  a:
    .x: ~
    type: string
    display_name: A
    enum: {.hidden: 1, x: {.y: 2}}
  .a-b: {}
# ^^^^ bad_id
# ^^^^ missing_key
# ^^^^ missing_key
`,
  "anchors, aliases and merge keys": `${HEAD}${RUNTIME}
.float: &float {type: float, unit: kW}
telemetry:
  a: {<<: *float, display_name: A}
  b: {<<: [*float, {display_name: B}], unit: W}
  c: *nothing
#    ^^^^^^^^ unknown_anchor
  d: {<<: text, type: float, display_name: D}
#         ^^^^ bad_merge
`,
  "json schemas": `${HEAD}${RUNTIME}
properties:
  a: {type: json, display_name: A, json_schema: '{"type": "object"}'}
  b: {type: json, display_name: B, json_schema: schema.json}
  c: {type: json, display_name: C, json_schema: '{"type": 5}'}
#                                               ^^^^^^^^^^^^^ bad_json_schema
  d: {type: json, display_name: D, json_schema: '{'}
#                                               ^^^ bad_json_schema
`,
};

test.each(Object.entries(CASES))("%s", (_, text) => {
  expect(raised(text)).toEqual(drawn(text));
});

test("what is drawn may be given by columns too, where a caret has no room", () => {
  expect(drawn("a: 1\n#@ 1-2 x\n# ^ y\nb: 1\n  # ^ z")).toEqual(["1:1-2 x", "1:3-4 y", "4:5-6 z"]);
});

test.each([
  ["catgory: sensors", "catgory", "category"],
  ["'catgory': sensors", "'catgory'", "'category'"],
  ["category: Sensors", "Sensors", "sensors"],
  ["description: 5", "5", '"5"'],
  ["contributors: me", "me", "[me]"],
  ["telemetry: {a: {type: float, display_name: A, unit: degC}}", "degC", "Cel"],
  ["telemetry: {a: {type: bool, display_name: A}}", "bool", "boolean"],
  ["alerts: {a: {severity: warn, display_name: A, grace_period: 1m}}", "warn", "warning"],
])("%s is mended by changing %s to %s", (line, wrong, right) => {
  const text = `${HEAD}${RUNTIME}${line}\n`;
  const [issue] = parseManifest(text).issues;
  expect(issue?.fix?.edits).toEqual([
    { start: text.lastIndexOf(wrong), end: text.lastIndexOf(wrong) + wrong.length, text: right },
  ]);
});
