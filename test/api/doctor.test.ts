// `busbar doctor` names what is wrong with an installation, and what to do.
import { chmodSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { certify, DAY } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { ADMIN_TOKEN, useServer } from "../support/server.ts";
import { tempFolder } from "../support/temp-folder.ts";

const server = useServer();
/** Where nothing listens. */
const nowhere = async () => `http://127.0.0.1:${await freePort()}`;

interface Finding {
  readonly check: string;
  readonly result: string;
  readonly found: string;
  readonly advice?: string;
}

async function doctor(env: Readonly<Record<string, string>>, cwd = tempFolder()) {
  const { code, out } = await runBusbar(["doctor", "-o", "json"], { cwd, env });
  const { findings } = JSON.parse(out) as { findings: readonly Finding[] };
  return { code, findings, of: (check: string) => findings.find((one) => one.check === check) };
}

test("a site whose time zone nobody has confirmed is a warning with the command that does it", async () => {
  const env = { BUSBAR_URL: server.url, BUSBAR_TOKEN: ADMIN_TOKEN, BUSBAR_DATA: server.data };
  const before = await doctor(env);
  expect(before.of("sites")).toMatchObject({ result: "warning", found: expect.stringContaining('"My site" (') });
  const [, ...words] = [...(before.of("sites")?.advice ?? "").matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, a, b]) => a ?? b ?? "",
  );
  expect(words.slice(0, 3)).toEqual(["site", "update", "My site"]);
  const done = await runBusbar(words, { env });
  expect({ code: done.code, err: done.err }).toEqual({ code: 0, err: "" });
  expect((await doctor(env)).of("sites")).toMatchObject({ result: "ok" });
});

test("a running installation is well, and only the missing backup is a warning", async () => {
  const { code, of } = await doctor({ BUSBAR_URL: server.url, BUSBAR_TOKEN: ADMIN_TOKEN, BUSBAR_DATA: server.data });
  expect(code).toBe(0);
  for (const check of ["node", "configuration", "data folder", "permissions", "clock", "server", "sites", "link"])
    expect(of(check), check).toMatchObject({ result: "ok" });
  expect(of("backup")).toMatchObject({ result: "warning", advice: expect.stringContaining("busbar backup") });
});

test("an installation that does not run is no failure", async () => {
  const { code, of } = await doctor({ BUSBAR_URL: await nowhere() });
  expect(code).toBe(0);
  expect(of("server")).toMatchObject({ result: "warning", advice: expect.stringContaining("busbar serve") });
  expect(of("data folder")).toMatchObject({ result: "warning" });
});

test("open permissions, a missing key, a wrong clock and a broker that is away are failures with advice", async () => {
  const data = join(tempFolder(), "data");
  mkdirSync(data);
  writeFileSync(join(data, "records.db"), "");
  chmodSync(data, 0o755);
  utimesSync(join(data, "records.db"), new Date("2100-01-01"), new Date("2100-01-01"));
  const { code, of } = await doctor({
    BUSBAR_URL: await nowhere(),
    BUSBAR_DATA: data,
    BUSBAR_MQTT_URL: "mqtt://127.0.0.1:1",
  });
  expect(code).toBe(1);
  expect(of("permissions")).toMatchObject({ result: "failed", advice: expect.stringContaining("chmod go=") });
  expect(of("keys")).toMatchObject({ result: "failed" });
  expect(of("clock")).toMatchObject({ result: "failed", found: expect.stringContaining("2100-01-01") });
  expect(of("broker")).toMatchObject({ result: "failed", advice: "start it, or correct mqtt.url" });
});

test("a wrong configuration is reported with its place", async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, "busbar.yaml"), "prot: 1\n");
  const { code, of } = await doctor({}, cwd);
  expect(code).toBe(1);
  expect(of("configuration")?.found).toContain("busbar.yaml line 1");
});

/** A configuration whose HTTP certificate is in files. */
function withCertificate({ cert, key }: { cert: string; key: string }, more: Readonly<Record<string, string>> = {}) {
  const folder = tempFolder();
  writeFileSync(join(folder, "tls.crt"), cert);
  writeFileSync(join(folder, "tls.key"), key);
  return { BUSBAR_HTTP_TLS_CERT: join(folder, "tls.crt"), BUSBAR_HTTP_TLS_KEY: join(folder, "tls.key"), ...more };
}

test.each([
  ["is good", () => certify(["localhost"], -DAY, 90 * DAY), { result: "ok" }],
  [
    "ends soon",
    () => certify(["localhost"], -DAY, 3 * DAY),
    { result: "warning", advice: expect.stringContaining("renew") },
  ],
  [
    "has expired",
    () => certify(["localhost"], -2 * DAY, -DAY),
    { result: "failed", found: expect.stringContaining("expired") },
  ],
  [
    "is not valid yet",
    () => certify(["localhost"], DAY, 90 * DAY),
    { result: "failed", advice: expect.stringContaining("clock") },
  ],
  [
    "has another key",
    () => ({ ...certify(["localhost"], -DAY, 90 * DAY), key: certify(["localhost"]).key }),
    { result: "failed", found: expect.stringContaining("not the key of the certificate") },
  ],
])("a certificate of HTTP that %s is reported as such", async (_what, make, finding) => {
  const { of } = await doctor(withCertificate(make(), { BUSBAR_URL: await nowhere() }));
  expect(of("http certificate")).toMatchObject(finding);
});

test("a certificate of HTTP for another name is a failure that says which", async () => {
  const env = { BUSBAR_HTTP_NAMES: "busbar.example", BUSBAR_URL: await nowhere() };
  const { code, findings } = await doctor(withCertificate(certify(["other.example"], -DAY, 90 * DAY), env));
  expect(code).toBe(1);
  expect(findings.map(({ found }) => found)).toContain("it is for other.example, not for busbar.example");
});

test("a port that another program uses is named with its setting, and free ports are well", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.on("listening", resolve));
  const used = (other.address() as AddressInfo).port;
  const free = String(await freePort());
  const busy = await doctor({ BUSBAR_PORT: free, BUSBAR_MQTT_PORT: String(used) });
  expect(busy.of("ports")).toMatchObject({ result: "failed", found: expect.stringContaining(`${used} (mqtt.port)`) });
  await new Promise((resolve) => other.close(resolve));
  const well = await doctor({ BUSBAR_PORT: free, BUSBAR_MQTT_PORT: "off" });
  expect(well.of("ports")).toMatchObject({ result: "ok", found: `${free} are free` });
});
