// Files with which Busbar is installed, checked without installing anything.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { loadConfig } from "#config";
import { withBusbarOn } from "../support/busbar-on.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { tempFolder } from "../support/temp-folder.ts";

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const read = (name: string) => readFileSync(path(name), "utf8");

test("the container runs as nobody special, checks its health, and keeps data in a volume", () => {
  const lines = read("Containerfile").split("\n");
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));
  expect(last.find((line) => line.startsWith("USER "))).toBe("USER 10001:10001");
  expect(last.some((line) => line.startsWith("HEALTHCHECK "))).toBe(true);
  expect(last).toContain("VOLUME /var/lib/busbar");
  // Both stages have a base for every platform, and nothing in between is of one platform.
  expect(lines.filter((line) => line.startsWith("FROM "))).toEqual([
    "FROM --platform=$BUILDPLATFORM docker.io/library/node:24-bookworm-slim AS build",
    "FROM docker.io/library/node:24-bookworm-slim",
  ]);
});

test("the health check of the container follows port and TLS of its settings", async () => {
  const line =
    read("Containerfile")
      .split("\n")
      .find((one) => one.startsWith("HEALTHCHECK ")) ?? "";
  const [program, ...words] = JSON.parse(line.slice(line.indexOf("["))) as string[];
  expect(program).toBe("busbar");
  const check = (env: Readonly<Record<string, string>>) => runBusbar(words, { cwd: tempFolder(), env });
  const data = tempFolder();
  const tls = { BUSBAR_HTTP_TLS: "site", BUSBAR_HTTP_NAMES: "gateway.example.org" };
  for (const more of [{}, tls]) {
    const env = { ...more, BUSBAR_HOST: "0.0.0.0", BUSBAR_DATA: data, BUSBAR_ADMIN_TOKEN: "x".repeat(32) };
    const port = await withBusbarOn(
      data,
      async ({ url }) => {
        const { port } = new URL(url);
        expect(await check({ ...env, BUSBAR_PORT: port })).toMatchObject({ code: 0 });
        return port;
      },
      env,
    );
    const gone = await check({ ...env, BUSBAR_PORT: port });
    expect([gone.code, gone.err]).toEqual([1, expect.stringContaining(`:${port}/healthz`)]);
  }
});

test("the examples of compose and Kubernetes run without root and without a root that can be written", () => {
  const { services, volumes } = parse(read("examples/compose/compose.yaml"));
  expect(services.busbar).toMatchObject({ read_only: true, user: "10001:10001", cap_drop: ["ALL"] });
  expect(Object.keys(volumes)).toEqual(["data"]);
  const [set, service] = parseAllDocuments(read("examples/kubernetes/busbar.yaml")).map((one) => one.toJS());
  const pod = set.spec.template.spec;
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001 });
  expect(pod.containers[0].securityContext).toMatchObject({
    readOnlyRootFilesystem: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
  });
  expect(pod.containers[0].readinessProbe.httpGet.path).toBe("/readyz");
  const mounted = pod.containers[0].volumeMounts.map(({ name }: { name: string }) => name);
  const given = [
    ...set.spec.volumeClaimTemplates.map((one: { metadata: { name: string } }) => one.metadata.name),
    ...pod.volumes.map(({ name }: { name: string }) => name),
  ];
  expect(mounted.toSorted()).toEqual(given.toSorted());
  expect(service.spec.selector).toEqual(set.spec.selector.matchLabels);
});

test("the settings of the examples and of the Debian package are settings of Busbar", async () => {
  const { services } = parse(read("examples/compose/compose.yaml"));
  const [set] = parseAllDocuments(read("examples/kubernetes/busbar.yaml")).map((one) => one.toJS());
  const fromPod = (set.spec.template.spec.containers[0].env as { name: string; value?: string }[]).map(
    ({ name, value }) => [name, value ?? "x".repeat(32)] as const,
  );
  const file = read("packaging/debian/busbar.yaml");
  for (const env of [services.busbar.environment, Object.fromEntries(fromPod), {}]) {
    const { config } = await loadConfig({ flags: [], env, cwd: "/var/lib/busbar", readFile: () => file });
    expect(config.backup.schedule).toMatchObject({ text: "daily" });
    expect(config.data).toBe("/var/lib/busbar");
  }
});

test("the service of systemd is hardened: its exposure is below 2.0", () => {
  const unit = "packaging/debian/busbar.service";
  const settings = read(unit).split("\n");
  for (const setting of [
    "NoNewPrivileges=yes",
    "CapabilityBoundingSet=",
    "ProtectSystem=strict",
    "UMask=0077",
    "User=busbar",
  ])
    expect(settings).toContain(setting);
  if (!existsSync("/usr/bin/systemd-analyze")) return;
  const { stdout } = spawnSync("/usr/bin/systemd-analyze", ["security", "--offline=true", "--no-pager", path(unit)], {
    encoding: "utf8",
  });
  expect(Number(/exposure level for \S+ ([\d.]+)/.exec(stdout)?.[1])).toBeLessThan(2);
});

