// The example of a cloud for Compose, checked without running it.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { loadConfig } from "#config";

const folder = fileURLToPath(new URL("../../examples/compose/cloud/", import.meta.url));
const read = (name: string) => readFileSync(join(folder, name), "utf8");

interface Service {
  readonly image: string;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly networks?: { readonly default: { readonly aliases: readonly string[] } };
  readonly command?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}
const compose: { services: Readonly<Record<string, Service>>; volumes: object } = parse(read("compose.yaml"), {
  merge: true,
});
const services = Object.entries(compose.services);
const ours = services.filter(([, { image }]) => image.startsWith("busbar:"));
/** Variables of the command line, which are no settings. */
const OF_CLIENT: ReadonlySet<string> = new Set(["BUSBAR_URL", "BUSBAR_TOKEN"]);

test("there are two nodes on PostgreSQL, a broker, a proxy and a gateway", () => {
  expect(services.map(([name]) => name)).toEqual(
    expect.arrayContaining(["postgres", "mosquitto", "nginx", "node-1", "node-2", "line", "gateway"]),
  );
  const { services: nodes } = compose;
  expect(nodes["node-1"]?.environment).toEqual(nodes["node-2"]?.environment);
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  for (const [name, { image }] of ours) expect([name, image]).toEqual([name, `busbar:${version}`]);
  for (const [name, { image }] of services) expect(image, name).toMatch(/:[\d.]+$/);
});

