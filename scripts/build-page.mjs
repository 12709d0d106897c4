// Builds the web page when it is missing or its sources have changed; costs some milliseconds otherwise.
// Plain JavaScript that works on Node 20: `npm start` uses it. `node scripts/build-page.mjs` does the same alone.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withProgress } from "./progress.mjs";
import { say } from "./say.mjs";
import { nodePath, root } from "./setup.mjs";

/** What the page is made of. */
const SOURCES = ["web", "src/core", "src/manifest", "src/client", "package-lock.json"];
const LEFT_OUT = new Set(["dist", "node_modules"]);
const stampFile = join(root, "web", "dist", ".stamp");

/** False when it could not be built; the reason is printed then. */
export function buildPage() {
  const wanted = fingerprint();
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === wanted) return true;
  const vite = [join(root, "node_modules", "vite", "bin", "vite.js"), "build", "--logLevel", "warn"];
  const built = withProgress("building the web page", () =>
    spawnSync(nodePath(), vite, { cwd: join(root, "web"), encoding: "utf8" }),
  );
  if (built.status !== 0) {
    say(`the web page could not be built:\n${built.stdout ?? ""}${built.stderr ?? built.error}`);
    return false;
  }
  writeFileSync(stampFile, wanted);
  return true;
}

function fingerprint() {
  const hash = createHash("sha256");
  for (const file of SOURCES.flatMap((name) => filesIn(name))) {
    hash
      .update(`${file}\n`)
      .update(readFileSync(join(root, file)))
      .update("\n");
  }
  return hash.digest("hex");
}

function filesIn(path) {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path), { withFileTypes: true })
    .filter(({ name }) => !LEFT_OUT.has(name) && !name.endsWith(".test.ts"))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name }) => filesIn(`${path}/${name}`));
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !buildPage()) process.exitCode = 1;
