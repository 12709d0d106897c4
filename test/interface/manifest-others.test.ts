// The blueprint manifest: alerts, runtime and configuration.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Alert } from "#client/resources.ts";
import { check } from "../support/check.ts";
import { useSite } from "../support/use-site.ts";
import { manifestWith, packageOf, validator } from "../support/validate.ts";
import { luaDevice, luaManifest } from "./lua.ts";

const site = useSite();
const { busbar } = site;
const { found, refused } = validator(busbar);

const alert = (more: string) => `alerts: {a: {severity: info, display_name: A, ${more}}}`;
const options = (text: string) => luaManifest(text);
const parameter = (more: string) =>
  `configuration: {b: {display_name: B, parameters: {p: {display_name: P, ${more}}}}}`;
const alertsOf = async (path: string) =>
  (await busbar.admin.get<{ alerts: readonly Alert[] }>(`${path}/alerts`)).body.alerts;

/** Of manifests with these options of a Lua runtime, those that have errors. */
async function refusedOptions(texts: readonly string[]): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const text of texts) {
    if ((await found(options(text))).some((issue) => issue.startsWith("error"))) wrong.push(text);
  }
  return wrong;
}

check("other-items.alert-required", async () => {
  expect(await found(manifestWith("alerts: {a: {severity: info}}"))).toEqual(["error missing_key /alerts/a"]);
  expect(await found(manifestWith("alerts: {a: {display_name: A}}"))).toEqual(["error missing_key /alerts/a"]);
});

check("other-items.alert-severity", async () => {
  const of = (severity: string) => `alerts: {a: {severity: ${severity}, display_name: A}}`;
  expect(await refused(["info", "warning", "error", "fatal"].map(of))).toEqual([of("fatal")]);
});

check("other-items.alert-code", async () => {
  expect(await refused([alert("code: E-17"), alert("code: 17")])).toEqual([alert("code: 17")]);
});

check("other-items.alert-grace-period", async () => {
  const right = ["grace_period: 1m", "grace_period: 2m30s", 'grace_period: ""'].map(alert);
  const wrong = ["grace_period: soon", "grace_period: 5"].map(alert);
  expect(await refused([...right, ...wrong])).toEqual(wrong);
  const device = await site.device(manifestWith(alert('grace_period: ""')));
  await (await device.connect()).sendTelemetry({ alerts: ["a"] });
  expect(await alertsOf(device.path)).toMatchObject([{ id: "a", state: "HARD" }]);
});

check("other-items.alert-lists", async () => {
  const fields = "description: D, troubleshooting: [x, y], telemetry: [], components: [c], conditions: [d]";
  const wrong = ["troubleshooting: x", "telemetry: x", "components: [5]", "conditions: {a: b}"].map(alert);
  expect(await refused([alert(fields), ...wrong])).toEqual(wrong);
});

check("other-items.alerts-are-sent", async () => {
  const device = await site.device(manifestWith(alert("")));
  await (await device.connect()).sendTelemetry({ alerts: ["a"] });
  expect(await alertsOf(device.path)).toMatchObject([{ id: "a", severity: "info", display_name: "A" }]);
});

check("other-items.alert-undeclared", async () => {
  const device = await site.device(manifestWith(alert("")));
  await (await device.connect()).sendTelemetry({ alerts: ["unheard_of"] });
  expect(await alertsOf(device.path)).toMatchObject([
    { id: "unheard_of", severity: "error", display_name: "unheard_of" },
  ]);
});

check("other-items.runtime-type", async () => {
  const of = (runtime: string) => `blueprint_spec: device/3.0\ndisplay_name: A\nruntime: ${runtime}\n`;
  expect(await found(of("{type: embedded}"))).toEqual([]);
  expect(await found(of("{type: lua, options: {file: main.lua}}"))).toEqual([]);
  expect(await found(of("{type: python}"))).toEqual(["error unknown_value /runtime/type"]);
  expect(await found(of("{}"))).toEqual(["error missing_key /runtime"]);
});

check("other-items.runtime-requirements", async () => {
  const of = (list: string) =>
    `blueprint_spec: device/3.0\ndisplay_name: A\nruntime: {type: embedded, requirements: ${list}}\n`;
  expect(await found(of("[modbus, can]"))).toEqual([]);
  expect(await found(of("modbus"))).toEqual(["error wrong_type /runtime/requirements"]);
});

check("other-items.lua-dir", async () => {
  const device = await luaDevice(site, {
    "manifest.yml": options("dir: src"),
    "src/main.lua": "enapter.log(require('words').hello)",
    "src/words.lua": "return { hello = 'from a folder' }",
  });
  await expect.poll(() => device.logs()).toEqual(["from a folder"]);
  expect(await found(packageOf({ "manifest.yml": options("dir: src"), "src/other.lua": "" }))).toEqual([
    "error missing_file /runtime/options/dir",
  ]);
});

