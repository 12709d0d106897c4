// The examples of rules and their scenarios, and the page on tests of rules: each block is run, and each key is explained.
import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { renderRuleScenarioSchema } from "#manifest/rule-scenario/parse-rule-scenarios.ts";
import { playScenarios, playScript } from "../support/rule-scenarios.ts";
import { runBusbar } from "../support/run-busbar.ts";

const root = new URL("../../", import.meta.url);
const page = readFileSync(new URL("docs/rule-tests.md", root), "utf8");
const blocks = [...page.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
const surplus = readFileSync(new URL("examples/rules/surplus.yml", root), "utf8");
const battery = readFileSync(new URL("examples/rules/battery.lua", root), "utf8");
const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(renderRuleScenarioSchema());

test("all scenarios of examples/rules pass, three of ready controllers at least among them", async () => {
  const { code, out } = await runBusbar("rule test examples/rules -o json", { cwd: root.pathname });
  const { failed, passed, rules } = JSON.parse(out) as {
    failed: number;
    passed: number;
    rules: readonly { name: string }[];
  };
  expect([code, failed]).toEqual([0, 0]);
  expect(passed).toBeGreaterThan(15);
  expect(rules.filter(({ name }) => name.endsWith("(controller)")).length).toBeGreaterThanOrEqual(3);
  const files = readdirSync(new URL("examples/rules", root));
  expect(rules).toHaveLength(files.filter((name) => name.endsWith(".test.yml")).length);
});

test.each(blocks)("the example\n%s\npasses, and is a scenario to an editor", async (block) => {
  const isWhole = /^(steps|scenarios):/m.test(block);
  const reports = isWhole
    ? await (block.includes("explains") ? playScript(battery, block) : playScenarios(surplus, block))
    : await playScenarios("when: { every: 1h }\nthen: { notify: x }", `${block}steps: []\n`);
  expect(reports.flatMap(({ failures }) => failures)).toEqual([]);
  validate(parse(isWhole ? block : `${block}steps: []\n`));
  expect(validate.errors ?? []).toEqual([]);
});

test("the page has its examples", () => {
  expect(blocks).toHaveLength(4);
});

test("every file of the examples is a scenario to an editor, too", () => {
  for (const name of readdirSync(new URL("examples/rules", root)).filter((one) => one.endsWith(".test.yml"))) {
    validate(parse(readFileSync(new URL(`examples/rules/${name}`, root), "utf8")));
    expect([name, validate.errors ?? []]).toEqual([name, []]);
  }
});

/** Names in the first column of the table that begins with this heading. */
function namesOf(heading: string): readonly string[] {
  const [, table = ""] = new RegExp(`\\| ${heading}.*\\n((?:\\|.*\\n)+)`).exec(page) ?? [];
  const names = [...table.matchAll(/^\| (`[^|]+)\|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`(\w+)/g)].map(([, name = ""]) => name),
  );
  return [...new Set(names)].toSorted();
}

/** All keys of the object, wherever it lies in the schema, that has this one. */
function keysOf(key: string, schema: unknown = renderRuleScenarioSchema()): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  if ("properties" in schema && Object.hasOwn(schema.properties as object, key))
    return Object.keys(schema.properties as object)
      .filter((name) => name !== "<<")
      .toSorted();
  return Object.values(schema).reduce<readonly string[]>(
    (found, inner) => (found.length > 0 ? found : keysOf(key, inner)),
    [],
  );
}

test("the page explains every key of a file, a device, a step, and every expectation", () => {
  expect(namesOf("key of the file")).toEqual(keysOf("scenarios"));
  expect(namesOf("key \\| what happens")).toEqual(keysOf("within"));
  expect(namesOf("key \\| holds when").filter((name) => !["none", "absent", "min", "max"].includes(name))).toEqual(
    keysOf("no_log"),
  );
  const [, devices = ""] = /## Devices([\s\S]*?)## Steps/.exec(page) ?? [];
  for (const key of keysOf("implements")) expect(devices).toContain(`\`${key}\``);
});
