import { expect, test } from "vitest";
import { createSyntaxChecks } from "#runtime/lua/check-syntax.ts";
import { createEvaluator } from "#runtime/lua/evaluate-lua.ts";
import { buildProgram } from "./build-program.ts";
import { checkUnpacked } from "./check-package.ts";
import { packageOfFiles } from "./unpack-package.ts";

const evaluate = createEvaluator();
const checkSyntax = createSyntaxChecks()();

const MANIFEST = `blueprint_spec: device/3.0
display_name: Heater
runtime: {type: lua}
telemetry:
  power: {type: float, display_name: Power}
alerts:
  communication_failed: {severity: error, display_name: No answer}
.busbar: {modbus: maps/modbus.yml}
`;
const MAP = "telemetry: {power: {address: 0}} # ]] and ]=]\n";

function build(files: Readonly<Record<string, string>>) {
  const all = Object.entries({ "manifest.yml": MANIFEST, "maps/modbus.yml": MAP, ...files });
  const bytes = new Map(
    all.filter(([, text]) => text !== "").map(([path, text]) => [path, new TextEncoder().encode(text)]),
  );
  const { package: content, blueprint, issues } = checkUnpacked(packageOfFiles("folder", bytes));
  if (content === undefined || blueprint === undefined) return { program: undefined, issues };
  const built = buildProgram(content, blueprint, { repository: undefined, checkSyntax, evaluate });
  return { program: built.program, issues: [...issues, ...built.issues] };
}

const issuesOf = (built: ReturnType<typeof build>) =>
  built.issues.map(({ code, path, range: { start } }) => `${code} ${path} ${start.line}:${start.column}`);

test("a manifest with a map needs no script", () => {
  const { program, issues } = build({});
  expect(issues).toEqual([]);
  expect(program?.entry).toBe("maps/modbus.yml/run.lua");
  const sources = [...(program?.modules ?? [])].map(([path, source]) => [path, Buffer.from(source).toString()]);
  expect(Object.fromEntries(sources)).toEqual({
    "maps/modbus.yml/run.lua": `assert(modbus.map("maps/modbus.yml")):run({ alert = 'communication_failed' })\n`,
    "maps/modbus.yml/init.lua": `return [==[\n${MAP}]==]\n`,
  });
});

test("a script gets the map by its name", () => {
  const manifest = MANIFEST.replace("{type: lua}", "{type: lua, options: {file: main.lua}}");
  const { program } = build({ "manifest.yml": manifest, "main.lua": "modbus.map('maps/modbus.yml'):run()" });
  expect([...(program?.modules.keys() ?? [])]).toEqual(["main.lua", "maps/modbus.yml/init.lua"]);
});

test("problems of the map have its path, their line and their column, and refuse the package", () => {
  const built = build({ "maps/modbus.yml": "telemetry:\n  powr: {address: 0}\n  power: {address: -1}\n" });
  expect(built.program).toBeUndefined();
  expect(issuesOf(built)).toEqual(["modbus_map maps/modbus.yml 2:3", "modbus_map maps/modbus.yml 3:20"]);
});

test("what a package without a script leaves out is a warning in the manifest", () => {
  const manifest = `${MANIFEST.replace("  communication_failed", "  other")}command_groups: {all: {display_name: All}}
commands:
  stop: {group: all, display_name: Stop}
`;
  const built = build({
    "manifest.yml": manifest.replace("alerts:", "  energy: {type: float, display_name: Energy}\nalerts:"),
  });
  expect(built.program).toBeDefined();
  expect(issuesOf(built)).toEqual([
    "modbus_map_gap /telemetry/energy 6:3",
    "modbus_map_gap /commands/stop 12:3",
    "modbus_map_gap /alerts 7:1",
  ]);
});

test.each([
  ["a file that is not there", { "maps/modbus.yml": "" }, "missing_file /.busbar/modbus 8:19"],
  ["a path that leads out", { "manifest.yml": MANIFEST.replace("maps/", "../") }, "file_outside /.busbar/modbus 8:19"],
  ["a map that is too large", { "maps/modbus.yml": MAP + "#".repeat(65_536) }, "modbus_map maps/modbus.yml 1:1"],
])("%s is reported", (_, files, issue) => {
  expect(issuesOf(build(files))).toEqual([issue]);
});
