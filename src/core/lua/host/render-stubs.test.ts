import { expect, test } from "vitest";
import { parseLua } from "#core/lua/parse-lua.ts";
import { hostApi } from "#drivers/host-api.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { renderSettings, renderStubs } from "./render-stubs.ts";

function stubsOf(more: string, version: "v3" | "v1" = "v3"): ReadonlyMap<string, string> {
  const { blueprint, issues } = parseManifest(
    `blueprint_spec: device/3.0\ndisplay_name: Pump\nruntime: {type: lua, options: {file: main.lua}}\n${more}`,
  );
  if (blueprint === undefined) throw new Error(JSON.stringify(issues));
  return renderStubs(hostApi(version), blueprint);
}

test("each table of the host is a file that can be required by its name", () => {
  const files = stubsOf("");
  expect(files.get("modbus.lua")).toMatch(/^---@meta modbus\n/);
  expect(files.get("modbus.lua")).toMatch(/\nreturn modbus\n$/);
  expect(
    files.get("modbus.lua"),
  ).toContain(`--- Returns a client, or nil and an error text; it connects with the first request.
---@param uri string
---@return modbus.Client?
---@return string?
function modbus.new(uri) end
`);
  expect(files.get("modbus.lua")).toContain(`---@param timeout? number
---@return integer[]?
---@return string?
function Client:read_holdings(unit, register, count, timeout) end
`);
  expect(files.get("enapter.lua")).toContain("---@type enapter\ndevice = enapter\n");
  expect(files.get("enapter.lua")).toContain("---@field main? fun() Set by the script");
  expect(files.get("http.lua")).toContain("---@field [string|integer] string[]");
  expect(files.get("globals.lua")).toContain("function math.pow(x, y) end");
});

test.each(["v3", "v1"] as const)("all files are Lua, and all types that they name exist (%s)", (version) => {
  const files = stubsOf("", version);
  const all = [...files.values()].join("\n");
  for (const [name, text] of files) expect([name, parseLua(text).problem]).toEqual([name, undefined]);
  const declared = new Set([...all.matchAll(/^---@(?:class(?: \(exact\))?|alias) (\S+)/gm)].map(([, name]) => name));
  const named = [...all.matchAll(/\b[a-z]\w+\.[A-Z][a-z]\w+/g)].map(([name]) => name);
  expect(named.filter((name) => !declared.has(name))).toEqual([]);
  expect(named.length).toBeGreaterThan(40);
});

test("what the manifest declares is known by name", () => {
  const files = stubsOf(`telemetry:
  power: {type: float, display_name: Power, unit: kW}
  status: {type: string, display_name: Status, enum: {ok: {display_name: OK}, off: {display_name: Off}}}
properties:
  serial: {type: string, display_name: Serial}
command_groups: {main: {display_name: Main}}
commands:
  set_mode:
    group: main
    display_name: Mode
    arguments:
      mode: {type: string, display_name: Mode, required: true, enum: {eco: {display_name: Eco}, full: {display_name: Full}}}
      level: {type: integer, display_name: Level}
configuration:
  connection:
    display_name: Connection
    parameters:
      port: {type: integer, display_name: Port, default: 502}
`);
  const manifest = files.get("manifest.lua") ?? "";
  for (const part of [
    "---@class (exact) enapter.Telemetry\n---@field power? number Power (kW)\n---@field status? 'ok'|'off'|string Status\n---@field alerts? string[]\n",
    "---@class (exact) enapter.Properties\n---@field serial? string Serial\n",
    "---@alias enapter.CommandName 'set_mode'|string\n",
    "---@class (exact) enapter.arguments.set_mode\n---@field mode 'eco'|'full' Mode\n---@field level? integer Level\n",
    "---@class (exact) configuration.values.connection\n---@field port integer Port\n",
  ])
    expect(manifest).toContain(part);
  expect(files.get("enapter.lua")).toContain(
    "---@overload fun(name: 'set_mode', handler: fun(ctx: enapter.CommandContext, args: enapter.arguments.set_mode): table?)\n",
  );
  expect(files.get("configuration.lua")).toContain(
    "---@overload fun(bucket: 'connection'): configuration.values.connection?, string?\n",
  );
});

test("texts of a manifest write no code into the stubs", () => {
  const files = stubsOf(`telemetry:
  a: {type: string, display_name: "x\\n os.evil() --", enum: {"'..evil()..'": {display_name: X}}}
  b: {type: float, display_name: "x\\r\\u2028evil()", unit: "W\\nevil()"}
`);
  const text = files.get("manifest.lua") ?? "";
  expect(text.split(/\r\n|\n|\r/).filter((line) => line !== "" && !line.startsWith("--"))).toEqual([]);
  expect(text).toContain("---@field a? string x os.evil() --\n");
});

test("the settings of the editor are JSON that names the folder and the version", () => {
  expect(JSON.parse(renderSettings())).toMatchObject({
    "runtime.version": "Lua 5.3",
    "workspace.library": [".lua-stubs"],
  });
});
