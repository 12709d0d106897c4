// A Debian package without Debian's build tools: dpkg-deb alone. It holds the staged package with its dependencies and
// the pinned Node under /usr/lib/busbar, because Debian has no Node that is new enough; settings are in /etc/busbar, data
// in /var/lib/busbar.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withProgress } from "./progress.mjs";
import { fail, root } from "./setup.mjs";

/** 2026-01-01: files have the same time in every build. */
const EPOCH = "1767225600";

/** Kinds of machines: as Node names them, and as Debian does. */
const DEBIAN_NAMES = { arm64: "arm64", x64: "amd64" };

/** Gives the path of the package. `isPlain` leaves it uncompressed, which is quick. */
export function buildDebianPackage({ folder, build, kind, isPlain = false }) {
  const architecture = DEBIAN_NAMES[kind];
  if (architecture === undefined)
    fail(`--deb ${kind}: there is no pinned Node; there is ${Object.keys(DEBIAN_NAMES).join(", ")}`);
  const { version, description } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const tree = join(build, "debian");
  rmSync(tree, { recursive: true, force: true });
  const put = (path, text, mode = 0o644) => {
    mkdirSync(join(tree, path, ".."), { recursive: true });
    writeFileSync(join(tree, path), text, { mode });
  };
  const home = join(tree, "usr/lib/busbar");
  cpSync(folder, home, { recursive: true });
  const install = ["ci", "--omit=dev", "--omit=optional", "--ignore-scripts", "--prefer-offline", "--no-audit"];
  withProgress("installing what it needs", () =>
    start("npm", [...install, "--no-fund", "--engine-strict=false", "--loglevel=error"], home),
  );
  rmSync(join(home, "node_modules/.package-lock.json"), { force: true });
  const node = withProgress(`taking Node for ${kind}`, () => pinnedNode(kind, build));
  for (const name of ["bin/node", "LICENSE"]) cpSync(join(node, name), join(home, "node", name));
  mkdirSync(join(tree, "usr/bin"), { recursive: true });
  symlinkSync("../lib/busbar/bin/busbar", join(tree, "usr/bin/busbar"));
  const source = (name) => readFileSync(join(root, "packaging/debian", name), "utf8");
  put("usr/lib/systemd/system/busbar.service", source("busbar.service"));
  put("etc/busbar/busbar.yaml", source("busbar.yaml"));
  const licence = readFileSync(join(root, "LICENSE"), "utf8");
  put("usr/share/doc/busbar/copyright", `${licence}\nNode.js: /usr/lib/busbar/node/LICENSE\n`);
  put("DEBIAN/conffiles", "/etc/busbar/busbar.yaml\n");
  for (const name of ["postinst", "prerm", "postrm"]) put(`DEBIAN/${name}`, source(name), 0o755);
  put(
    "DEBIAN/control",
    `Package: busbar
Version: ${version}
Architecture: ${architecture}
Maintainer: Busbar developers <busbar@example.org>
Depends: adduser, libc6 (>= 2.28), libgcc-s1, libstdc++6
Section: net
Priority: optional
Description: runs energy sites
 ${description}
`,
  );
  start("find", [tree, "-exec", "touch", "-h", "-d", `@${EPOCH}`, "{}", "+"], build);
  const deb = join(build, `busbar_${version}_${architecture}.deb`);
  withProgress(
    isPlain ? "building the Debian package" : "building the Debian package (compressing takes a minute)",
    () => start("dpkg-deb", ["--root-owner-group", isPlain ? "-Znone" : "-Zxz", "--build", tree, deb], build),
  );
  return deb;
}

/** The folder of the locked package: installed for this machine, otherwise fetched and compared with the lock file. */
function pinnedNode(kind, build) {
  const name = `node-linux-${kind}`;
  const installed = join(root, "node_modules", name);
  if (existsSync(join(installed, "bin/node"))) return installed;
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const { version, integrity } = packages[`node_modules/${name}`];
  const folder = join(build, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  start("npm", ["pack", `${name}@${version}`, "--prefer-offline", "--loglevel=error"], folder);
  const tarball = join(folder, `${name}-${version}.tgz`);
  const found = `sha512-${createHash("sha512").update(readFileSync(tarball)).digest("base64")}`;
  if (found !== integrity) fail(`${name}@${version} is not the one of package-lock.json: its checksum differs`);
  start("tar", ["xzf", tarball], folder);
  return join(folder, "package");
}

function start(program, args, cwd) {
  const done = spawnSync(program, args, { cwd, encoding: "utf8", env: { ...process.env, SOURCE_DATE_EPOCH: EPOCH } });
  if (done.status !== 0) fail(`${program} failed:\n${done.stderr ?? done.error}`);
}