test("the scripts of the Debian package are shell", () => {
  for (const name of ["postinst", "prerm", "postrm"]) execFileSync("sh", ["-n", path(`packaging/debian/${name}`)]);
});

test("npm pack refuses in a checkout and names the right command, as do sources that are installed all the same", () => {
  const packed = spawnSync("npm", ["pack", "--dry-run", "--loglevel=error"], { cwd: path("."), encoding: "utf8" });
  expect([packed.status, packed.stderr]).toEqual([1, expect.stringContaining("Run: npm run package")]);
  const program = join(tempFolder(), "node_modules/busbar/bin/busbar");
  mkdirSync(dirname(program), { recursive: true });
  copyFileSync(path("bin/busbar"), program);
  const run = spawnSync(program, ["--version"], { encoding: "utf8" });
  expect([run.status, run.stderr]).toEqual([1, expect.stringContaining("npm run package")]);
});

test("a long step shows how long it takes, line by line where there is no terminal", async () => {
  const progress = path("scripts/progress.mjs");
  const script = `const { withProgress } = await import(${JSON.stringify(progress)});
    console.log(withProgress("waiting", () => "its result"));`;
  const done = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  expect([done.stdout, done.stderr]).toEqual(["its result\n", "busbar: waiting\n"]);
  // The process beside it that writes the lines, on a clock of a hundred times the speed.
  const fast = "data:text/javascript,const real = setInterval; globalThis.setInterval = (f, ms) => real(f, ms / 100);";
  const child = spawn(process.execPath, ["--import", fast, progress, "waiting"]);
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) if (lines.push(line) === 2) child.kill();
  expect(lines).toEqual(["busbar: waiting: 15 s so far", "busbar: waiting: 30 s so far"]);
});

/** Programs that a shell script needs, and no Node. */
function pathWithoutNode(): string {
  const folder = tempFolder();
  for (const name of ["dirname", "readlink", "sh"]) symlinkSync(`/usr/bin/${name}`, join(folder, name));
  return folder;
}

const DPKG_DEB = "/usr/bin/dpkg-deb";

test.runIf(existsSync(DPKG_DEB))("the Debian package brings the pinned Node with it and needs no other one", () => {
  const build = tempFolder();
  const folder = join(build, "package");
  mkdirSync(join(folder, "bin"), { recursive: true });
  mkdirSync(join(folder, "lib"));
  // A package of one file stands for the real one, whose dependencies take long to install.
  const own = {
    name: "busbar",
    version: "9.8.7",
    description: "a test",
    type: "module",
    bin: { busbar: "bin/busbar" },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(own));
  const lock = { ...own, lockfileVersion: 3, requires: true, packages: { "": own } };
  writeFileSync(join(folder, "npm-shrinkwrap.json"), JSON.stringify(lock));
  writeFileSync(join(folder, "lib/main.js"), "console.log(process.version, process.execPath);");
  const script = `
      const { renderProgram } = await import(${JSON.stringify(path("scripts/package.mjs"))});
      const { buildDebianPackage } = await import(${JSON.stringify(path("scripts/debian-package.mjs"))});
      (await import("node:fs")).writeFileSync(${JSON.stringify(join(folder, "bin/busbar"))}, renderProgram(), { mode: 0o755 });
      const { folder, build } = ${JSON.stringify({ folder, build })};
      console.log(buildDebianPackage({ folder, build, kind: process.arch, isPlain: true }));
    `;
  const deb = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    stdio: "pipe",
  });
  const field = (name: string) => execFileSync(DPKG_DEB, ["-f", deb.trim(), name], { encoding: "utf8" }).trim();
  expect(field("Depends")).not.toMatch(/node/);
  expect(field("Architecture")).toBe(
    execFileSync("/usr/bin/dpkg", ["--print-architecture"], { encoding: "utf8" }).trim(),
  );
  const root = tempFolder();
  execFileSync(DPKG_DEB, ["-x", deb.trim(), root]);
  const said = execFileSync(join(root, "usr/bin/busbar"), { encoding: "utf8", env: { PATH: pathWithoutNode() } });
  const { optionalDependencies } = JSON.parse(read("package.json")) as {
    optionalDependencies: Readonly<Record<string, string>>;
  };
  const pinned = optionalDependencies[`node-linux-${process.arch}`];
  expect(said).toBe(`v${pinned} ${join(root, "usr/lib/busbar/node/bin/node")}\n`);
});
