import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { type Files, inFolder } from "../../../../test/support/blueprint-folder.ts";
import { runBusbar, withFolder } from "../../../../test/support/run-busbar.ts";

const GOOD = "blueprint_spec: device/3.0\ndisplay_name: Good\nruntime: {type: embedded}\n";
const BAD = GOOD.replace("display_name", "display_nam");
const LUA = GOOD.replace("{type: embedded}", "{type: lua, options: {file: main.lua, luarocks: [inspect]}}");
const WARNS = `${GOOD}telemetry:\n  power: {type: float, display_name: P, unit: kwh}\n`;

test.each<readonly [string, Files, string, number, string]>([
  ["the folder we are in", { "manifest.yml": GOOD }, "lint", 0, "1 blueprint checked, no problems.\n"],
  ["a manifest", { "a/manifest.yml": GOOD }, "lint a/manifest.yml", 0, "1 blueprint checked, no problems.\n"],
  ["a folder with a manifest.yaml", { "a/manifest.yaml": GOOD }, "lint a", 0, "1 blueprint checked, no problems.\n"],
  [
    "a mistake in a manifest.yaml",
    { "a/manifest.yaml": BAD },
    "lint a",
    1,
    expect.stringMatching(/^a\/manifest\.yaml:\d+:\d+ error [\s\S]*1 blueprint checked/),
  ],
  ["a manifest of any name", { "x.yaml": GOOD }, "lint x.yaml", 0, "1 blueprint checked, no problems.\n"],
  [
    "a script",
    { "manifest.yml": LUA, "main.lua": "require 'inspect'" },
    "lint",
    0,
    "1 blueprint checked, no problems.\n",
  ],
  [
    "a script with a mistake",
    { "manifest.yml": LUA, "main.lua": "x = 1\nif x" },
    "lint",
    1,
    "main.lua:2:1 error lua_syntax\n  It is not valid Lua: 'then' expected near <eof>.\n\n1 blueprint checked: 1 error.\n",
  ],
  [
    "a script with misspelt names",
    { "manifest.yml": LUA, "main.lua": "local n = 1\nenapter.send_telemtry({})" },
    "lint --strict",
    1,
    [
      "main.lua:2:9 warning lua_unknown_field",
      "  enapter has no send_telemtry. Did you mean send_telemetry?",
      "  1 | local n = 1",
      "  2 | enapter.send_telemtry({})",
      "    |         ^^^^^^^^^^^^^",
      "",
      "1 blueprint checked: 1 warning.",
      "",
    ].join("\n"),
  ],
  [
    "a register map with a mistake, and with a connection that is none",
    {
      "manifest.yml": `${GOOD.replace("{type: embedded}", "{type: lua}")}.busbar: {modbus: modbus.yml}\n`,
      "modbus.yml": "connection: 127.0.0.1:502\ncommands:\n  stop: {}\n",
    },
    "lint",
    1,
    expect.stringMatching(
      /modbus\.yml:1:13 error modbus_map\n {2}"127\.0\.0\.1:502" is no connection URI .*; for Modbus TCP write tcp:\/\/127\.0\.0\.1:502\.\n {2}1 \| connection: 127\.0\.0\.1:502\n {4}\| {13}\^{13}\n[\s\S]*modbus\.yml:3:/,
    ),
  ],
  [
    "rocks, where there is a folder of them",
    { "b/manifest.yml": LUA, "b/main.lua": "", "rocks/readme.txt": "" },
    "lint b --rocks rocks -q -o json",
    1,
    expect.stringMatching(/"rock_missing",\n +"message": "The rock inspect \(inspect\) is not in .*rocks\. Put its/),
  ],
  [
    "JSON",
    { "x.json": '{"blueprint_spec":"device/3.0","display_name":"J","runtime":{"type":"embedded"}}' },
    "lint x.json",
    0,
    "1 blueprint checked, no problems.\n",
  ],
  [
    "a folder of blueprints",
    { "a/manifest.yml": GOOD, "b/c/manifest.yml": GOOD, ".d/manifest.yml": BAD },
    "lint .",
    0,
    "2 blueprints checked, no problems.\n",
  ],
  [
    "several paths",
    { "a/manifest.yml": GOOD, "b/manifest.yml": GOOD },
    "lint a b",
    0,
    "2 blueprints checked, no problems.\n",
  ],
  [
    "a zip",
    { "a.zip": packPackage(new Map([["manifest.yml", Buffer.from(GOOD)]])) },
    "lint a.zip",
    0,
    "1 blueprint checked, no problems.\n",
  ],
  [
    "a folder without a manifest",
    { "x/readme.md": "" },
    "lint x",
    1,
    "x error package_no_manifest\n  The package has no manifest.yml at its root.\n\n1 blueprint checked: 1 error.\n",
  ],
  [
    "a missing file of the package",
    { "manifest.yml": GOOD.replace("{type: embedded}", "{type: lua, options: {file: main.lua}}") },
    "lint",
    1,
    [
      "manifest.yml:3:38 error missing_file",
      '  The package has no file "main.lua".',
      "  1 | blueprint_spec: device/3.0",
      "  2 | display_name: Good",
      "  3 | runtime: {type: lua, options: {file: main.lua}}",
      "    |                                      ^^^^^^^^",
      "",
      "1 blueprint checked: 1 error.",
      "",
    ].join("\n"),
  ],
])("%s", async (_, files, command, code, out) => {
  const ran = await inFolder(files, (run) => run(command));
  expect(ran.out).toEqual(out);
  expect(ran.code).toBe(code);
});

test("an error is shown with its lines, its fix and a count", async () => {
  const { out, code } = await inFolder({ "manifest.yml": BAD }, (run) => run("lint"));
  expect(code).toBe(1);
  expect(out).toContain(
    'manifest.yml:2:1 error unknown_key\n  A manifest has no key "display_nam". Did you mean display_name?\n  1 | blueprint_spec: device/3.0\n  2 | display_nam: Good\n    | ^^^^^^^^^^^\n  fix: Rename to display_name',
  );
  expect(out).toMatch(/1 blueprint checked: \d errors?\. \d can be fixed with --fix\.\n$/);
});

test("warnings fail only under --strict, and --quiet hides them", async () => {
  await inFolder({ "manifest.yml": WARNS }, async (run) => {
    expect(await run("lint")).toMatchObject({ code: 0, out: expect.stringContaining("warning unknown_unit") });
    expect((await run("lint --strict")).code).toBe(1);
    expect(await run("lint --quiet")).toMatchObject({ code: 0, out: "1 blueprint checked, no problems.\n" });
    expect((await run("lint --quiet --strict")).code).toBe(1);
  });
});

test("colours come with a terminal only", async () => {
  await withFolder(async (cwd) => {
    writeFileSync(join(cwd, "manifest.yml"), BAD);
    expect((await runBusbar("blueprint lint", { cwd, isTTY: true })).out).toContain("\u001b[31m");
    expect((await runBusbar("blueprint lint", { cwd })).out).not.toContain("\u001b");
  });
});

test("standard input is checked as a bare manifest", async () => {
  await inFolder({}, async (run) => {
    expect((await run("lint -", GOOD)).code).toBe(0);
    expect((await run("lint -", BAD)).out).toContain("<stdin>:2:1 error unknown_key");
    expect(await run("lint -")).toMatchObject({ code: 2, err: "busbar: there is nothing on standard input\n" });
  });
});

test("json gives programs everything", async () => {
  const { out, code } = await inFolder({ "manifest.yml": WARNS }, (run) => run("lint -o json"));
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    errors: 0,
    warnings: 1,
    files: [
      {
        file: "manifest.yml",
        diagnostics: [
          {
            severity: "warning",
            code: "unknown_unit",
            path: "/telemetry/power/unit",
            line: 5,
            fix: { title: "Change to kWh" },
          },
        ],
      },
    ],
  });
});

