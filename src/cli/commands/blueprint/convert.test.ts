import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inFolder } from "../../../../test/support/blueprint-folder.ts";

const MANIFEST = `blueprint_spec: device/1.0
display_name: Old
communication_module: {product: ENP-VIRTUAL, lua_file: firmware.lua}
telemetry:
  flow: {type: float, display_name: Flow, unit: NL/h}
.cloud: {category: sensors}
`;
const OLD = { "old/manifest.yml": MANIFEST, "old/firmware.lua": "-- nothing\n" };

test("the new package lies beside the old one, which stays untouched", async () => {
  await inFolder(OLD, async (run, folder) => {
    const { code, out, err } = await run("convert old");
    expect([code, err]).toEqual([0, "Written to old-3.0. Next: busbar blueprint test old-3.0\n"]);
    expect(out).toContain("/units/NL~1h  The unit NL/h is declared.");
    expect(readFileSync(join(folder, "old/manifest.yml"), "utf8")).toBe(MANIFEST);
    expect(readFileSync(join(folder, "old-3.0/manifest.yml"), "utf8")).toContain("blueprint_spec: device/3.0");
    expect(readFileSync(join(folder, "old-3.0/firmware.lua"), "utf8")).toBe("-- nothing\n");
  });
});

test.each([
  ["convert old --out old", "--out must lie outside the blueprint that is converted"],
  ["convert old --out old/new", "--out must lie outside the blueprint that is converted"],
  ["convert old --out full", "full is not empty: add --force to write into it, or --out to write elsewhere"],
  ["convert new", "new/manifest.yml: Its blueprint_spec is device/3.0, not device/1.0."],
  ["convert broken", "broken/manifest.yml: The manifest cannot be read. Line 1:"],
])("%s is refused: %s", async (command, message) => {
  const files = {
    ...OLD,
    "full/x": "",
    "new/manifest.yml": MANIFEST.replace("1.0", "3.0"),
    "broken/manifest.yml": "a: [",
  };
  await inFolder(files, async (run, folder) => {
    const { code, err } = await run(command);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    expect(existsSync(join(folder, "old/new"))).toBe(false);
  });
});

test("a folder that is there and empty is taken, and JSON says the same to programs", async () => {
  await inFolder(OLD, async (run, folder) => {
    mkdirSync(join(folder, "empty"));
    const { code, out } = await run("convert old --out empty -o json");
    const { notes, issues } = JSON.parse(out);
    expect([code, issues]).toEqual([0, []]);
    expect(notes).toContainEqual({ kind: "changed", path: "/units/NL~1h", message: "The unit NL/h is declared." });
  });
});

test("a folder of blueprints becomes a folder of blueprints; one of another version is named and left", async () => {
  const files = {
    "all/a/manifest.yml": MANIFEST,
    "all/a/firmware.lua": "",
    "all/b/c/manifest.yml": MANIFEST,
    "all/b/c/firmware.lua": "",
    "all/new/manifest.yml": MANIFEST.replace("1.0", "3.0"),
  };
  await inFolder(files, async (run, folder) => {
    const { code, err } = await run("convert all");
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/all\/new\/manifest.yml: Its blueprint_spec is device\/3.0.* left/),
    ]);
    for (const path of ["a", "b/c"]) expect(existsSync(join(folder, "all-3.0", path, "manifest.yml"))).toBe(true);
    expect(existsSync(join(folder, "all-3.0/new"))).toBe(false);
  });
});

test("one that is broken among many is still a failure", async () => {
  const files = { ...OLD, "new/manifest.yml": MANIFEST.replace("1.0", "3.0"), "broken/manifest.yml": "a: [" };
  await inFolder(files, async (run) => {
    const { code, err } = await run("convert . --out out");
    expect([code, err]).toEqual([1, expect.stringContaining("broken/manifest.yml: The manifest cannot be read")]);
  });
});

test("hidden files are kept byte for byte, but no repository", async () => {
  const files = {
    ...OLD,
    "old/.luacheckrc": "std = 'lua53'\n",
    "old/.vscode/settings.json": "{}",
    "old/src/.keep": "",
    "old/.git/HEAD": "ref: refs/heads/main\n",
    "old/.DS_Store": "x",
  };
  await inFolder(files, async (run, folder) => {
    expect((await run("convert old")).code).toBe(0);
    for (const name of [".luacheckrc", ".vscode/settings.json", "src/.keep"] as const)
      expect(readFileSync(join(folder, "old-3.0", name), "utf8")).toBe(files[`old/${name}`]);
    for (const name of [".git", ".DS_Store"]) expect(existsSync(join(folder, "old-3.0", name))).toBe(false);
  });
});

test("lint says what device/1.0 is and nothing else, and --fix leaves it alone", async () => {
  await inFolder(OLD, async (run, folder) => {
    const { code, out } = await run("lint --fix old -o json");
    expect([code, JSON.parse(out).diagnostics ?? JSON.parse(out)]).toEqual([1, expect.anything()]);
    expect(out.match(/"code"/g)).toHaveLength(1);
    expect(out).toContain("To convert the package to device/3.0, run busbar blueprint convert DIR");
    expect(readFileSync(join(folder, "old/manifest.yml"), "utf8")).toBe(MANIFEST);
  });
});
