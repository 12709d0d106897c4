// Files with which Busbar is installed, checked without installing anything.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { loadConfig } from "#config";

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
