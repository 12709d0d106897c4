// The layer fences are real: a planted wrong import makes the check fail. Planted in a copy, because the checkout itself
// is being tested by others at the same time.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "busbar-fences-"));
  for (const file of ["biome.json", "package.json", "scripts/fences.mjs"]) cpSync(join(root, file), join(folder, file));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const REFUSED: readonly (readonly [file: string, from: string])[] = [
  ["src/core/planted.ts", "node:fs"],
  ["src/core/planted.ts", "#service/ports.ts"],
  ["src/core/planted.ts", "ajv"],
  ["src/core/device/planted.ts", "../site/site.ts"],
  ["src/manifest/planted.ts", "node:crypto"],
  ["src/drivers/planted.ts", "#service/ports.ts"],
  ["src/drivers/planted.ts", "#runtime/lua/lua-state.ts"],
  ["src/service/planted.ts", "#store/records/row.ts"],
  ["src/service/planted.ts", "#http/route.ts"],
  ["src/service/planted.ts", "node:fs"],
  ["src/store/planted.ts", "#http/route.ts"],
  ["src/store/planted.ts", "#service/access/create-token.ts"],
  ["src/outbound/planted.ts", "#service/link/uplink.ts"],
  ["src/outbound/planted.ts", "#http/route.ts"],
  ["src/http/planted.ts", "#store/records/row.ts"],
  ["src/http/planted.ts", "#role/start.ts"],
  ["src/http/planted.ts", "#service/access/create-token.ts"],
  ["src/http/planted.ts", "#service/site/create-site.ts"],
  ["src/http/planted.ts", "#service/site/site-operations.ts"],
  ["src/client/planted.ts", "#service/operation/wire.ts"],
  ["src/client/planted.ts", "node:http"],
  ["src/cli/planted.ts", "#store/sqlite/open-records.ts"],
  ["src/demo/planted.ts", "#role/start.ts"],
  ["src/demo/planted.ts", "#http/route.ts"],
  ["src/demo/plant/planted.ts", "node:fs"],
  ["src/demo/plant/planted.ts", "#demo/start-demo.ts"],
  ["src/role/planted.ts", "#cli/read-blueprint.ts"],
  ["src/role/planted.ts", "node:sqlite"],
  ["src/store/planted.ts", "node:sqlite"],
  ["src/store/series/planted.ts", "node:sqlite"],
  ["src/http/planted.ts", "node:sqlite"],
  ["src/planted.ts", "#service/ports.ts"],
  ["src/planted.ts", "./role/start.ts"],
  ["src/planted.ts", "node:sqlite"],
  ["src/store/postgres/planted.ts", "node:sqlite"],
  ["src/store/series/postgres/planted.ts", "node:sqlite"],
  ["web/src/planted.ts", "#http/route.ts"],
  ["web/src/planted.ts", "#event-loop"],
  ["web/src/planted.ts", "node:fs"],
];
const ALLOWED: typeof REFUSED = [
  ["src/core/planted.ts", "#core/secret.ts"],
  ["src/service/planted.ts", "#core/secret.ts"],
  ["src/store/planted.ts", "#service/ports.ts"],
  ["src/http/planted.ts", "#service/operation/perform.ts"],
  ["src/demo/planted.ts", "#service/site/create-site.ts"],
  ["src/demo/plant/planted.ts", "#demo/plant/noise.ts"],
  ["src/role/planted.ts", "#http/server.ts"],
  ["src/store/sqlite/planted.ts", "node:sqlite"],
  ["src/store/series/sqlite/planted.ts", "node:sqlite"],
  ["src/planted.ts", "#core/secret.ts"],
  ["src/main.ts", "#role/start.ts"],
  ["web/src/planted.ts", "#client/create-client.ts"],
  ["web/src/planted.ts", "uplot"],
];

/** What the linter says about a file with one import in it, for all files in one run: its start takes most of the time. */
const verdicts = new Map<string, "allowed" | "refused">();
/** A file of its own for each case, beside the others of its folder. */
const plantedAs = (file: string, from: string) =>
  file.replace("planted.ts", `planted-${from.replaceAll(/[^a-z]+/g, "-")}.ts`);

beforeAll(() => {
  const cases = [...REFUSED, ...ALLOWED].map(([file, from]) => ({ file: plantedAs(file, from), from }));
  for (const { file, from } of cases) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `import { thing } from "${from}";\n\nexport const planted = thing;\n`);
  }
  const flags = ["--only=style/noRestrictedImports", "--max-diagnostics=none", "--reporter=github"];
  const { stdout, stderr } = spawnSync(process.execPath, [biome, "lint", ...flags, "src", "web"], {
    cwd: folder,
    encoding: "utf8",
  });
  const refused = new Set(
    `${stdout}${stderr}`
      .split("\n")
      .filter((line) => /may import only|Climb by/.test(line))
      .map((line) => /file=([^,]+)/.exec(line)?.[1]),
  );
  for (const { file, from } of cases) {
    verdicts.set(`${file} ${from}`, refused.has(join(folder, file)) ? "refused" : "allowed");
    rmSync(join(folder, file));
  }
});

test.each(REFUSED)("%s must not import %s", (file, from) => {
  expect(verdicts.get(`${plantedAs(file, from)} ${from}`)).toBe("refused");
});

test.each(ALLOWED)("%s may import %s", (file, from) => {
  expect(verdicts.get(`${plantedAs(file, from)} ${from}`)).toBe("allowed");
});

test.each([
  ["import", "#core/planted/two.ts", "#core/planted/one.ts"],
  ["import type", "#core/planted/two.ts", "#core/planted/one.ts"],
  ["import type", "./two.ts", "./one.ts"],
])("a circle of two files by `%s` is refused", (how, to, back) => {
  const planted = join(folder, "src/core/planted");
  mkdirSync(planted, { recursive: true });
  const write = (name: string, from: string) =>
    writeFileSync(join(planted, name), `${how} { Thing } from "${from}";\n\nexport const planted: Thing = 1;\n`);
  const run = () =>
    spawnSync(process.execPath, [biome, "lint", "--only=suspicious/noImportCycles", "src/core/planted"], {
      cwd: folder,
      encoding: "utf8",
    });
  write("one.ts", to);
  write("two.ts", "#core/secret.ts");
  expect(run().status).toBe(0);
  write("two.ts", back);
  expect(run().stderr).toContain("This import is part of a cycle");
  rmSync(planted, { recursive: true });
});

test("fences that were changed by hand fail the check", () => {
  const run = () => spawnSync(process.execPath, ["scripts/fences.mjs", "--check"], { cwd: folder, encoding: "utf8" });
  expect(run().status).toBe(0);
  const config = join(folder, "biome.json");
  const text = spawnSync("cat", [config], { encoding: "utf8" }).stdout;
  writeFileSync(config, text.replace('"!#core/**"', '"!#core/**", "!#http/**"'));
  expect(run().status).toBe(1);
  writeFileSync(config, text);
});
