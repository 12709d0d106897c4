// The guide says that its script does the same as its register map. Both read the same registers here, and each value has
// to be the same: also below zero, where a register holds 65536 more than it means.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { codeBlocksOf } from "../support/code-blocks.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { tempFolder } from "../support/temp-folder.ts";

const PAGE = "docs/guide/first-modbus-device.md";
const FILES = new Map(
  codeBlocksOf(PAGE, readFileSync(fileURLToPath(new URL(`../../${PAGE}`, import.meta.url)), "utf8")).map(
    ({ settings, text }) => [settings.get("file"), text],
  ),
);

/** How the page makes the script's blueprint from the map's. */
const asScript = (manifest: string) =>
  manifest
    .replace("runtime: { type: lua }", "runtime: { type: lua, options: { file: main.lua } }")
    .replace(/^\.busbar: .*\n/m, "");

const VALUES = [
  { power: 0, tenths: 215, wattHours: 0 },
  { power: 3000, tenths: 0, wattHours: 0xffff },
  { power: 1500, tenths: -1, wattHours: 0x10000 },
  { power: 65_535, tenths: -400, wattHours: 0xffff_ffff },
  { power: 20, tenths: 0x7fff, wattHours: 70_000 },
  { power: 20, tenths: -0x8000, wattHours: 70_000 },
];

const SCENARIO = JSON.stringify({
  name: "reads the registers",
  peers: { heater: { modbus: "tcp://127.0.0.1:5020", holdings: { 0: 0, 1: 0, 2: 0, 3: 0, 4: 0 } } },
  steps: [
    ...VALUES.map(({ power, tenths, wattHours }) => ({
      set: {
        heater: {
          holdings: { 0: power, 2: tenths & 0xffff, 3: Math.floor(wattHours / 0x10000), 4: wattHours % 0x10000 },
        },
      },
      wait: "2s",
      expect: {
        telemetry: { ac_power: power, temperature: tenths / 10, ac_energy_total: wattHours / 1000 },
        alerts: "none",
      },
    })),
    {
      command: "set_power",
      arguments: { power: 1500 },
      expect: { response: { power: 1500 }, writes: { heater: { holdings: { 1: 1500 } } } },
    },
    { set: { heater: "silent" }, wait: "10s", expect: { alerts: ["communication_failed"] } },
  ],
});

test.each([
  ["map", (manifest: string) => manifest, "modbus.yml"],
  ["script", asScript, "main.lua"],
])("the %s of the guide reads the heater, also below zero", async (_kind, manifestOf, file) => {
  const folder = join(tempFolder(), "heater");
  mkdirSync(join(folder, "tests"), { recursive: true });
  const manifest = FILES.get("heater/manifest.yml") ?? "";
  writeFileSync(join(folder, "manifest.yml"), manifestOf(manifest));
  expect(manifestOf(manifest)).toContain(file);
  writeFileSync(join(folder, file), FILES.get(`heater/${file}`) ?? "");
  writeFileSync(join(folder, "tests/registers.yml"), SCENARIO);
  const { code, out } = await runBusbar("blueprint test .", { cwd: folder });
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("1 scenario passed") });
});