test("Busbar runs without root, and nothing but TLS is open to others", () => {
  for (const [name, service] of ours) {
    expect([name, service]).toMatchObject([name, { read_only: true, user: "10001:10001", cap_drop: ["ALL"] }]);
  }
  const published = services.flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`));
  expect(published).toEqual(["mosquitto 127.0.0.1:1883:1883", "nginx 443:443", "gateway 127.0.0.1:8080:8080"]);
});

test("every volume, file and service that is named exists, and every volume is used", () => {
  const used = new Set<string>();
  for (const [name, { volumes = [], depends_on = {} }] of services) {
    for (const other of Object.keys(depends_on)) expect(Object.keys(compose.services), name).toContain(other);
    for (const volume of volumes) {
      const [from = "", to = ""] = volume.split(":");
      expect(to, name).toMatch(/^\//);
      if (!from.startsWith("./")) used.add(from);
      // What the reader has to bring.
      else if (!/^\.\/tls\.(?:crt|key)$/.test(from)) expect(existsSync(join(folder, from)), from).toBe(true);
    }
  }
  expect([...used].sort()).toEqual(Object.keys(compose.volumes).sort());
});

test("every variable is a setting, and every secret is asked for in example.env", async () => {
  const asked = read("example.env").match(/^[A-Z_]+(?==)/gm) ?? [];
  const secret = "s".repeat(40);
  const named = [...(read("compose.yaml") + read("spread.yaml")).matchAll(/\$\{(\w+)/g)].map(([, name = ""]) => name);
  expect([...new Set(named)].sort()).toEqual([...asked].sort());
  for (const [name, { environment = {} }] of ours) {
    const filled = Object.entries(environment).map(([key, value]) => [key, value.replaceAll(/\$\{\w+:\?\}/g, secret)]);
    const env: Record<string, string> = Object.fromEntries(filled.filter(([key = ""]) => !OF_CLIENT.has(key)));
    if (name === "gateway") env["BUSBAR_CLOUD_TOKEN"] = secret;
    const { config } = await loadConfig({ flags: [], env, cwd: "/var/lib/busbar", readFile: () => undefined });
    if (name.startsWith("node-")) expect(config.role).toBe("cloud");
    if (name === "gateway") expect(config.cloud.url).toBe("http://line:8080");
  }
  expect(compose.services["gateway"]?.command?.[0]).toContain(
    "BUSBAR_CLOUD_TOKEN=$$(cat /join/code) exec busbar serve",
  );
});

test("the spread form adds two workers, and makes the servers known before a node starts", () => {
  interface Spread {
    readonly services: Readonly<Record<string, Partial<Service>>>;
    readonly volumes: object;
  }
  const spread: Spread = parse(read("spread.yaml"), { merge: true });
  const { servers, ...others } = spread.services;
  const workers = Object.keys(others).filter((name) => name.startsWith("worker-"));
  expect(workers).toEqual(["worker-1", "worker-2"]);
  expect(servers?.environment?.["SERVERS"]).toBe(["postgres", ...workers].map((name) => `${name}:5432`).join(" "));
  expect(Object.keys(servers?.depends_on ?? {})).toEqual(["postgres", ...workers]);
  expect(Object.keys(spread.volumes)).toEqual(["coordinator", ...workers]);
  const places = (service?: Partial<Service>) => (service?.volumes ?? []).map((volume) => volume.split(":")[1]);
  // Compose replaces a volume by its place: the files of one version are not opened by another one.
  expect(places(others["postgres"])).toEqual(places(compose.services["postgres"]));
  expect(others["postgres"]?.volumes).not.toEqual(compose.services["postgres"]?.volumes);
  const nodes = Object.keys(compose.services).filter((name) => name.startsWith("node-"));
  for (const name of nodes) expect(others[name]?.depends_on, name).toHaveProperty("servers");
  const images = Object.values(spread.services).flatMap(({ image }) => image ?? []);
  expect(new Set(images).size).toBe(1);
  expect(images[0]).toMatch(/:[\d.]+$/);
  const published = Object.values(spread.services).flatMap(({ ports = [] }) => ports);
  expect(published).toEqual([]);
  execFileSync("sh", ["-n", join(folder, "spread.sh")]);
});

test("the line of the gateway can be cut alone: people reach cloud and gateway without it", () => {
  expect(read("line.conf")).toMatch(/^ {2}listen 8080;$/m);
  expect(read("nginx.conf")).not.toContain("listen 8080");
  const using = services.filter(([, { depends_on = {} }]) => "line" in depends_on).map(([name]) => name);
  expect(using).toEqual(["gateway"]);
});

test.each(["nginx.conf", "line.conf"])(
  "%s leads to the nodes, passes WebSockets on, and is valid where nginx can say so",
  (name) => {
    const conf = read(name);
    expect(conf).toContain("set $nodes http://nodes:8080;");
    const named = services.filter(([, { networks }]) => networks?.default.aliases.includes("nodes"));
    expect(named.map(([service]) => service)).toEqual(["node-1", "node-2"]);
    expect(conf).toContain("proxy_set_header Upgrade $http_upgrade;");
    if (!existsSync("/usr/sbin/nginx")) return;
    const place = mkdtempSync(join(tmpdir(), "busbar-nginx-"));
    onTestFinished(() => rmSync(place, { recursive: true }));
    const key = [
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-subj",
      "/CN=x",
      "-keyout",
      "tls.key",
      "-out",
      "tls.crt",
    ];
    execFileSync("openssl", key, { cwd: place, stdio: "ignore" });
    // Places of files are not those of this machine.
    const here = conf.replaceAll("/etc/nginx/", `${place}/`);
    writeFileSync(join(place, "site.conf"), here);
    writeFileSync(join(place, "nginx.conf"), `pid ${place}/pid;\nevents {}\nhttp { include ${place}/site.conf; }\n`);
    const { status, stderr } = spawnSync("/usr/sbin/nginx", ["-t", "-q", "-c", join(place, "nginx.conf")], {
      encoding: "utf8",
    });
    expect(status, stderr).toBe(0);
  },
);

test("the files of Mosquitto are those that Busbar writes, and its script is shell", () => {
  expect(read("mosquitto.conf")).toMatch(/^password_file \/broker\/passwords$[\s\S]*^acl_file \/broker\/acl$/m);
  execFileSync("sh", ["-n", join(folder, "mosquitto.sh")]);
});
