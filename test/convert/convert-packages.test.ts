// Packages of device/1.0 in many styles, one per feature of the manifest or module of the host: each is converted, is
// clean for lint, and runs against scripted peers by the scenarios that lie beside it.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readPackageFolder } from "#runtime/inspect/read-package-folder.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { runBusbar } from "../support/run-busbar.ts";

const PACKAGES = join(import.meta.dirname, "packages");
const ROCKS = join(import.meta.dirname, "rocks");
const names = readdirSync(PACKAGES).sort();

let folder = "";
const made = (name: string) => join(folder, "made", name);
const run = (...words: readonly string[]) => runBusbar(["blueprint", ...words], { cwd: folder });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "busbar-convert-"));
  for (const rock of readdirSync(ROCKS)) {
    const { files } = await readPackageFolder(join(ROCKS, rock));
    writeFileSync(join(folder, `${rock}.src.rock`), packPackage(files));
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("there are thirty packages or more", () => {
  expect(names.length).toBeGreaterThanOrEqual(30);
});

test.each(names)("%s is converted and clean, and its Lua stays as it is", async (name) => {
  const { code, err } = await run("convert", join(PACKAGES, name), "--out", made(name));
  expect([code, err]).toEqual([0, expect.stringContaining("Written to")]);
  const linted = await run("lint", "--strict", made(name), "--rocks", folder);
  const missing = name === "folder-of-modules" ? "lua_module_missing" : "no problems";
  expect(linted.out).toContain(missing);
  const [before, after] = await Promise.all([readPackageFolder(join(PACKAGES, name)), readPackageFolder(made(name))]);
  const others = (files: ReadonlyMap<string, Uint8Array>) => [...files].filter(([path]) => path !== "manifest.yml");
  expect(others(after.files)).toEqual(others(before.files));
});

test.each(names)("%s runs against its peers", async (name) => {
  const { code, out } = await run("test", made(name), "--rocks", folder);
  expect([code, out]).toEqual([0, expect.stringMatching(/\d+ scenarios? passed/)]);
});

test.each([
  ["units", "h2", "NL/h"],
  ["units", "gauge", "barg"],
  ["units", "n2", "ln/h"],
  ["units", "carbon", "gCO2eq/kWh"],
  ["units", "water", "L/h"],
  ["units", "q", "VAR"],
  ["units", "temperature", "Cel"],
])("%s: the unit of %s is %s", async (name, attribute, unit) => {
  const { out } = await run("show", made(name), "--resolved", "-o", "json");
  const { telemetry, units } = JSON.parse(out);
  expect(telemetry[attribute].unit).toBe(unit);
  if (/[/]h|barg/.test(unit) && unit !== "L/h") expect(units[unit]).toMatchObject({ symbol: unit });
});

test("comments stay where they stand", () => {
  const text = readFileSync(join(made("meter-holdings"), "manifest.yml"), "utf8");
  expect(text).toMatch(/^# A meter on the module's own line\.$/m);
  expect(text).toMatch(/^\.vendor: acme # of the meter$/m);
  expect(text).toMatch(/display_name: Voltage # of the first phase/);
});
