// Every block of code in the guide works. Shell blocks run in the order of their page, in a folder of its own, against one
// gateway with the demo site. Files are checked as what they are. A block that cannot run here says why in its first line.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { loadConfig } from "#config";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { createSyntaxChecks } from "#runtime/lua/check-syntax.ts";
import { serveBusbarShim } from "../support/busbar-shim.ts";
import { type CodeBlock, codeBlocksOf } from "../support/code-blocks.ts";
import { freePort } from "../support/free-port.ts";
import { ADMIN_TOKEN, useServer } from "../support/server.ts";
import { runPage } from "../support/shell-page.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const INDEX = "docs/guide/README.md";

/** The pages that the index of the guide lists. */
const TARGETS = readFileSync(join(ROOT, INDEX), "utf8").matchAll(/\]\(([\w./-]+\.md)\)/g);
const PAGES = [...new Set(TARGETS.map(([, target = ""]) => join("docs/guide", target)))];
const BLOCKS = PAGES.flatMap((page) => codeBlocksOf(page, readFileSync(join(ROOT, page), "utf8")));

/** What is shown and not run: answers, drawings, and files of other programs. */
const SHOWN = new Set(["", "text", "console", "ini", "nginx"]);
const CHECKED = new Set(["sh", "yaml", "json", "lua", "ts", "js", "python"]);

const heaterPort = await freePort();
const busbar = useServer([
  "--demo",
  "--demo-history",
  "14d",
  "--mqtt-port",
  "0",
  "--webhooks-allow-private",
  "--lua-allow",
  `heater=127.0.0.1:${heaterPort}`,
]);
const folder = mkdtempSync(join(tmpdir(), "busbar-guide-"));
let shim: Server | undefined;
beforeAll(async () => {
  shim = await serveBusbarShim(folder, { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: ADMIN_TOKEN, XDG_CONFIG_HOME: folder });
});
afterAll(() => {
  shim?.close();
  rmSync(folder, { recursive: true, force: true });
});

const adapt = (text: string) =>
  text
    .replaceAll("http://127.0.0.1:8080", busbar.url)
    .replaceAll("https://example.com/hook", `http://127.0.0.1:${heaterPort}`)
    .replaceAll("5020", String(heaterPort))
    // A reader has one site. Other pages make more of them meanwhile.
    .replaceAll(/busbar rule [a-z-]+/g, '$& --site-id "Demo site"')
    .replaceAll("./bin/busbar", "busbar");

function folderOf(page: string): string {
  const own = join(folder, page.replaceAll("/", "-"));
  if (existsSync(own)) return own;
  mkdirSync(join(own, ".busbar"), { recursive: true });
  writeFileSync(join(own, ".busbar/admin.token"), `${ADMIN_TOKEN}\n`);
  for (const shared of ["examples", "src"]) symlinkSync(join(ROOT, shared), join(own, shared));
  return own;
}

describe("the shell blocks of a page run", () => {
  test.concurrent.each(PAGES)("%s", async (page) => {
    const env = { ...process.env, PATH: [folder, process.env["PATH"]].join(delimiter), BUSBAR_URL: busbar.url };
    await runPage(
      BLOCKS.filter((block) => block.page === page),
      { folder: folderOf(page), env, adapt },
    );
  });
});

const named = (block: CodeBlock) => [`${block.page} line ${block.line}`, block] as const;
/** Its blocks are mistakes, and a test of its own knows which. */
const MISTAKES = "docs/blueprint-issues.md";
const written = (language: string) =>
  BLOCKS.filter(({ page }) => page !== MISTAKES)
    .filter((block) => block.language === language && !block.settings.has("skip"))
    .map(named);

test.each(written("json"))("the JSON of %s can be read", (_place, { text }) => {
  JSON.parse(text);
});

test.each(written("lua"))("the Lua of %s can be compiled", (place, { text }) => {
  expect(createSyntaxChecks()()(place, Buffer.from(text))).toBeUndefined();
});

test.each(written("js"))("the JavaScript of %s can be compiled", (_place, { text }) => {
  execFileSync(process.execPath, ["--check", "--input-type=module"], { input: text, stdio: "pipe" });
});

test.each(written("yaml"))("the YAML of %s is what it says", async (_place, { text, settings }) => {
  const file = basename(settings.get("file") ?? "");
  if (/^blueprint_spec:/m.test(text) && file !== "") {
    expect(parseManifest(text).issues.filter(({ severity }) => severity === "error")).toEqual([]);
  } else if (file === "busbar.yaml") {
    await loadConfig({ flags: [], env: {}, cwd: "/", readFile: (path) => (path.endsWith(file) ? text : undefined) });
  } else parseYaml(text);
});

test("the TypeScript is compiled against the client", () => {
  const pages = [...new Set(BLOCKS.filter(({ language }) => language === "ts").map(({ page }) => page))];
  const compilerOptions = {
    paths: { "@busbar/client": [join(ROOT, "src/client/index.ts")] },
    lib: ["esnext", "dom", "dom.asynciterable"],
    types: [],
    noUnusedLocals: false,
  };
  const include = pages.map((page) => `${folderOf(page)}/*.ts`);
  expect(include.length).toBeGreaterThan(0);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: join(ROOT, "tsconfig.json"), compilerOptions, include, exclude: [] }),
  );
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], { encoding: "utf8" });
  expect(stdout).toBe("");
});

test("every block has a language that is checked here, or is only shown", () => {
  const unknown = BLOCKS.filter(({ language }) => !SHOWN.has(language) && !CHECKED.has(language));
  expect(unknown.map((block) => named(block)[0])).toEqual([]);
  expect(BLOCKS.filter(({ language }) => language === "sh").length).toBeGreaterThan(30);
});

test("the words before a block say into which file it goes: readers do not see its first line", () => {
  const unnamed = PAGES.flatMap((page) => {
    // Words and blocks in turns.
    const parts = readFileSync(join(ROOT, page), "utf8").split(/^(```[^\n]*)\n[\s\S]*?^```$/m);
    return parts.flatMap((part, i) => {
      const file = / file=(\S+)/.exec(i % 2 === 1 ? part : "")?.[1];
      return file === undefined || parts[i - 1]?.includes(`\`${file}\``) === true ? [] : [`${page}: ${file}`];
    });
  });
  expect(unnamed).toEqual([]);
});

test("a block that is not run says why", () => {
  const skipped = BLOCKS.filter(({ settings }) => settings.has("skip"));
  expect(skipped.filter(({ settings }) => (settings.get("skip") ?? "").length < 10)).toEqual([]);
  const run = BLOCKS.filter(({ language, settings }) => CHECKED.has(language) && !settings.has("skip"));
  console.log(`blocks of the guide: ${run.length} run or checked, ${skipped.length} left out`);
  expect(skipped.length).toBeLessThan(run.length / 2);
});
