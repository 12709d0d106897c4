import { expect, test } from "vitest";
import type { ManifestContext } from "./manifest-context.ts";
import { parseManifest } from "./parse-manifest.ts";

const HEAD = "blueprint_spec: device/3.0\ndisplay_name: Demo\n";
const RUNTIME = "runtime: {type: embedded}\n";
const GROUP = "command_groups: {main: {display_name: Main}}\n";

const files = (contents: Readonly<Record<string, string>>): ManifestContext => {
  const map = new Map(Object.entries(contents));
  return { files: { has: (path) => map.has(path), read: (path) => map.get(path) } };
};
const LUA = (options: string): string => `${HEAD}runtime: {type: lua, options: ${options}}`;
const JSON_PROPERTY = (path: string): string =>
  `${HEAD}${RUNTIME}properties: {a: {type: json, display_name: A, json_schema: ${path}}}`;

test.each([
  ["{file: main.lua}", "main.lua", ""],
  ["{file: ./lua//main.lua}", "lua/main.lua", ""],
  ["{file: other.lua}", "main.lua", "missing_file"],
  ["{file: lua/../main.lua}", "main.lua", ""],
  ["{file: ../main.lua}", "main.lua", "file_outside"],
  ["{file: a/../../main.lua}", "main.lua", "file_outside"],
  ["{file: /main.lua}", "main.lua", "file_outside"],
  ["{file: 'C:main.lua'}", "main.lua", "file_outside"],
  ["{file: 'lua\\\\main.lua'}", "main.lua", "file_outside"],
  ["{dir: src}", "src/main.lua", ""],
  ["{dir: src/}", "src/main.lua", ""],
  ["{dir: .}", "main.lua", ""],
  ["{dir: src}", "main.lua", "missing_file"],
  ["{dir: ..}", "main.lua", "file_outside"],
  ["{file: main.lua, rockspec: x.rockspec}", "main.lua", "missing_file"],
])("in a package, options %s with the file %s: [%s]", (options, file, expected) => {
  const { issues } = parseManifest(LUA(options), files({ [file]: "" }));
  expect(issues.map((issue) => issue.code).join()).toBe(expected);
  expect(parseManifest(LUA(options)).issues).toEqual([]);
});

test.each([
  ["schema.json", '{"type": "object"}', ""],
  ["schema.json", "{", "bad_json_schema"],
  ["other.json", "{}", "missing_file"],
  ["../schema.json", "{}", "file_outside"],
])("in a package, the json_schema %s with the contents %s: [%s]", (path, contents, expected) => {
  const { issues, blueprint } = parseManifest(JSON_PROPERTY(path), files({ "schema.json": contents }));
  expect(issues.map((issue) => issue.code).join()).toBe(expected);
  const read = expected === "" ? { text: contents, file: path } : undefined;
  expect(blueprint?.properties.get("a")?.jsonSchema).toEqual(read);
});

test("a manifest without its package keeps the name of a schema file", () => {
  const { blueprint } = parseManifest(JSON_PROPERTY("./schema.json"));
  expect(blueprint?.properties.get("a")?.jsonSchema).toEqual({ text: undefined, file: "schema.json" });
});

