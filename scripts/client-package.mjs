// Builds `@busbar/client`, the typed client as a package of its own: JavaScript and types for Node and browsers, without
// any dependency. `npm run package` calls it; `node scripts/client-package.mjs --out FOLDER` builds it alone.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { say } from "./say.mjs";
import { fail, nodePath, root, run, setUp, toolPath } from "./setup.mjs";

const SOURCE = join(root, "src");

/** Gives the path of the tarball. */
export function buildClientPackage(build) {
  const folder = join(build, "client");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // First: it says that the sources are modules.
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(renderManifest(), undefined, 2)}\n`);
  emit(folder);
  for (const name of ["LICENSE", "NOTICE"]) cpSync(join(root, name), join(folder, name));
  cpSync(join(root, "packaging/client/README.md"), join(folder, "README.md"));
  return packFolder(folder, build);
}

function emit(folder) {
  const source = join(folder, "source");
  const lib = join(folder, "lib");
  copySources(source);
  const config = join(folder, "tsconfig.json");
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    // Types of browsers and nothing of Node, so that the compiler refuses what only one of them has.
    lib: ["esnext", "dom", "dom.iterable", "dom.asynciterable"],
    types: [],
    rootDir: source,
    outDir: lib,
  };
  const files = [join(source, "client/index.ts")];
  writeFileSync(config, JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, files, include: [] }));
  run(nodePath(), [toolPath("typescript", "bin", "tsc"), "-p", config]);
  rmSync(config);
  rmSync(source, { recursive: true });
  // The compiler rewrites the endings of imports in JavaScript and leaves them in types.
  rewriteFiles(lib, ".d.ts", (text) => text.replaceAll(/((?:from|import\()\s*"\.{1,2}\/[\w./-]+)\.ts"/g, '$1.js"'));
}

/** The client, and what it imports of `core`, with relative imports: a package has no `#core`. */
function copySources(target) {
  cpSync(join(SOURCE, "client"), join(target, "client"), { recursive: true });
  rewriteFiles(join(target, "client"), ".ts", (text, path) =>
    text.replaceAll(/"#(core\/[\w./-]+)"/g, (_, name) => {
      cpSync(join(SOURCE, name), join(target, name));
      return `"${relative(dirname(path), join(target, name))}"`;
    }),
  );
}

function rewriteFiles(folder, ending, rewrite) {
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith(ending)) continue;
    const path = join(folder, name);
    writeFileSync(path, rewrite(readFileSync(path, "utf8"), path));
  }
}

function renderManifest() {
  const { version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return {
    name: "@busbar/client",
    version,
    description: "Typed client of Busbar, open software that runs energy sites. For Node and browsers.",
    license,
    type: "module",
    sideEffects: false,
    exports: { ".": { types: "./lib/client/index.d.ts", default: "./lib/client/index.js" } },
    types: "./lib/client/index.d.ts",
    files: ["lib", "NOTICE"],
    engines: { node: ">=20" },
  };
}

/** npm sets all times in a tarball to the same moment: the same sources give the same bytes. */
export function packFolder(folder, target) {
  const args = ["pack", folder, "--pack-destination", target, "--json", "--ignore-scripts", "--loglevel=error"];
  const done = spawnSync("npm", args, { encoding: "utf8" });
  if (done.status !== 0) fail(`npm pack failed:\n${done.stderr}`);
  return join(target, JSON.parse(done.stdout)[0].filename.replace("@", "").replace("/", "-"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  setUp();
  const out = process.argv.indexOf("--out");
  say(buildClientPackage(out < 0 ? join(root, "build") : resolve(process.argv[out + 1])));
}
