import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { CONVERT, MANIFEST, SCRIPT, SETUP } from "../../../../test/support/battery-blueprint.ts";
import { runBusbar, withFolder } from "../../../../test/support/run-busbar.ts";

const GOOD = { "manifest.yml": MANIFEST, "lua/main.lua": SCRIPT, "lua/convert.lua": CONVERT };

type Files = Readonly<Record<string, string>>;

/** What `busbar blueprint test` says about a folder of these files. */
function testing(files: Files, flags = "") {
  return withFolder((folder) => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    return runBusbar(`blueprint test ${flags}`, { cwd: folder });
  });
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

test("commands without a handler and handlers without a command are told once for the blueprint", async () => {
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

test("a scenario that cannot be read is told with every problem and its place, and the others run", async () => {
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
    out: expect.stringContaining("no scenario fits the filter"),
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

test("--watch runs again when a file changes", async () => {
  await withFolder(async (folder) => {
    for (const [path, content] of Object.entries(scenario("  - wait: 1s\n"))) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    let outputs = 0;
    const { promise: interrupt, resolve: end } = Promise.withResolvers<void>();
    const ran = await runBusbar("blueprint test --watch", {
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
