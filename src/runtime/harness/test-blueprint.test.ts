import { expect, test } from "vitest";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { parseScenarios } from "#manifest/scenario/parse-scenarios.ts";
import { testBlueprint } from "./test-blueprint.ts";

const MANIFEST = `blueprint_spec: device/3.0
display_name: D
runtime: {type: lua, options: {file: main.lua}}
configuration: {c: {display_name: C, parameters: {hangs: {type: boolean, display_name: H, default: false}}}}
`;
const MAIN = `scheduler.add(1000, function()
  if configuration.read('c').hangs then string.rep('a', 100000):find('.-.-.-.-b') end
  enapter.log('done')
end)`;

function testing(text: string, patienceMs?: number) {
  const { blueprint } = parseManifest(MANIFEST);
  if (blueprint === undefined) throw new Error("the manifest has errors");
  const { scenarios, issues } = parseScenarios(text, blueprint, "a");
  expect(issues).toEqual([]);
  return testBlueprint({
    blueprint,
    program: { entry: "main.lua", modules: new Map([["main.lua", MAIN]]), nodebug: false },
    jobs: scenarios.map((scenario) => ({ file: "a.yml", scenario })),
    patienceMs,
  });
}

test("a script that stays in a library function is ended, and the next scenario runs", async () => {
  const { scenarios } = await testing(`scenarios:
  - {name: hangs, configuration: {c: {hangs: true}}, steps: [{wait: 2s}]}
  - {name: works, steps: [{wait: 2s, expect: {log: done}}]}
`);
  expect(scenarios.map(({ failures }) => failures.map(({ script }) => script))).toEqual([
    [{ file: "main.lua", line: 2 }],
    [],
  ]);
});

test("a thread that gives no sign of life is ended, with the step it was in", async () => {
  const { scenarios } = await testing("steps:\n  - wait: 10h\n", 1);
  expect(scenarios[0]).toMatchObject({
    isWhole: false,
    failures: [{ kind: "deadline", message: expect.stringContaining("did not come back within 0.001 s") }],
  });
});
