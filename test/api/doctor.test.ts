// `busbar doctor` names what is wrong with an installation, and what to do.
import { chmodSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runBusbar } from "../support/run-busbar.ts";
import { ADMIN_TOKEN, useServer } from "../support/server.ts";
import { tempFolder } from "../support/temp-folder.ts";

const server = useServer();
/** A port on which nothing listens any more. */
async function nowhere(): Promise<string> {
  const once = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => once.on("listening", resolve));
  const { port } = once.address() as AddressInfo;
  await new Promise((resolve) => once.close(resolve));
  return `http://127.0.0.1:${port}`;
}

interface Finding {
  readonly check: string;
  readonly result: string;
  readonly found: string;
  readonly advice?: string;
}

async function doctor(env: Readonly<Record<string, string>>, cwd = tempFolder()) {
  const { code, out } = await runBusbar(["doctor", "-o", "json"], { cwd, env });
  const { findings } = JSON.parse(out) as { findings: readonly Finding[] };
  return { code, of: (check: string) => findings.find((one) => one.check === check) };
}

test("a running installation is well, and only the missing backup is a warning", async () => {
  const { code, of } = await doctor({ BUSBAR_URL: server.url, BUSBAR_TOKEN: ADMIN_TOKEN, BUSBAR_DATA: server.data });
  expect(code).toBe(0);
  for (const check of ["node", "configuration", "data folder", "permissions", "clock", "server", "link"])
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

test("a wrong configuration is told with its place", async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, "busbar.yaml"), "prot: 1\n");
  const { code, of } = await doctor({}, cwd);
  expect(code).toBe(1);
  expect(of("configuration")?.found).toContain("busbar.yaml line 1");
});
