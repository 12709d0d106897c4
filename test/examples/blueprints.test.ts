import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { renderManifestSchema } from "#manifest/manifest-json-schema.ts";
import { renderScenarioSchema } from "#manifest/scenario/parse-scenarios.ts";
import { starterLibrary } from "#manifest/starter-profiles.ts";
import { readPackageFolder } from "#runtime/inspect/read-package-folder.ts";
import { checkPackage, checkUnpacked } from "#service/blueprint/check-package.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { packageOfFiles } from "#service/blueprint/unpack-package.ts";

const folder = fileURLToPath(new URL("../../examples/blueprints/", import.meta.url));
const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

async function check(name: string) {
  const { files, issues } = await readPackageFolder(`${folder}${name}`);
  expect(issues).toEqual([]);
  return { files, ...checkUnpacked(packageOfFiles("folder", files), starterLibrary()) };
}

async function blueprints(): Promise<readonly Blueprint[]> {
  const checked = await Promise.all(names.map(check));
  return checked.flatMap(({ blueprint }) => (blueprint === undefined ? [] : [blueprint]));
}

test("the seven examples of the guide are there", () => {
  expect(names).toEqual([
    "battery",
    "electrolyser",
    "ev-charger",
    "grid-meter",
    "pv-inverter",
    "sunspec-inverter",
    "weather-station",
  ]);
});

test.each(names)("%s has no error and no warning, as a folder and as a zip", async (name) => {
  const { files, issues } = await check(name);
  expect(issues).toEqual([]);
  expect(checkPackage(packPackage(files), starterLibrary()).issues).toEqual([]);
});

test.each(names)("%s names the editor's schema and explains itself", (name) => {
  const [modeline] = readFileSync(`${folder}${name}/manifest.yml`, "utf8").split("\n");
  expect(modeline).toBe("# yaml-language-server: $schema=../device-3.0.schema.json");
  expect(readFileSync(`${folder}${name}/README.md`, "utf8")).toContain("Worth a look");
});

test("the schema beside the examples is the one that busbar blueprint schema prints", () => {
  const text = readFileSync(`${folder}device-3.0.schema.json`, "utf8");
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(renderManifestSchema())));
});

test("the schema of scenarios beside the examples is the one that busbar blueprint schema --scenario prints", () => {
  const text = readFileSync(`${folder}scenario-1.0.schema.json`, "utf8");
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(renderScenarioSchema())));
});

describe("together the examples show", () => {
  const all = <T>(pick: (blueprint: Blueprint) => Iterable<T>) =>
    blueprints().then((list) => list.flatMap((one) => [...pick(one)]));
  const commands = () => all((blueprint) => blueprint.commands.values());
  const telemetry = () => all((blueprint) => blueprint.telemetry.values());
  const parameters = () =>
    all((blueprint) => [...blueprint.configuration.values()].flatMap((bucket) => [...bucket.parameters.values()]));
  const schemas = async () => {
    const inputs = (await commands()).flatMap((command) => [...command.arguments.values()]);
    return inputs.flatMap(({ jsonSchema }) => (jsonSchema === undefined ? [] : [jsonSchema]));
  };
  const cases: readonly (readonly [string, () => Promise<boolean>])[] = [
    [
      "both kinds of confirmation",
      async () => new Set((await commands()).map((one) => one.confirmation?.severity)).size === 3,
    ],
    [
      "forms that are filled by a command",
      async () => (await commands()).some((one) => one.populateValuesCommand !== undefined),
    ],
    ["quick access", async () => (await commands()).some((one) => one.quickAccess)],
    [
      "secret arguments",
      async () => (await commands()).some((one) => [...one.arguments.values()].some((argument) => argument.sensitive)),
    ],
    [
      "another level for reading executions",
      async () => (await commands()).some((one) => one.readAccessLevel !== one.accessLevel),
    ],
    [
      "a schema file and an inline schema",
      async () => new Set((await schemas()).map((schema) => schema.file === undefined)).size === 2,
    ],
    ["aliases", async () => (await telemetry()).some((one) => one.aliases.length > 0)],
    [
      "colours of states",
      async () => (await telemetry()).some((one) => one.enum?.some((value) => value.color !== undefined)),
    ],
    ["scaling", async () => (await telemetry()).some((one) => one.autoScale.length > 0)],
    [
      "fields under other names than the profile's",
      async () => (await telemetry()).some((one) => one.implements.length > 0),
    ],
    [
      "telemetry that not everyone may read",
      async () => (await telemetry()).some((one) => one.accessLevel === "installer"),
    ],
    ["secret parameters", async () => (await parameters()).some((one) => one.sensitive)],
    ["custom units", async () => (await all((one) => one.units.values())).length >= 3],
    [
      "alerts that wait and help",
      async () =>
        (await all((one) => one.alerts.values())).some((one) => one.gracePeriod > 0n && one.troubleshooting.length > 0),
    ],
  ];
  test.each(cases)("%s", async (_, shows) => {
    expect(await shows()).toBe(true);
  });
});
