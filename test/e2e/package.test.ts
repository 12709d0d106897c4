// The package that people install runs from its tarball with the packages of production alone.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { IS_LONG } from "../support/rounds.ts";
import { tempFolder } from "../support/temp-folder.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const VERSION = (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string }).version;
const build = (folder: string) => {
  execFileSync(process.execPath, [join(ROOT, "scripts/package.mjs"), "--out", folder], { stdio: "pipe" });
  return join(folder, `busbar-${VERSION}.tgz`);
};
const sbomOf = (path: string) => path.replace(/\.tgz$/, ".cdx.json");
const digest = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");

/** The tarball unpacked, beside nothing but the packages that its lock file names. */
function install(tarball: string): string {
  const folder = tempFolder();
  execFileSync("tar", ["xzf", tarball, "-C", folder]);
  const root = join(folder, "package");
  const lock = JSON.parse(readFileSync(join(root, "npm-shrinkwrap.json"), "utf8")) as { packages: object };
  for (const path of Object.keys(lock.packages)) {
    // A package inside of another one comes with it.
    if (!path.startsWith("node_modules/") || path.split("node_modules/").length > 2) continue;
    if (!existsSync(join(ROOT, path))) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(root, path));
  }
  return root;
}

interface Running {
  readonly url: string;
  readonly data: string;
}

async function runDemo(root: string): Promise<Running> {
  const cwd = tempFolder();
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("BUSBAR_"))),
    PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
  };
  const flags = ["--demo", "--demo-history", "1d", "--port", "0", "--mqtt-port", "off", "--log-format", "json"];
  const child = spawn(join(root, "bin/busbar"), ["serve", ...flags], { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(async () => {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    lines.push(line);
    const { msg, url } = (line.startsWith("{") ? JSON.parse(line) : {}) as { msg?: string; url?: string };
    if (msg !== "ready" || url === undefined) continue;
    child.stderr.resume();
    return { url, data: join(cwd, ".busbar") };
  }
  throw new Error(`it ended before it was ready:\n${lines.join("\n")}`);
}

const OUT = join(ROOT, "build/test");
let tarball = "";
beforeAll(() => {
  tarball = build(join(OUT, "first"));
});
afterAll(() => rmSync(OUT, { recursive: true, force: true }));

test("the list of what is in it names what runs, and no tool", () => {
  const { components } = JSON.parse(readFileSync(sbomOf(tarball), "utf8")) as { components: { name: string }[] };
  const names = components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["fastify", "aedes", "age-encryption"]));
  const tools = /^(?:vitest|vite|typescript|svelte|node-linux-.*|linux-arm64)$/;
  expect(names.filter((name) => tools.test(name))).toEqual([]);
});

test.runIf(IS_LONG)("two builds have the same bytes", () => {
  const again = build(join(OUT, "second"));
  expect(digest(again)).toBe(digest(tarball));
  expect(digest(sbomOf(again))).toBe(digest(sbomOf(tarball)));
});

test("it holds JavaScript, the page and the examples, and no TypeScript but that of an example", () => {
  const root = install(tarball);
  const files = globSync("**/*", { cwd: root, exclude: ["node_modules/**"] });
  expect(files).toEqual(
    expect.arrayContaining([
      "lib/main.js",
      "web/dist/index.html",
      "docs/dist/guide.html",
      "docs/dist/guide/concepts.html",
      "examples/blueprints/battery/manifest.yml",
      "LICENSE",
    ]),
  );
  expect(files.filter((file) => file.endsWith(".ts"))).toEqual(["examples/devices/typescript/device.ts"]);
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Readonly<Record<string, object>>;
  expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(["devDependencies"]));
  expect(Object.keys(manifest["optionalDependencies"] ?? {})).toEqual(["serialport"]);
});

test("installed from the tarball alone, the demo becomes ready and serves its page", async () => {
  const { url, data } = await runDemo(install(tarball));
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  const page = await (await fetch(`${url}/`)).text();
  expect(page).toContain("<title>Busbar</title>");
  expect(await (await fetch(`${url}/docs/guide`)).text()).toContain('<a href="guide/concepts">');
  const [, script = ""] = /src="([^"]+\.js)"/.exec(page) ?? [];
  expect((await fetch(new URL(script, url))).headers.get("content-type")).toContain("javascript");
  const token = readFileSync(join(data, "admin.token"), "utf8").trim();
  const headers = { "X-Service-Auth-Token": token };
  const running = async () => await (await fetch(`${url}/v3/devices/weather-station/runtime`, { headers })).text();
  await expect.poll(running).toContain('"RUNNING"');
});

test.runIf(IS_LONG)("npm installs the tarball into an empty folder, and the demo runs", async () => {
  const folder = tempFolder();
  const flags = ["install", tarball, "--omit=dev", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", flags, { cwd: folder, stdio: "pipe" });
  const { url } = await runDemo(join(folder, "node_modules/busbar"));
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
});
