import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { CONVERT, MANIFEST, SCRIPT, SETUP } from "../../../../test/support/battery-blueprint.ts";
import { type Files, inFolder } from "../../../../test/support/blueprint-folder.ts";
import { runBusbar, withFolder } from "../../../../test/support/run-busbar.ts";

const GOOD = { "manifest.yml": MANIFEST, "lua/main.lua": SCRIPT, "lua/convert.lua": CONVERT };

/** What `busbar blueprint test` says about a folder of these files. */
function testing(files: Files, flags = "") {
  return inFolder(files, (run) => run(`test ${flags}`));
}

const scenario = (steps: string, setup = SETUP): Files => ({
  ...GOOD,
  "tests/a.yml": `${setup}name: a try\nsteps:\n${steps}`,
});

test("the same tests give the same bytes", async () => {
  const files = scenario("  - {wait: 5s, expect: {telemetry: {voltage: 1}}}\n");
  const [one, other] = [await testing(files, "--verbose"), await testing(files, "--verbose")];
  expect(one.code).toBe(1);
  expect(one).toEqual(other);
});

test("a failure says what was expected, what came, where, and what happened before", async () => {
  const { code, out } = await testing(scenario("  - wait: 1s\n    expect: {telemetry: {volts: 48}}\n"));
  expect(code).toBe(1);
  expect(out).toBe(`.
  ✗ tests/a.yml  a try  1 s

  tests/a.yml:7:26  telemetry volts  at 1 s
    expected  48
    came      51.20000076293945
    5 | steps:
    6 |   - wait: 1s
    7 |     expect: {telemetry: {volts: 48}}
      |                          ^^^^^

  what happened before (all of it with --verbose)
    0 s    properties model="B1"
    0 s  line 6
    1 s    battery ← read holdings 100+3 of unit 1 → 16972 52429 235
    1 s    telemetry alerts=[] status="ok" voltage=51.2

  telemetry 3 of 3 sent, commands 0 of 2 run, alerts 0 of 2 raised

1 scenario failed
`);
});

test("commands without a handler and handlers without a command are reported once for the blueprint", async () => {
  const files = scenario("  - wait: 2s\n");
  const { code, out } = await testing({
    ...files,
    "lua/main.lua": SCRIPT.replace("handler('count_down'", "handler('countdown'"),
  });
  expect(code).toBe(1);
  expect(out).toContain(
    "✗ command count_down has no handler in the script; did you mean it by the handler of countdown?\n",
  );
  expect(out).toContain(
    "✗ the script handles countdown, which the manifest does not declare; did you mean count_down?\n",
  );
});

test("without a scenario the script runs for a minute with nobody to talk to", async () => {
  const ran = await testing({ ...GOOD, "lua/main.lua": "function enapter.main() error('no address') end" });
  expect(ran.code).toBe(1);
  expect(ran.out).toContain("✗ starts and runs for a minute without peers");
  expect(ran.out).toContain("lua/main.lua:1  no address");
});

test("a scenario that cannot be read is reported with every problem and its place, and the others run", async () => {
  const { code, out } = await testing({
    ...scenario("  - wait: 1s\n"),
    "tests/b.yml": "steps:\n  - wiat: 1s\n  - expect: {telemetry: {volt: 5}}\n",
  });
  expect(code).toBe(1);
  expect(out).toContain("✓ tests/a.yml  a try  1 s");
  expect(out).toContain('tests/b.yml:2:5 error\n    A step has no key "wiat". Did you mean wait?');
  expect(out).toContain('There is no telemetry attribute "volt". Did you mean volts?');
});

test("only what the filter names is run, and nothing to run is wrong usage", async () => {
  const files = scenario("  - wait: 1s\n");
  expect((await testing(files, "--filter try")).out).toContain("✓ tests/a.yml");
  expect(await testing(files, "--filter other")).toMatchObject({
    code: 2,
    out: expect.stringContaining("no scenario matches the filter"),
  });
  const embedded = { "manifest.yml": "blueprint_spec: device/3.0\ndisplay_name: E\nruntime: {type: embedded}\n" };
  expect(await testing(embedded)).toMatchObject({ code: 2, out: expect.stringContaining("its runtime is embedded") });
});

test("a manifest with errors is reported as lint does it", async () => {
  const { code, err } = await testing({
    "manifest.yml": MANIFEST.replace("display_name: Battery", "display_nam: Battery"),
  });
  expect(code).toBe(1);
  expect(err).toContain("display_nam");
});

test("files may be named, several scenarios lie in one, and random numbers follow the seed", async () => {
  const files = {
    ...GOOD,
    "lua/main.lua": `${SCRIPT}\nenapter.log(tostring(math.random(1000000)))`,
    "more/x.yml": `${SETUP}scenarios:\n  - {name: one, steps: [{wait: 1s}]}\n  - {name: two, seed: 5, steps: [{wait: 1s}]}\n`,
  };
  const numbers = async (flags: string) => {
    const { out } = await testing(files, `--scenario more/x.yml --verbose ${flags}`);
    return [...out.matchAll(/log info: (\d+)/g)].map(([, number]) => number);
  };
  const [first, second] = [await numbers(""), await numbers("--seed 7")];
  expect(first).toHaveLength(2);
  expect(second[0]).not.toBe(first[0]);
  expect(second[1]).toBe(first[1]);
});

test.each(["battery", "other"])("a fresh %s passes its own first test", async (kind) => {
  await withFolder(async (cwd) => {
    await runBusbar(`blueprint init --yes --runtime lua --kind ${kind}`, { cwd });
    expect(await runBusbar("blueprint test", { cwd })).toMatchObject({
      code: 0,
      out: expect.stringContaining("1 scenario passed"),
    });
  });
});

