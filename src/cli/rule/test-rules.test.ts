import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type Ran, runBusbar, withFolder } from "../../../test/support/run-busbar.ts";

const RULE = "when: { device: meter, attribute: power, above: 10 }\nthen: { notify: It is much }\n";
const HEAD = "devices: {meter: {telemetry: {power: 5}}}\n";
const good = (more = "") =>
  `${HEAD}name: a try\nsteps:\n  - {set: {meter: {telemetry: {power: 11}}}, wait: 1m, expect: {messages: It is much${more}}}\n`;

type Files = Readonly<Record<string, string>>;

function testing(files: Files, words: string, read?: (folder: string) => void): Promise<Ran> {
  return withFolder(async (cwd) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, name)), { recursive: true });
      writeFileSync(join(cwd, name), text);
    }
    const ran = await runBusbar(`rule test ${words}`, { cwd });
    read?.(cwd);
    return ran;
  });
}

const FILES = { "a.yml": RULE, "a.test.yml": good() };

test("scenarios stand beside their rule: either of the two names, a folder, or nothing means them", async () => {
  const expected = "a.yml\n  ✓ a.test.yml  a try  60 s\n\n1 scenario passed\n";
  for (const words of ["a.yml", "a.test.yml", "", "."])
    expect(await testing(FILES, words)).toMatchObject({ code: 0, out: expected });
  const moved = { "x/other.test.yml": `rule: ../a.yml\n${good()}`, "a.yml": RULE };
  expect((await testing(moved, "x")).code).toBe(0);
});

test("a failure says what was expected, what came, where, and what happened before", async () => {
  const { code, out } = await testing({ ...FILES, "a.test.yml": good("x") }, "");
  expect([code, out]).toEqual([
    1,
    `a.yml
  ✗ a.test.yml  a try  60 s

  a.test.yml:4:65  messages  at 60 s
    expected  a text with "It is muchx"
    came      info: "It is much"
    2 | name: a try
    3 | steps:
    4 |   - {set: {meter: {telemetry: {power: 11}}}, wait: 1m, expect: {messages: It is muchx}}
      |                                                                 ^^^^^^^^

  what happened before (all of it with --verbose)
    0 s  line 4
    0 s    run by /when: then (it became true)
    0 s    sends info: It is much

1 scenario failed
`,
  ]);
});

test("mistakes of scenarios and of the rule are all reported, each at its place, and other files run", async () => {
  const { code, out } = await testing(
    {
      ...FILES,
      "b.test.yml": "steps:\n  - wiat: 1s\n  - {set: {x: silent}}\n",
      "c.yml": "when: { every: 1x }\nthen: { notfy: x }\n",
      "c.test.yml": "steps: []\n",
      "d.test.yml": "rule: gone.yml\nsteps: []\n",
      "e.test.yml": "steps: []\n",
    },
    "",
  );
  expect(code).toBe(1);
  for (const place of [
    "b.test.yml:2:5 error",
    "b.test.yml:3:12 error",
    "c.yml:1:16 error",
    "c.yml:2:9 error",
    "d.test.yml:1:1 error",
  ])
    expect(out).toContain(place);
  expect(out).toContain("There is no file gone.yml here.");
  expect(out).toContain("There is no e.yml, e.yaml, e.lua beside it.");
  expect(out).toContain("1 scenario passed");
});

test("programs get JSON, notes of a pull request, or JUnit", async () => {
  const json = await testing(FILES, "-o json");
  expect(JSON.parse(json.out)).toEqual({
    ...{ passed: 1, failed: 0, skipped: 0 },
    rules: [
      {
        ...{ name: "a.yml", passed: true, unreadable: [], problems: [] },
        scenarios: [{ file: "a.test.yml", name: "a try", passed: true, elapsed_ms: 60_000, failures: [], notes: [] }],
      },
    ],
  });
  const github = await testing({ ...FILES, "a.test.yml": good("x") }, "-o github");
  expect([github.code, github.out]).toEqual([1, expect.stringContaining("::error file=a.test.yml,line=4")]);
  let saved = "";
  await testing(FILES, "--junit out/r.xml", (folder) => {
    saved = readFileSync(join(folder, "out/r.xml"), "utf8");
  });
  expect(saved).toContain('<testsuites name="busbar rule test" tests="1" failures="0"');
  expect(saved.match(/<testcase /g)).toHaveLength(1);
});

test.each([
  ["nothing.yml", "there is no file or folder nothing.yml"],
  ["b.yml", "b.yml has no scenarios: write them into b.test.yml"],
  ["empty", "empty has no file named *.test.yml"],
])("%s is wrong usage", async (path, message) => {
  const { code, err } = await testing({ "b.yml": RULE, "empty/x.txt": "" }, path);
  expect(code).toBe(2);
  expect(err).toContain(message);
});

test("a filter that fits nothing runs nothing, and says so", async () => {
  const { code, out } = await testing(FILES, "--filter night");
  expect([code, out]).toEqual([2, expect.stringContaining("no scenario matches the filter")]);
});

test("tests that a rule keeps itself are played where no file stands beside it, with places of their own", async () => {
  const kept = (text: string) => `${RULE}\n# tests:\n${text.trimEnd().replace(/^/gm, "# ")}\n`;
  const passed = await testing({ "a.yml": kept(good()) }, "a.yml");
  expect(passed).toMatchObject({ code: 0, out: "a.yml\n  ✓ a.yml (tests)  a try  60 s\n\n1 scenario passed\n" });
  const failed = await testing({ "a.yml": kept(good("x")) }, "a.yml");
  expect([failed.code, failed.out]).toEqual([1, expect.stringContaining("a.yml (tests):4:65  messages  at 60 s")]);
  const beside = await testing({ "a.yml": kept(good("x")), "a.test.yml": good() }, "a.yml");
  expect(beside.code).toBe(0);
  const named = await testing({ "a.yml": kept(`rule: b.yml\n${good()}`), "b.yml": RULE }, "a.yml");
  expect(named).toMatchObject({ code: 0, out: expect.stringContaining("b.yml") });
});

test("modules of a script are files beside it, and nothing else is read", async () => {
  const steps = "steps: [{wait: 1s, expect: {variables: {n: 3}}}]\n";
  const files = {
    "x/a.lua": "variables.set('n', require('lib').n)",
    "x/lib.lua": "return { n = require('more') }",
    "x/more.lua": "return 3",
    "x/a.test.yml": steps,
    "x/b.lua": "require('../secret')\nrequire('gone')\nrequire('night')",
    "x/b.test.yml": steps,
    "x/night.yml": RULE,
    "secret.lua": "return 3",
    "x/c.lua": "require('bad')",
    "x/bad.lua": "local x = = 3",
    "x/c.test.yml": "steps: [{wait: 1s}]\n",
  };
  expect(await testing(files, "x/a.lua")).toMatchObject({ code: 0 });
  const { code, out } = await testing(files, "x/b.lua");
  expect(code).toBe(1);
  expect(out).toContain("1:9");
  expect(out).toContain('The module "../secret" cannot be required: a module is another rule of the site');
  expect(out).toContain('The module "gone" cannot be required: there is no file gone.lua beside it.');
  expect(out).toContain('The module "night" cannot be required: the rule night is written in YAML');
  const bad = await testing(files, "x/c.lua");
  expect([bad.code, bad.out]).toEqual([1, expect.stringContaining("error loading module 'bad'")]);
});
