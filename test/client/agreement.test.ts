// The types of the client are written from the schemas of the server, and the examples of the reference are compiled.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { exampleOf } from "#http/reference/example-of.ts";
import { renderFiles } from "../../scripts/client-types.ts";
import { allRoutes } from "../support/all-routes.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Below the checkout, so that its packages are found. */
const FOLDER = join(ROOT, "node_modules/.cache/client-agreement");
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

test("the paths and types of the client are those of the operations", () => {
  for (const [file, text] of renderFiles())
    expect(readFileSync(file, "utf8"), "operations have changed: run `npm run client-types`").toBe(text);
});

test("the TypeScript of every example is compiled", () => {
  const samples = allRoutes().flatMap((route) => {
    const { ts } = exampleOf(route);
    return ts === undefined ? [] : [`await ${ts};`];
  });
  const head = `import { createClient } from "${relative(FOLDER, ROOT)}/src/client/index.ts";
const client = createClient({ url: "" });
const bytes = new Uint8Array();
`;
  expect(problemsOf(head + samples.join("\n"))).toBe("");
});

/** What the compiler says. */
function problemsOf(source: string): string {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, "agree.ts"), source);
  const config = { extends: join(ROOT, "tsconfig.json"), files: ["agree.ts"], include: [] };
  const options = { compilerOptions: { noUnusedLocals: false, noUnusedParameters: false } };
  writeFileSync(join(FOLDER, "tsconfig.json"), JSON.stringify({ ...config, ...options }));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, "-p", FOLDER, "--pretty", "false"], {
    encoding: "utf8",
  });
  return stdout + stderr;
}
