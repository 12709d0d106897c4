import { readFileSync, statSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { DEVICE_KINDS } from "#manifest/draft/device-kinds.ts";
import { inFolder } from "../../../../test/support/blueprint-folder.ts";
import { runBusbar, withFolder } from "../../../../test/support/run-busbar.ts";

const EXAMPLES = fileURLToPath(new URL("../../../../examples/blueprints/", import.meta.url));
const GOOD = "blueprint_spec: device/3.0\ndisplay_name: Good\nruntime: {type: embedded}\n";
const BAD = GOOD.replace("display_name", "display_nam");
const WARNS = `${GOOD}telemetry:\n  power: {type: float, display_name: P, unit: kwh}\n`;

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

  test("--resolved is YAML unless something else is asked for, and reports what profiles miss", async () => {
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
        "fresh/manifest.yml\nfresh/main.lua\nfresh/.lua-stubs\nfresh/.luarc.json\nfresh/tests/first.yml\n",
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
