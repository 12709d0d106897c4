// `busbar dev` as an author uses it: a folder, a running gateway, an editor that saves.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callBusbar, goBusbar, startBusbar } from "../support/start-busbar.ts";
import { tempFolder } from "../support/temp-folder.ts";

const MANIFEST = `blueprint_spec: device/3.0
display_name: Pump
runtime:
  type: lua
  options: { dir: lua }
telemetry:
  flow: { type: float, display_name: Flow }
`;

test("each change of the folder is checked, uploaded and run; what is wrong is reported, and the device runs on", async () => {
  const cwd = tempFolder();
  const server = await startBusbar(cwd);
  const folder = join(cwd, "my pump");
  mkdirSync(join(folder, "lua"), { recursive: true });
  const write = (text: string) => writeFileSync(join(folder, "lua", "main.lua"), text);
  writeFileSync(join(folder, "manifest.yml"), MANIFEST);
  write('enapter.log("first") enapter.send_telemetry({ flow = 1.5 })');
  const env = { BUSBAR_URL: server.url };

  const dev = goBusbar(cwd, ["dev", folder], env);
  await dev.until("err", /version 1 of Pump runs on dev-my-pump \(\d+ ms\)/);
  await dev.until("err", /watching .*my pump; Ctrl-C ends it/);
  await dev.until("out", /runtime .* dev-my-pump {2}RUNNING/);

  write("local function f(\nend");
  await dev.until("err", /changed: lua.main\.lua/);
  await dev.until(
    "err",
    /my pump.lua.main\.lua:2:1 error lua_syntax\n {2}It is not valid Lua: <name> or '\.\.\.' expected near 'end'/,
  );
  expect((await callBusbar(cwd, ["device", "status", "dev-my-pump"], env)).out).toMatch(/^RUNNING since/);

  write('enapter.log("second", "warning") enapter.send_telemetry({ flow = 2.5 })');
  await dev.until("err", /version 2 of Pump runs on dev-my-pump/);
  await dev.until("out", /log .* dev-my-pump {2}warning: second/);
  await dev.until("out", /telemetry .* dev-my-pump {2}flow=2.5/);
  dev.kill("SIGINT");
  const { code, err } = await dev.ended;
  expect([code, err]).toEqual([0, expect.stringContaining("busbar device delete dev-my-pump removes it")]);

  const again = goBusbar(cwd, ["dev", folder, "--device", "dev-my-pump"], env);
  await again.until("err", /version 2 of Pump runs on dev-my-pump/);
  again.kill("SIGINT");
  expect((await again.ended).code).toBe(0);
  await callBusbar(cwd, ["device", "create", "standalone", "Meter", "--slug", "meter"], env);
  const refused = await callBusbar(cwd, ["dev", folder, "--device", "meter"], env);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("only one of type LUA runs a script")]);
  await server.stop();
});