check("other-items.lua-file", async () => {
  const device = await luaDevice(site, {
    "manifest.yml": options("file: start.lua"),
    "start.lua": "enapter.log('from a file')",
  });
  await expect.poll(() => device.logs()).toEqual(["from a file"]);
});

check("other-items.lua-dir-or-file", async () => {
  expect(await refusedOptions(["dir: src", "file: main.lua", "dir: src, file: main.lua"])).toEqual([
    "dir: src, file: main.lua",
  ]);
});

check("other-items.lua-rocks", async () => {
  const rocks = join(busbar.data, "rocks");
  mkdirSync(rocks, { recursive: true });
  const rockspec = (name: string, build: string) => `package = "${name}"\nversion = "1.0-1"\nbuild = ${build}`;
  const rock = packageOf({
    "greet-1.0-1.rockspec": rockspec("greet", '{ modules = { greet = "greet.lua" } }'),
    "greet.lua": "return 'from a rock'",
  });
  writeFileSync(join(rocks, "greet-1.0-1.src.rock"), rock);
  const listed = await luaDevice(site, {
    "manifest.yml": options("file: main.lua, luarocks: [greet ~> 1.0]"),
    "main.lua": "enapter.log(require('greet'))",
  });
  await expect.poll(() => listed.logs()).toEqual(["from a rock"]);
  const named = await luaDevice(site, {
    "manifest.yml": options("file: main.lua, rockspec: dev-1.0-1.rockspec"),
    "dev-1.0-1.rockspec": `${rockspec("dev", "{ modules = {} }")}\ndependencies = { "greet ~> 1.0" }`,
    "main.lua": "enapter.log(require('greet'))",
  });
  await expect.poll(() => named.logs()).toEqual(["from a rock"]);
  expect(await refusedOptions(["file: a.lua, rockspec: [a]", "file: a.lua, luarocks: greet"])).toHaveLength(2);
});

check("other-items.lua-rockspec-or-luarocks", async () => {
  const both = "file: a.lua, rockspec: a.rockspec, luarocks: [b]";
  expect(await refusedOptions(["file: a.lua, rockspec: a.rockspec", "file: a.lua, luarocks: [b]", both])).toEqual([
    both,
  ]);
});

check("other-items.lua-dev-rocks", async () => {
  const [right, wrong] = ["file: a.lua, allow_dev_luarocks: true", "file: a.lua, allow_dev_luarocks: maybe"];
  expect(await refusedOptions([right, wrong])).toEqual([wrong]);
});

check("other-items.lua-amalg-mode", async () => {
  const of = (mode: string) => `file: a.lua, amalg_mode: ${mode}`;
  const wrong = ["debug", "[isolate, debug]", "5"].map(of);
  expect(await refusedOptions([...["isolate", "nodebug", "[isolate, nodebug]"].map(of), ...wrong])).toEqual(wrong);
});

check("other-items.bucket-required", async () => {
  for (const fields of ["display_name: B", "parameters: {}"]) {
    expect(await found(manifestWith(`configuration: {b: {${fields}}}`))).toEqual([
      "error missing_key /configuration/b",
    ]);
  }
});

check("other-items.bucket-fields", async () => {
  const of = (more: string) => `configuration: {b: {display_name: B, parameters: {}, ${more}}}`;
  const wrong = ["description: 5", "access_level: admin", "ui: {icon: 5}", "ui: {quick_access: true}"].map(of);
  expect(await refused([of("description: D, access_level: owner, ui: {icon: power}"), ...wrong])).toEqual(wrong);
});

check("other-items.parameter-names", async () => {
  const of = (name: string) =>
    `configuration: {b: {display_name: B, parameters: {"${name}": {type: string, display_name: P}}}}`;
  expect(await refused([of("p9_"), of("9p"), of("p-q")])).toEqual([of("9p"), of("p-q")]);
});

check("other-items.parameter-required", async () => {
  for (const fields of ["display_name: P", "type: string"]) {
    const text = manifestWith(`configuration: {b: {display_name: B, parameters: {p: {${fields}}}}}`);
    expect(await found(text)).toEqual(["error missing_key /configuration/b/parameters/p"]);
  }
});

check("other-items.parameter-fields", async () => {
  const right = [
    parameter("type: float, description: D, required: true, min: 0, max: 1, default: 0.5"),
    parameter("type: string, sensitive: true, enum: [a, b], format: email"),
  ];
  const wrong = [
    parameter("type: float, min: low"),
    parameter("type: string, sensitive: maybe"),
    parameter("type: string, format: 5"),
    parameter("type: string, unit: W"),
  ];
  expect(await refused([...right, ...wrong])).toEqual(wrong);
});

check("other-items.parameter-default", async () => {
  const device = await site.device(manifestWith(parameter("type: integer, default: 502")));
  const { body } = await busbar.admin.get(`${device.path}/configuration`);
  expect(body).toEqual({ configuration: { b: { p: 502 } } });
  const written = await busbar.admin.call("PUT", `${device.path}/configuration/b`, { json: { p: 503 } });
  expect(written.body).toEqual({ bucket: "b", values: { p: 503 } });
});
