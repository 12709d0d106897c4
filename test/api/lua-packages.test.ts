// What an upload says about scripts and rocks.
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import type { DeviceRuntime, Validation } from "#client/resources.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { manifest } from "../support/blueprints.ts";
import { PATIENT } from "../support/patient.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer();

const zip = (files: Readonly<Record<string, string>>) =>
  packPackage(new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])));

function lua(options: string, files: Readonly<Record<string, string>>): Uint8Array {
  const text = manifest("Scripted").replace("type: embedded", `type: lua\n  options: ${options}`);
  return zip({ "manifest.yml": text, ...files });
}

beforeAll(() => {
  const rocks = join(busbar.data, "rocks");
  mkdirSync(rocks);
  const spec = 'package = "inspect"\nversion = "3.1-1"\nbuild = { modules = { inspect = "inspect.lua" } }';
  writeFileSync(join(rocks, "inspect-3.1-1.src.rock"), zip({ "x.rockspec": spec, "inspect.lua": "return {}" }));
});

test("a package whose rocks and modules are all there is taken", async () => {
  const bytes = lua("{ file: main.lua, luarocks: [inspect ~> 3.1] }", { "main.lua": "require 'inspect'" });
  const { status, text } = await busbar.admin.call("POST", "/v3/blueprints/upload", { bytes });
  expect([status, text.slice(0, 12)]).toEqual([200, '{"blueprint"']);
});

test.each([
  [
    "a rock that is missing",
    lua("{ file: main.lua, luarocks: [inspect > 4] }", { "main.lua": "" }),
    "The rock inspect (inspect > 4) is not in the folder rocks of the data folder. There is 3.1-1.",
    { issue: "rock_missing", pointer: "/runtime/options/luarocks/0", line: 5 },
  ],
  [
    "a script that is not valid Lua",
    lua("{ dir: src }", { "src/main.lua": "require 'x'", "src/x.lua": "local function f()\n  if true then\nend" }),
    "It is not valid Lua: 'end' expected (to close 'function' at line 1) near <eof>.",
    { issue: "lua_syntax", pointer: "src/x.lua", line: 3 },
  ],
  [
    "a folder without main.lua",
    lua("{ dir: src }", { "src/other.lua": "" }),
    'The package has no file "src/main.lua".',
    { issue: "missing_file", pointer: "/runtime/options/dir", line: 5 },
  ],
])("%s refuses the upload, and says so when it is checked", async (_, bytes, message, details) => {
  const refused = await busbar.admin.call("POST", "/v3/blueprints/upload", { bytes });
  expect([refused.status, refused.errors]).toMatchObject([400, [{ code: "invalid_blueprint", message, details }]]);
  const { body } = await busbar.anonymous.call<Validation>("POST", "/v3/blueprints/validate", { bytes });
  expect(body.diagnostics).toMatchObject([{ severity: "error", code: details.issue, message, line: details.line }]);
});

test("a module that is missing is a warning: the line may never run", async () => {
  const bytes = lua("{ dir: src }", { "src/main.lua": "-- first\nlocal x = false and require('lib.gone')" });
  const { status, body } = await busbar.admin.call<Validation>("POST", "/v3/blueprints/upload", { bytes });
  expect([status, body.diagnostics]).toMatchObject([
    200,
    [{ severity: "warning", code: "lua_module_missing", line: 2 }],
  ]);
});

test("a script that names a module only when it runs is warned about", async () => {
  const bytes = lua("{ file: main.lua }", { "main.lua": "local m = require(name)" });
  const { status, text } = await busbar.admin.call("POST", "/v3/blueprints/upload", { bytes });
  expect([status, text.includes("lua_dynamic_require")]).toEqual([200, true]);
});

test("a rock that has gone fails the script and nothing else; it runs again once the rock is back", async () => {
  const bytes = lua("{ file: main.lua, luarocks: [inspect] }", { "main.lua": "require 'inspect' enapter.log('runs')" });
  const uploaded = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes });
  const body = { name: "Script", slug: "script", blueprint_id: uploaded.body.blueprint.id };
  expect((await busbar.admin.post("/v3/provisioning/lua_device", body)).status).toBe(200);
  const runtime = async () =>
    (await busbar.admin.get<{ runtime: DeviceRuntime }>("/v3/devices/script/runtime")).body.runtime;
  await vi.waitFor(async () => expect((await runtime()).state).toBe("RUNNING"), PATIENT);
  const rock = join(busbar.data, "rocks", "inspect-3.1-1.src.rock");
  renameSync(rock, `${rock}.away`);
  await busbar.restart();
  await vi.waitFor(async () => {
    expect(await runtime()).toMatchObject({
      state: "FAILED",
      restart_at: expect.any(String),
      last_error: { message: expect.stringContaining("The rock inspect (inspect) is not in the folder rocks") },
    });
  }, PATIENT);
  expect((await busbar.admin.get("/v3/devices/script/manifest")).status).toBe(200);
  renameSync(`${rock}.away`, rock);
  await busbar.admin.post("/v3/devices/script/runtime/restart", {});
  await vi.waitFor(async () => expect((await runtime()).state).toBe("RUNNING"), PATIENT);
});
