// The page on tests, its examples against the parser and against the schema that editors use.
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { resolveControls } from "#manifest/control/resolve-controls.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { parseScenarios, renderScenarioSchema } from "#manifest/scenario/parse-scenarios.ts";
import { starterLibrary } from "#manifest/starter-profiles.ts";

const page = readFileSync(new URL("../../docs/blueprint-tests.md", import.meta.url), "utf8");
const blocks = [...page.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);

/** Declares every name that the page uses. */
const { blueprint } = parseManifest(`
blueprint_spec: device/3.0
display_name: Battery
runtime: {type: lua, options: {file: main.lua}}
telemetry:
  battery_voltage: {type: float, display_name: V}
  battery_temperature: {type: float, display_name: T}
  battery_power: {type: float, display_name: P}
  power: {type: float, display_name: P}
  alerts: {type: alerts, display_name: Alerts}
command_groups: {all: {display_name: All}}
commands:
  set_battery_power:
    {group: all, display_name: Set, arguments: {power: {type: float, display_name: P}}}
.busbar: {controls: {battery_power: {command: set_battery_power, argument: power, reads: battery_power}}}
alerts:
  too_hot: {severity: error, display_name: Too hot}
  communication_lost: {severity: warning, display_name: Away}
configuration:
  connection: {display_name: C, parameters: {address: {type: string, display_name: A}}}
`);

const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(renderScenarioSchema());

test.each(blocks)("the example\n%s\nis a scenario, also to an editor", (block) => {
  const whole = /^(steps|scenarios):/m.test(block) ? block : `${block}steps: []\n`;
  if (blueprint === undefined) throw new Error("the manifest of this test has errors");
  expect(parseScenarios(whole, blueprint, "page", resolveControls(blueprint, starterLibrary())).issues).toEqual([]);
  validate(parse(whole));
  expect(validate.errors ?? []).toEqual([]);
});

test("the page has its examples", () => {
  expect(blocks.length).toBeGreaterThan(5);
});

/** Names in the first column of the table that begins with this heading. */
function namesOf(heading: string): readonly string[] {
  const [, table = ""] = new RegExp(`\\| ${heading}.*\\n((?:\\|.*\\n)+)`).exec(page) ?? [];
  return [...table.matchAll(/^\| (`[^|]+)\|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`(\w+)/g)].map(([, name = ""]) => name),
  );
}

/** All keys of the object, wherever it lies in the schema, that has this one. */
function keysOf(key: string, schema: unknown = renderScenarioSchema()): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  if ("properties" in schema && Object.hasOwn(schema.properties as object, key)) {
    return Object.keys(schema.properties as object).filter((name) => name !== "<<");
  }
  return Object.values(schema).reduce<readonly string[]>(
    (found, inner) => (found.length > 0 ? found : keysOf(key, inner)),
    [],
  );
}

test("the page explains every key of a step and every expectation", () => {
  expect(namesOf("key \\| what happens").toSorted()).toEqual(keysOf("within").toSorted());
  expect([...new Set(namesOf("key \\| holds when"))].toSorted()).toEqual(keysOf("no_log").toSorted());
});
