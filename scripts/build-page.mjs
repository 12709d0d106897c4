// Builds the web page and the guide when they are missing or their sources have changed; costs some milliseconds otherwise.
// Plain JavaScript that works on Node 20: `npm start` uses it. `node scripts/build-page.mjs` does the same alone.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withProgress } from "./progress.mjs";
import { say } from "./say.mjs";
import { nodePath, root } from "./setup.mjs";

/** Each with what it is made of, the folder that it goes to, and what Node runs for it, from which folder. */
const BUILDS = [
  {
    what: "the web page",
    sources: ["web", "src/core", "src/manifest", "src/client", "package-lock.json"],
    folder: "web/dist",
    args: [join(root, "node_modules", "vite", "bin", "vite.js"), "build", "--logLevel", "warn"],
    cwd: "web",
  },
  {
    what: "the guide",
    sources: ["docs", "src/http/page", "scripts/build-guide.ts", "package-lock.json"],
    folder: "docs/dist",
    args: ["scripts/build-guide.ts"],
    cwd: ".",
  },
];
/** What tests build is what people get: with the variable that vitest sets, the page would be a tenth larger. */
const ENVIRONMENT = { ...process.env, NODE_ENV: "production" };
const LEFT_OUT = new Set(["dist", "node_modules"]);

/** False when one of them could not be built; the reason is printed then. */
export function buildPage() {
  return BUILDS.map(buildOne).every(Boolean);
}

function buildOne({ what, sources, folder, args, cwd }) {
  const stampFile = join(root, folder, ".stamp");
  const wanted = fingerprint(sources);
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === wanted) return true;
  const built = withProgress(`building ${what}`, () =>
    spawnSync(nodePath(), args, { cwd: join(root, cwd), encoding: "utf8", env: ENVIRONMENT }),
  );
  if (built.status !== 0) {
    say(`${what} could not be built:\n${built.stdout ?? ""}${built.stderr ?? built.error}`);
    return false;
  }
  writeFileSync(stampFile, wanted);
  return true;
}

function fingerprint(sources) {
  const hash = createHash("sha256");
  for (const file of sources.flatMap((name) => filesIn(name))) {
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