test("what the author leaves out is filled in", () => {
  const { blueprint } = parseManifest(`${HEAD}${RUNTIME}${GROUP}
properties: {p: {type: string, display_name: P}}
telemetry: {t: {type: integer, display_name: T, aliases: u, enum: {"1": {display_name: One, color: red}, 2: {}}}}
commands:
  a: {group: main, display_name: A, access_level: vendor}
  b: {group: main, display_name: B, aliases: bb, read_access_level: owner, ui: {icon: x, quick_access: true}}
  c: {group: main, display_name: C, populate_values_command: bb}
configuration: {b: {display_name: B, parameters: {}}}
alerts: {x: {severity: info, display_name: X, grace_period: 1.5m}}
`);
  expect(blueprint).toMatchObject({
    spec: "device/3.0",
    description: "",
    contributors: [],
    support: { url: undefined, email: undefined },
    runtime: { type: "embedded", options: { luarocks: [], allowDevLuarocks: false, amalgMode: [] }, requirements: [] },
  });
  expect(blueprint?.properties.get("p")).toMatchObject({
    id: "p",
    accessLevel: "readonly",
    aliases: [],
    enum: undefined,
  });
  expect(blueprint?.telemetry.get("t")).toMatchObject({
    accessLevel: "readonly",
    aliases: ["u"],
    enum: [
      { value: 1, displayName: "One", description: undefined, color: "red" },
      { value: 2, displayName: undefined, description: undefined, color: undefined },
    ],
  });
  expect(blueprint?.commands.get("a")).toMatchObject({
    accessLevel: "vendor",
    readAccessLevel: "vendor",
    quickAccess: false,
  });
  expect(blueprint?.commands.get("b")).toMatchObject({
    accessLevel: "user",
    readAccessLevel: "owner",
    quickAccess: true,
    icon: "x",
  });
  expect(blueprint?.commands.get("c")).toMatchObject({ populateValuesCommand: "b", confirmation: undefined });
  expect(blueprint?.configuration.get("b")).toMatchObject({ accessLevel: "user" });
  expect(blueprint?.alerts.get("x")?.gracePeriod).toBe(90_000_000_000n);
});

test("the name of an implemented profile field is an alias, unless the author uses the name otherwise", () => {
  const { blueprint } = parseManifest(`${HEAD}${RUNTIME}telemetry:
  a: {type: float, display_name: A, implements: energy.meter.power}
  b: {type: float, display_name: B, implements: [energy.meter.power, energy.meter.voltage]}
  c: {type: float, display_name: C, implements: energy.meter.d, aliases: x}
  d: {type: float, display_name: D, implements: energy.meter.x}
`);
  const names = [...(blueprint?.telemetry ?? [])].map(([id, { aliases }]) => `${id}: ${aliases.join(" ")}`.trim());
  expect(names).toEqual(["a: power", "b: voltage", "c: x", "d:"]);
});

test("JSON is read like YAML, with the same positions", () => {
  const text = '{\n\t"blueprint_spec": "device/3.0",\n\t"display_name": "Demo",\n\t"runtime": {"type": "embeded"}\n}\n';
  const [issue, ...others] = parseManifest(text).issues;
  expect(others).toEqual([]);
  expect(issue).toMatchObject({
    code: "unknown_value",
    path: "/runtime/type",
    range: { start: { line: 4, column: 22 } },
  });
  expect(issue?.fix?.edits).toEqual([
    { start: text.indexOf('"embeded"'), end: text.indexOf('"embeded"') + 9, text: '"embedded"' },
  ]);
});

test("a manifest as large as the cap allows is read", () => {
  const line = (index: number) => `  attribute_${index}: {type: float, display_name: Attribute ${index}, unit: kW}\n`;
  let text = `${HEAD}${RUNTIME}telemetry:\n`;
  for (let index = 0; text.length + 100 < 256 * 1024; index += 1) text += line(index);
  const { blueprint, issues } = parseManifest(text.padEnd(256 * 1024, "#"));
  expect(issues).toEqual([]);
  expect(blueprint?.telemetry.size).toBeGreaterThan(3_000);
  expect(parseManifest(text.padEnd(256 * 1024 + 1, "#")).issues.map((issue) => issue.code)).toEqual([
    "document_too_large",
  ]);
});

test("pointers escape what JSON pointers must", () => {
  const { issues } = parseManifest(`${HEAD}${RUNTIME}units: {"a/b~c": {symbol: 5}}`);
  expect(issues.map((issue) => issue.path)).toEqual(["/units/a~1b~0c/symbol"]);
});

test.each([
  ["!!str 5", ""],
  ["!!str true", ""],
  ["!!int 5", "wrong_type"],
  ["5", "wrong_type"],
  ["!!int abc", "yaml_syntax"],
  ["!secret key", "yaml_syntax"],
  ["!!binary aGVsbG8=", "yaml_syntax"],
])("a description of %s is read with its tag: [%s]", (text, expected) => {
  const { issues } = parseManifest(`${HEAD}${RUNTIME}description: ${text}\n`);
  expect(issues.map((issue) => issue.code).join()).toBe(expected);
});