test("github notes are one line each with nothing left to interpret", async () => {
  const { out } = await inFolder({ "a,b/manifest.yml": BAD.replace("display_nam:", '"100%\\n":') }, (run) =>
    run("lint -o github"),
  );
  const first = out.split("\n").find((line) => line.includes("line=2")) ?? "";
  expect(first).toMatch(/^::error file=a%2Cb\/manifest\.yml,line=2,col=1,endLine=2,endColumn=\d+,title=\w+::/);
  expect(first).not.toMatch(/100%(?!25)/);
});

test("an issue of a script is placed in the script; inside a zip no line can be shown", async () => {
  const files = { "manifest.yml": LUA, "main.lua": "require 'inspect'\n\nif x" };
  const zip = packPackage(new Map(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)])));
  const unpacked = Object.fromEntries(Object.entries(files).map(([path, text]) => [`my/${path}`, text]));
  await inFolder({ ...unpacked, "my.zip": zip }, async (run) => {
    expect((await run("lint my")).out).toContain("my/main.lua:3:1 error lua_syntax\n");
    expect((await run("lint -o github my")).out).toMatch(
      /^::error file=my\/main\.lua,line=3,col=1,.*title=lua_syntax::It is/,
    );
    expect((await run("lint -o github my.zip")).out).toMatch(
      /^::error file=my\.zip,title=lua_syntax::main\.lua: It is/,
    );
    const placeOf = async (path: string) =>
      JSON.parse((await run(`lint -o sarif ${path}`)).out).runs[0].results[0].locations[0].physicalLocation;
    expect(await placeOf("my")).toMatchObject({ artifactLocation: { uri: "my/main.lua" }, region: { startLine: 3 } });
    expect(await placeOf("my.zip")).toEqual({ artifactLocation: { uri: "my.zip" } });
  });
});

