// `@busbar/client` as other people use it: installed from its tarball into a project of its own, compiled there against
// the types of a blueprint, and run against a real gateway.
import { execFile, execFileSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient } from "#client/create-client.ts";
import { freePort } from "../support/free-port.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { useServer } from "../support/server.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const VERSION = (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string }).version;
const busbar = useServer();
const run = promisify(execFile);

const build = mkdtempSync(join(tmpdir(), "busbar-"));
const project = join(build, "project");
afterAll(() => rmSync(build, { recursive: true, force: true }));
beforeAll(async () => {
  execFileSync(process.execPath, [join(ROOT, "scripts/client-package.mjs"), "--out", build], { stdio: "pipe" });
  cpSync(join(ROOT, "test/client/project"), project, { recursive: true });
  const tarball = join(build, `busbar-client-${VERSION}.tgz`);
  const flags = ["install", tarball, "--offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", flags, { cwd: project, stdio: "pipe" });
  const { out } = await runBusbar("blueprint types manifest.yml", { cwd: project });
  writeFileSync(join(project, "converter.ts"), out);
});

test("the package holds JavaScript with its types, and needs nothing", () => {
  const root = join(project, "node_modules/@busbar/client");
  const files = globSync("**/*.*", { cwd: root });
  expect(files.filter((file) => !/(?:\.js|\.d\.ts|package\.json|README\.md)$/.test(file))).toEqual([]);
  expect(globSync("lib/**/*.js", { cwd: root }).length).toBe(globSync("lib/**/*.d.ts", { cwd: root }).length);
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as object;
  expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([]);
  const texts = globSync("lib/**/*.*", { cwd: root }).map((file) => readFileSync(join(root, file), "utf8"));
  expect(texts.filter((text) => /from "(?!\.{1,2}\/)|\.ts"|"node:/.test(text))).toEqual([]);
});

const compile = (...files: readonly string[]) =>
  run(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", ".", "--pretty", "false", ...files], {
    cwd: project,
  }).then(
    () => "",
    (error: { stdout: string }) => error.stdout,
  );

test("the compiler accepts right calls and refuses each wrong one", async () => {
  // Each wrong call stands below a @ts-expect-error, which is an error itself where the call is accepted.
  expect(await compile()).toBe("");
  const wrong = readFileSync(join(project, "wrong.ts"), "utf8");
  writeFileSync(join(project, "wrong.ts"), wrong.replaceAll("// @ts-expect-error", "//"));
  const refused = (await compile()).split("\n").filter((line) => line.startsWith("wrong.ts"));
  expect(new Set(refused.map((line) => line.split(",")[0])).size).toBe(wrong.split("// @ts-expect-error").length - 1);
  rmSync(join(project, "wrong.ts"));
});

test("a program runs a command, reads columns, lists and events, and learns what is wrong", async () => {
  const client = createClient({ url: busbar.url, token: busbar.adminToken });
  const { blueprint } = await client.blueprints.upload(readFileSync(join(project, "manifest.yml")));
  await client.provisioning.simulatedDevice({ name: "Converter", slug: "pcs", blueprint_id: blueprint.id });
  const nobody = `http://127.0.0.1:${await freePort()}`;
  const env = { ...process.env, BUSBAR_URL: busbar.url, BUSBAR_TOKEN: busbar.adminToken, NOBODY: nobody };
  const { stdout } = await run(process.execPath, ["right.ts"], { cwd: project, env });
  expect(JSON.parse(stdout)).toEqual({
    states: expect.arrayContaining(["SUCCESS"]),
    refused: { code: "invalid_arguments", pointer: "/arguments/power" },
    devices: expect.arrayContaining(["pcs"]),
    executions: 1,
    columns: [
      { attribute: "power", type: "float", isTyped: true },
      { attribute: "mode", type: "string", isTyped: false },
    ],
    alignedRows: true,
    event: "execution",
    unreachable: "refused",
  });
});