const FAILS = {
  ...scenario("  - wait: 1s\n    expect: {telemetry: {volts: 48}}\n"),
  "tests/b.yml": "steps:\n  - wiat: 1s\n",
  "tests/c.yml": `${SETUP}name: a "good" one\nsteps: [{wait: 2s}]\n`,
};

test("-o github gives one note a failure, at its line as seen from where we are", async () => {
  const files = Object.fromEntries(Object.entries(FAILS).map(([path, text]) => [`my/${path}`, text]));
  const { code, out } = await testing({ ...files, "my/lua/convert.lua": "error('100%')" }, "-o github my");
  expect(code).toBe(1);
  expect(out.split("\n")).toEqual([
    '::error file=my/tests/b.yml,line=2,col=5,endLine=2,endColumn=9,title=unknown_key::A step has no key "wiat". Did you mean wait?',
    "::error file=my/lua/convert.lua,line=1,col=1,endLine=1,endColumn=1,title=a try::100%25 at 0 s%0Alua/convert.lua:1: in local 'chunk'%0Alua/main.lua:1: in local 'chunk'",
    expect.stringMatching(
      /^::error file=my\/tests\/a.yml,line=7,col=26,.*,title=a try::telemetry volts at 1 s%0Aexpected 48%0Acame /,
    ),
    expect.stringMatching(/^::error file=my\/lua\/convert.lua,line=1,.*,title=a "good" one::/),
    "",
  ]);
  expect(await testing(scenario("  - wait: 1s\n"), "-o github")).toEqual({ code: 0, out: "", err: "" });
});

test("-o junit gives a suite a blueprint and a case a scenario", async () => {
  const { code, out } = await testing(FAILS, "-o junit");
  expect(code).toBe(1);
  expect(out).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="busbar blueprint test" tests="4" failures="1" errors="1" skipped="0" time="3">
  <testsuite name="." tests="4" failures="1" errors="1" skipped="0" time="3">
    <testcase name="tests/b.yml" classname="tests/b.yml" file="tests/b.yml" time="0">
      <error message="cannot be read">tests/b.yml:2:5 A step has no key &quot;wiat&quot;. Did you mean wait?</error>
    </testcase>
    <testcase name="a try" classname="tests/a.yml" file="tests/a.yml" time="1">
      <failure message="telemetry volts: expected 48, came 51.20000076293945">  tests/a.yml:7:26  telemetry volts  at 1 s
    expected  48
    came      51.20000076293945
    5 | steps:
    6 |   - wait: 1s
    7 |     expect: {telemetry: {volts: 48}}
      |                          ^^^^^

  what happened before (all of it with --verbose)
    0 s    properties model=&quot;B1&quot;
    0 s  line 6
    1 s    battery ← read holdings 100+3 of unit 1 → 16972 52429 235
    1 s    telemetry alerts=[] status=&quot;ok&quot; voltage=51.2</failure>
    </testcase>
    <testcase name="a &quot;good&quot; one" classname="tests/c.yml" file="tests/c.yml" time="2"/>
    <testcase name="commands and their handlers" classname="manifest.yml" file="manifest.yml" time="0"/>
  </testsuite>
</testsuites>
`);
});

test("--junit writes the same beside the report for people, and says what cannot run or has nothing to run", async () => {
  const files = {
    "a/manifest.yml": MANIFEST.replace("display_name: Battery", "display_nam: Battery"),
    "b/manifest.yml": "blueprint_spec: device/3.0\ndisplay_name: E\nruntime: {type: embedded}\n",
  };
  await inFolder(files, async (run, folder) => {
    const { code, out, err } = await run("test a b --junit made/report.xml");
    expect([code, out, err]).toEqual([
      1,
      expect.stringContaining("b\n  - nothing"),
      expect.stringContaining("a/manif"),
    ]);
    const xml = readFileSync(join(folder, "made/report.xml"), "utf8");
    expect(xml).toContain('tests="2" failures="0" errors="1" skipped="1" time="0"');
    expect(xml).toContain('<testcase name="is a valid blueprint" classname="a/manifest.yml"');
    expect(xml).toContain('<skipped message="nothing to run: its runtime is embedded"/>');
    expect((await run("test a -o github")).out).toMatch(/^::error file=a\/manifest.yml,line=2,.*title=unknown_key::/m);
    expect(JSON.parse((await run("test a -o json")).out)).toMatchObject({
      failed: 1,
      blueprints: [{ passed: false, diagnostics: [{ code: "missing_key" }, { code: "unknown_key", line: 2 }, {}] }],
    });
  });
});

test("what XML cannot hold does not break the report", async () => {
  const script = `${SCRIPT}\nerror('<a>&\\0\\27 "b" ]]>')`;
  const { out } = await testing({ ...scenario("  - wait: 1s\n"), "lua/main.lua": script }, "-o junit");
  expect(out).toContain('<failure message="&lt;a&gt;&amp;\ufffd\ufffd &quot;b&quot; ]]&gt;">');
});

test("--watch runs again when a file changes", async () => {
  await withFolder(async (folder) => {
    for (const [path, content] of Object.entries(scenario("  - wait: 1s\n"))) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    let outputs = 0;
    const { promise: interrupt, resolve: end } = Promise.withResolvers<void>();
    const ran = await runBusbar("blueprint test --watch --junit report.xml", {
      cwd: folder,
      interrupt,
      onWrite: (text) => {
        if (!text.includes("scenario ")) return;
        outputs += 1;
        if (outputs === 1) writeFileSync(join(folder, "lua/main.lua"), SCRIPT.replace("'ok'", "'okay'"));
        else end();
      },
    });
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(/1 scenario passed[\s\S]*1 scenario failed/);
  });
});
