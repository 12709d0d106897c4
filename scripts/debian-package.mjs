// A Debian package without Debian's build tools: dpkg-deb alone. It holds the staged package with its dependencies under
// /usr/lib/busbar; settings are in /etc/busbar, data in /var/lib/busbar.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fail, root } from "./setup.mjs";

/** 2026-01-01: files have the same time in every build. */
const EPOCH = "1767225600";

export function buildDebianPackage({ folder, build }) {
  const { version, description } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const tree = join(build, "debian");
  rmSync(tree, { recursive: true, force: true });
  const put = (path, text, mode = 0o644) => {
    mkdirSync(join(tree, path, ".."), { recursive: true });
    writeFileSync(join(tree, path), text, { mode });
  };
  cpSync(folder, join(tree, "usr/lib/busbar"), { recursive: true });
  const install = [
    "ci",
    "--omit=dev",
    "--omit=optional",
    "--ignore-scripts",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
  ];
  start("npm", [...install, "--engine-strict=false", "--loglevel=error"], join(tree, "usr/lib/busbar"));
  rmSync(join(tree, "usr/lib/busbar/node_modules/.package-lock.json"), { force: true });
  mkdirSync(join(tree, "usr/bin"), { recursive: true });
  symlinkSync("../lib/busbar/bin/busbar", join(tree, "usr/bin/busbar"));
  const source = (name) => readFileSync(join(root, "packaging/debian", name), "utf8");
  put("usr/lib/systemd/system/busbar.service", source("busbar.service"));
  put("etc/busbar/busbar.yaml", source("busbar.yaml"));
  put("usr/share/doc/busbar/copyright", readFileSync(join(root, "LICENSE"), "utf8"));
  put("DEBIAN/conffiles", "/etc/busbar/busbar.yaml\n");
  for (const name of ["postinst", "prerm", "postrm"]) put(`DEBIAN/${name}`, source(name), 0o755);
  put(
    "DEBIAN/control",
    `Package: busbar
Version: ${version}
Architecture: all
Maintainer: Busbar developers <busbar@example.org>
Depends: nodejs (>= 24), adduser
Section: net
Priority: optional
Description: runs energy sites
 ${description}
`,
  );
  start("find", [tree, "-exec", "touch", "-h", "-d", `@${EPOCH}`, "{}", "+"], build);
  const deb = join(build, `busbar_${version}_all.deb`);
  start("dpkg-deb", ["--root-owner-group", "-Zxz", "--build", tree, deb], build);
  return deb;
}

function start(program, args, cwd) {
  const done = spawnSync(program, args, { cwd, encoding: "utf8", env: { ...process.env, SOURCE_DATE_EPOCH: EPOCH } });
  if (done.status !== 0) fail(`${program} failed:\n${done.stderr ?? done.error}`);
}
