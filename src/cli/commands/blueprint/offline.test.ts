import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { DEVICE_KINDS } from "#cli/blueprint/device-kinds.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { runBusbar, withFolder } from "../../../../test/support/run-busbar.ts";

const EXAMPLES = fileURLToPath(new URL("../../../../examples/blueprints/", import.meta.url));
const GOOD = "blueprint_spec: device/3.0\ndisplay_name: Good\nruntime: {type: embedded}\n";
const BAD = GOOD.replace("display_name", "display_nam");
const LUA = GOOD.replace("{type: embedded}", "{type: lua, options: {file: main.lua, luarocks: [inspect]}}");
const WARNS = `${GOOD}telemetry:\n  power: {type: float, display_name: P, unit: kwh}\n`;

type Files = Readonly<Record<string, string | Uint8Array>>;

function inFolder<T>(
  files: Files,
  use: (run: (command: string, input?: string) => ReturnType<typeof runBusbar>, folder: string) => Promise<T>,
) {
  return withFolder((folder) => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    return use(
      (command, input) => runBusbar(`blueprint ${command}`, { cwd: folder, ...(input === undefined ? {} : { input }) }),
      folder,
    );
  });
}

describe("lint", () => {
  test.each<readonly [string, Files, string, number, string]>([
    ["the folder we are in", { "manifest.yml": GOOD }, "lint", 0, "1 blueprint checked, no problems.\n"],
    ["a manifest", { "a/manifest.yml": GOOD }, "lint a/manifest.yml", 0, "1 blueprint checked, no problems.\n"],
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
      "manifest.yml (main.lua):2:1 error lua_syntax\n  It is not valid Lua: 'then' expected near <eof>.\n\n1 blueprint checked: 1 error.\n",
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

  test("json tells programs everything", async () => {
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
});

describe("show", () => {
  test("a summary names everything that is declared", async () => {
    const { out, code } = await runBusbar("blueprint show battery", { cwd: EXAMPLES });
    expect(code).toBe(0);
    for (const id of ["module_layout", "battery_soc", "set_schedule", "cell_imbalance", "limits"])
      expect(out).toContain(id);
  });

  test("--resolved fills in defaults, aliases and included profiles", async () => {
    const { out } = await runBusbar("blueprint show pv-inverter --resolved -o json", { cwd: EXAMPLES });
    const resolved = JSON.parse(out);
    expect(resolved.profiles).toContain("energy.ac.power");
    expect(resolved.telemetry.yield_day.aliases).toEqual(["pv_energy_today"]);
    expect(resolved.telemetry.ac_power.access_level).toBe("readonly");
    expect(resolved.commands.start).toMatchObject({ access_level: "owner", read_access_level: "owner" });
    expect(resolved.conformance).toBeUndefined();
  });

  test("--resolved is YAML unless told otherwise, and reports what profiles miss", async () => {
    const { out } = await inFolder({ "manifest.yml": `${GOOD}implements: device.status\n` }, (run) =>
      run("show --resolved"),
    );
    expect(out).toContain("profiles:\n  - device.status\n");
    expect(out).toContain("kind: missing");
  });

  test("a blueprint with errors is reported and nothing is shown", async () => {
    const { out, err, code } = await inFolder({ "manifest.yml": BAD }, (run) => run("show"));
    expect({ out, code }).toEqual({ out: "", code: 1 });
    expect(err).toContain("error unknown_key");
  });
});

describe("diff", () => {
  const next = WARNS.replace("kwh", "kWh");
  test("changes are grouped by what they do", async () => {
    await inFolder({ "a.yml": GOOD, "b.yml": next }, async (run) => {
      expect(await run("diff a.yml b.yml --exit-code")).toMatchObject({
        code: 0,
        out: "Compatible\n  Telemetry attribute power: added.\n\n1 change, 0 breaking.\n",
      });
      expect(await run("diff b.yml a.yml")).toMatchObject({
        code: 0,
        out: expect.stringContaining("Breaking\n  Telemetry attribute power: removed."),
      });
      expect((await run("diff b.yml a.yml --exit-code")).code).toBe(1);
      expect((await run("diff a.yml a.yml")).out).toBe("The blueprints say the same.\n");
      expect(JSON.parse((await run("diff a.yml b.yml -o json")).out)).toMatchObject({
        breaking: false,
        changes: [{ kind: "added", path: "/telemetry/power" }],
      });
    });
  });
});

describe("docs", () => {
  test("the page names everything and shows symbols of custom units", async () => {
    const { out } = await runBusbar("blueprint docs ev-charger", { cwd: EXAMPLES });
    expect(out).toMatch(/^# EV charger\n/);
    for (const part of [
      "## Telemetry",
      "## Commands",
      "#### `unlock`: Unlock the plug",
      "### `plug_hot`: Plug too hot",
      "## Configuration",
      "Raised after 1m30s.",
      "| € |",
    ]) {
      expect(out).toContain(part);
    }
  });

  test("texts of a manifest cannot write markup", async () => {
    const hostile = GOOD.replace("Good", '"<img src=x> | [a](http://b) `c` *d*"');
    const { out } = await inFolder({ "manifest.yml": `${hostile}description: "- item"\n` }, (run) => run("docs"));
    expect(out).toContain("# \\<img src=x\\> \\| \\[a\\](http://b) \\`c\\` \\*d\\*\n\n\\- item\n");
  });

  test("a file is written once and replaced only by force", async () => {
    await inFolder({ "manifest.yml": GOOD }, async (run, folder) => {
      expect(await run("docs --output out/page.md")).toMatchObject({ code: 0, out: "out/page.md\n" });
      expect(readFileSync(join(folder, "out/page.md"), "utf8")).toContain("# Good");
      expect((await run("docs --output out/page.md")).code).toBe(2);
      expect((await run("docs --output out/page.md --force")).code).toBe(0);
    });
  });
});

describe("types", () => {
  test.each(["battery", "electrolyser", "ev-charger", "grid-meter", "pv-inverter", "weather-station"])(
    "those of %s are TypeScript",
    async (name) => {
      const { out } = await runBusbar(`blueprint types ${name}`, { cwd: EXAMPLES });
      expect(out).toContain("export interface Telemetry {");
      expect(stripTypeScriptTypes(out).trim()).toMatch(/^\/\/ Types of the blueprint/);
    },
  );

  test("enums are unions, defaults make arguments optional", async () => {
    const { out } = await runBusbar("blueprint types grid-meter", { cwd: EXAMPLES });
    expect(out).toContain("readonly tariff?: 1 | 2;");
    expect(out).toContain("readonly primary: number;");
    expect(out).toContain("readonly secondary?: 1 | 5;");
    expect(out).toContain('export type AlertId = "phase_missing" | "phase_overloaded" | "transformer_reversed";');
  });

  test("a manifest cannot end a comment or leave a text", async () => {
    const hostile = `${GOOD.replace("Good", '"x\\n*/ evil()"')}alerts: {"a-b": {severity: info, display_name: A}}
telemetry: {constructor: {type: string, display_name: "*/ evil() /*", enum: ['"; evil()']}}
`;
    const { out } = await inFolder({ "manifest.yml": hostile }, (run) => run("types"));
    expect(
      stripTypeScriptTypes(out)
        .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "")
        .trim(),
    ).toBe("");
  });
});

describe("schema and pack", () => {
  test("the schema is JSON that knows the specification", async () => {
    const { out } = await runBusbar("blueprint schema");
    expect(JSON.parse(out).properties.blueprint_spec).toBeDefined();
  });

  test("a folder is packed, the same twice, and lints as a zip", async () => {
    await inFolder(
      { "pump/manifest.yml": GOOD, "pump/.git/config": "x", "pump/readme.md": "hi" },
      async (run, folder) => {
        expect(await run("pack pump")).toMatchObject({
          code: 0,
          out: "pump.zip\n",
          err: expect.stringMatching(/^2 files, \d+ bytes\n$/),
        });
        expect((await run("lint --strict pump.zip")).code).toBe(0);
        expect((await run("pack pump")).code).toBe(2);
        const first = readFileSync(join(folder, "pump.zip"));
        expect((await run("pack pump --force")).code).toBe(0);
        expect(readFileSync(join(folder, "pump.zip"))).toEqual(first);
        expect((await run("pack pump.zip")).err).toContain("is no folder");
      },
    );
  });

  test("a blueprint with errors is not packed", async () => {
    await inFolder({ "manifest.yml": BAD }, async (run, folder) => {
      expect((await run("pack --output a.zip")).code).toBe(1);
      expect(() => statSync(join(folder, "a.zip"))).toThrow();
    });
  });
});

describe("init", () => {
  test.each(Object.keys(DEVICE_KINDS))("a fresh %s lints clean under --strict", async (kind) => {
    await inFolder({}, async (run) => {
      expect((await run(`init fresh --kind ${kind} --runtime lua --yes`)).out).toBe(
        "fresh/manifest.yml\nfresh/main.lua\nfresh/tests/first.yml\n",
      );
      expect(await run("lint --strict fresh")).toMatchObject({ code: 0, out: "1 blueprint checked, no problems.\n" });
    });
  });

  test("it begins with the line that editors look for", async () => {
    await inFolder({}, async (run, folder) => {
      await run("init --yes --schema ./schema.json --name A:B");
      const text = readFileSync(join(folder, "manifest.yml"), "utf8");
      expect(text).toMatch(
        /^# yaml-language-server: \$schema=\.\/schema\.json\nblueprint_spec: device\/3\.0\n\ndisplay_name: "A:B"\n/,
      );
    });
  });

  test("at a terminal it asks for what no flag says", async () => {
    await withFolder(async (cwd) => {
      const ran = await runBusbar("blueprint init", { cwd, answer: ["1", "My battery", "embedded"] });
      expect(ran.code).toBe(0);
      expect(ran.err).toContain("What kind of device is it?");
      const text = readFileSync(join(cwd, "manifest.yml"), "utf8");
      expect(text).toContain('display_name: "My battery"\n');
      expect(text).toContain("  - energy.battery\n");
    });
  });

  test.each([
    ["an unknown kind names the nearest", "init --kind batery", "Did you mean battery?"],
    ["an unknown runtime", "init --runtime perl", "lua, embedded"],
  ])("%s", async (_, command, expected) => {
    expect(await inFolder({}, (run) => run(command))).toMatchObject({
      code: 2,
      err: expect.stringContaining(expected),
    });
  });

  test("neither a manifest nor a script that is there is replaced unasked", async () => {
    await inFolder({ "manifest.yml": "mine", "main.lua": "mine" }, async (run, folder) => {
      expect((await run("init --yes")).code).toBe(2);
      expect((await run("init --yes --force --runtime lua")).code).toBe(0);
      expect(readFileSync(join(folder, "main.lua"), "utf8")).toBe("mine");
    });
  });
});