test("sarif names rules, places and fixes", async () => {
  const { out } = await inFolder({ "my dir/manifest.yml": BAD }, (run) => run("lint -o sarif"));
  const { version, runs } = JSON.parse(out);
  expect(version).toBe("2.1.0");
  const [{ tool, results }] = runs;
  for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
  const found = results.find((result: { readonly ruleId: string }) => result.ruleId === "unknown_key");
  expect(found).toMatchObject({
    level: "error",
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: "my%20dir/manifest.yml" },
          region: { startLine: 2, startColumn: 1, endLine: 2, endColumn: 12 },
        },
      },
    ],
    fixes: [
      {
        artifactChanges: [
          {
            replacements: [
              { deletedRegion: { charOffset: 27, charLength: 11 }, insertedContent: { text: "display_name" } },
            ],
          },
        ],
      },
    ],
  });
});

test("--fix repairs the file, keeps its mode and line ends, and says what it did", async () => {
  const text = `\ufeff${WARNS.replace("display_name: Good", "display_nam: Good # kept").replaceAll("\n", "\r\n")}`;
  await inFolder({ "manifest.yml": text }, async (run, folder) => {
    const ran = await run("lint --fix --strict");
    expect(ran).toEqual({
      code: 0,
      out: "1 blueprint checked, no problems.\n",
      err: expect.stringMatching(/^manifest.yml: \d fixed\n$/),
    });
    const fixed = readFileSync(join(folder, "manifest.yml"), "utf8");
    expect(fixed).toBe(text.replace("display_nam:", "display_name:").replace("kwh", "kWh"));
    expect((await run("lint --fix")).err).toBe("");
  });
});

test("--fix on standard input gives the repaired text", async () => {
  const { out, err } = await inFolder({}, (run) => run("lint --fix -", BAD));
  expect(out).toBe(GOOD);
  expect(err).toContain("no problems");
});

test("--fix does not touch a zip", async () => {
  const zip = packPackage(new Map([["manifest.yml", Buffer.from(BAD)]]));
  expect(await inFolder({ "a.zip": zip }, (run) => run("lint --fix a.zip"))).toMatchObject({ code: 2 });
});

test("profiles of one's own are known beside ours", async () => {
  const files = {
    "b/manifest.yml": `${GOOD}implements: [my.pump, device.status]\n`,
    "profiles/my/pump.yml":
      "display_name: Pump\nimplements: device.alerts\ntelemetry: {flow: {type: float, unit: m3/h}}\n",
  };
  await inFolder(files, async (run, folder) => {
    expect((await run("lint b")).out).toContain("warning unknown_profile");
    const { out } = await run("lint b --profiles profiles");
    expect(out).toContain("asks for telemetry flow");
    expect(out).toContain("asks for telemetry alerts");
    expect(out).not.toContain("unknown_profile");
    writeFileSync(join(folder, "profiles/my/pump.yml"), "display_nam: Pump\n");
    expect(await run("lint b --profiles profiles")).toMatchObject({
      code: 2,
      err: expect.stringContaining("my/pump.yml:1:1"),
    });
  });
});

test.each([
  ["a path that does not exist", "lint nowhere", "nowhere does not exist"],
  ["an unknown format", "lint -o xml", "pretty, json, github, sarif"],
  ["an unknown flag", "lint --stric", "--strict"],
])("%s is wrong usage", async (_, command, expected) => {
  expect(await inFolder({}, (run) => run(command))).toMatchObject({
    code: 2,
    err: expect.stringContaining(expected),
  });
});

test("links inside a blueprint are named and not followed", async () => {
  await inFolder({ "manifest.yml": GOOD }, async (run, folder) => {
    symlinkSync("/etc/passwd", join(folder, "secret"));
    expect((await run("lint")).out).toContain("package_special_file\n  secret is a symbolic link.");
  });
});

const SPEC = "blueprint_spec: profile/1.0\ndisplay_name: X\ndescription: Y\n";

test("a tree of the ecosystem's profiles is read, pages and all", async () => {
  const files = {
    "b/manifest.yml": `blueprint_spec: device/3.0
display_name: B
runtime: {type: embedded}
implements: [energy.hybrid.3_phase]
telemetry:
  charge: {type: float, unit: "%", display_name: Charge, implements: lib.energy.battery.soc.battery_soc}
  gas: {type: float, display_name: Gas}
`,
    "p/README.md": "# Profiles",
    "p/energy/hybrid/3_phase.yml": `${SPEC}implements: [lib.energy.battery.soc, lib.sensor.gas]`,
    "p/energy/hybrid/3_phase.md": "# A page",
    "p/lib/energy/battery/soc.yml": `${SPEC}telemetry: {battery_soc: {display_name: Charge, type: float, unit: "%"}}`,
    "p/lib/sensor/gas.yml": `${SPEC}telemetry: {gas: {display_name: Gas, type: float, unit: "%LEL"}}`,
  };
  await inFolder(files, async (run) => {
    expect((await run("lint --strict b --profiles p")).out).toContain("no problems");
    const { out } = await run("lint b -o json");
    expect(out.match(/"unknown_profile"/g)).toHaveLength(1);
    expect(out).toContain("2 profiles are not in the library: energy.hybrid.3_phase, lib.energy.battery.soc.");
  });
});
