import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unpackPackage } from "#service/blueprint/unpack-package.ts";
import { inFolder } from "../../../../test/support/blueprint-folder.ts";

const LUA =
  "blueprint_spec: device/3.0\ndisplay_name: Pump\nruntime: {type: lua, options: {file: main.lua}}\n" +
  "telemetry:\n  power: {type: float, display_name: Power}\n";
const MANIFEST = { "pump/manifest.yml": LUA, "pump/main.lua": "" };

test("stubs and settings are written beside the manifest, and no package contains them", async () => {
  await inFolder(MANIFEST, async (run, folder) => {
    expect(await run("stubs pump")).toMatchObject({ code: 0, out: "pump/.lua-stubs\npump/.luarc.json\n", err: "" });
    const names = readdirSync(join(folder, "pump/.lua-stubs"));
    for (const name of ["enapter", "modbus", "http", "manifest", "globals"]) expect(names).toContain(`${name}.lua`);
    expect((await run("pack pump --output pump.zip")).code).toBe(0);
    const packed = unpackPackage(readFileSync(join(folder, "pump.zip"))).package;
    expect([...(packed?.files.keys() ?? [])].sort()).toEqual(["main.lua", "manifest.yml"]);
    expect((await run("lint --strict pump")).code).toBe(0);
  });
});

test("they are written anew, and settings of the author stay", async () => {
  await inFolder(MANIFEST, async (run, folder) => {
    await run("stubs pump");
    const stub = (name: string) => join(folder, "pump/.lua-stubs", name);
    writeFileSync(stub("left.lua"), "");
    writeFileSync(join(folder, "pump/manifest.yml"), LUA.replace("power:", "energy:"));
    writeFileSync(join(folder, "pump/.luarc.json"), "{}");
    expect(await run("stubs pump")).toMatchObject({
      code: 0,
      out: "pump/.lua-stubs\n",
      err: 'pump/.luarc.json is already there: add ".lua-stubs" to its workspace.library\n',
    });
    expect(existsSync(stub("left.lua"))).toBe(false);
    expect(readFileSync(stub("manifest.lua"), "utf8")).toContain("---@field energy? number Power");
    expect(readFileSync(join(folder, "pump/.luarc.json"), "utf8")).toBe("{}");
  });
});

test.each([
  [
    "an embedded device",
    { "manifest.yml": LUA.replace("{type: lua, options: {file: main.lua}}", "{type: embedded}") },
    2,
  ],
  ["a manifest with errors", { "manifest.yml": LUA.replace("display_name", "display_nam"), "main.lua": "" }, 1],
])("%s gets none", async (_, files, code) => {
  await inFolder(files, async (run, folder) => {
    expect((await run("stubs")).code).toBe(code);
    expect(existsSync(join(folder, ".lua-stubs"))).toBe(false);
  });
});

test("the host of device/1.0 has stubs of its own", async () => {
  await inFolder({ ...MANIFEST, "pump/manifest.yml": `${LUA}.busbar: {lua_host: v1}\n` }, async (run, folder) => {
    expect((await run("stubs pump")).code).toBe(0);
    expect(readdirSync(join(folder, "pump/.lua-stubs"))).toContain("rs485.lua");
  });
});
