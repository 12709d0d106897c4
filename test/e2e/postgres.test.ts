// The whole service on PostgreSQL: nothing is stored in the data folder but keys, and a killed process loses nothing.

import { once } from "node:events";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { IS_LONG } from "../support/rounds.ts";
import { callBusbar, startBusbar } from "../support/start-busbar.ts";
import { tempFolder } from "../support/temp-folder.ts";

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres({ fsync: true });
});
afterAll(() => server.stop());

test.runIf(IS_LONG)("the demo site lives on PostgreSQL, through a kill and a crash of the database", async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, "busbar.yaml"), `database:\n  url: ${await server.database("demo")}\n`);
  let busbar = await startBusbar(folder, "--demo");
  const token = readFileSync(join(folder, ".busbar", "admin.token"), "utf8").trim();
  const call = async (path: string, body?: object) => {
    const response = await fetch(`${busbar.url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "X-Service-Auth-Token": token, "Content-Type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text };
  };
  const executions = async () =>
    JSON.parse((await call("/v3/devices/weather-station/commands/executions?order=CREATED_AT_ASC")).text).executions;
  const to = Math.floor(Date.now() / 3_600_000 - 1) * 3_600_000;
  const history = () =>
    call("/telemetry/v1/timeseries", {
      from: new Date(to - 86_400_000).toISOString(),
      to: new Date(to).toISOString(),
      granularity: "1h",
      aggregation: "avg",
      telemetry: [{ device: "battery-rack-a", attribute: "battery_soc" }],
    });
  const isFilled = async () => (await history()).text.split("\n").length > 20;

  await expect.poll(isFilled).toBe(true);
  const run = await call("/v3/devices/weather-station/commands/execute", { name: "heat_sensors", arguments: {} });
  expect([run.status, JSON.parse(run.text).execution.state]).toEqual([200, "SUCCESS"]);
  const before = { executions: await executions(), history: (await history()).text };

  await busbar.stop("SIGKILL");
  busbar = await startBusbar(folder, "--demo");
  expect((await executions()).slice(0, before.executions.length)).toEqual(before.executions);
  expect((await history()).text).toBe(before.history);

  await server.crash();
  await expect.poll(async () => (await call("/v3/devices")).status).toBe(200);
  expect((await history()).text).toBe(before.history);
  const again = await call("/v3/devices/weather-station/commands/execute", { name: "heat_sensors", arguments: {} });
  expect(JSON.parse(again.text).execution.state).toBe("SUCCESS");
  expect(readdirSync(join(folder, ".busbar")).filter((name) => /^(?:records|telemetry)\.db/.test(name))).toEqual([]);
  expect(await busbar.stop()).toBe(0);
});

test.runIf(IS_LONG)("a second Busbar on the same database reads the telemetry of the first", async () => {
  const url = await server.database("two");
  const folders = [tempFolder(), tempFolder()] as const;
  for (const folder of folders) writeFileSync(join(folder, "busbar.yaml"), `database:\n  url: ${url}\n`);
  const first = await startBusbar(folders[0]);
  mkdirSync(join(folders[1], ".busbar"));
  // Nodes of one database have the same keys.
  for (const name of ["seal.key", "admin.token"]) {
    copyFileSync(join(folders[0], ".busbar", name), join(folders[1], ".busbar", name));
  }
  const second = await startBusbar(folders[1]);
  const token = readFileSync(join(folders[0], ".busbar", "admin.token"), "utf8").trim();
  for (const { url: node } of [first, second]) {
    const response = await fetch(`${node}/v3/devices`, { headers: { "X-Service-Auth-Token": token } });
    expect(response.status).toBe(200);
  }
  for (const node of [first, second]) expect(await node.stop()).toBe(0);
});

test("a start with too few connections names the cause", async () => {
  const admin = await server.session("postgres");
  await admin.query("CREATE ROLE few LOGIN");
  await admin.query("CREATE DATABASE few OWNER few");
  const url = `postgres://few@127.0.0.1:${server.port}/few`;
  await admin.query("ALTER ROLE few CONNECTION LIMIT 3");
  const env = { BUSBAR_DATABASE_URL: url };
  const { code, err } = await callBusbar(tempFolder(), ["serve", "--port", "0", "--mqtt-port", "off"], env);
  expect([code, err]).toEqual([1, expect.stringMatching(/the database .*(?:accepts no more|too many) connections/)]);
  expect(err).not.toContain("bug in Busbar");
  await admin.end();
});

test("a start says that the database cannot be reached, and goes on when it can", async () => {
  const folder = tempFolder();
  const url = new URL(await server.database("late"));
  let refused = 0;
  const line = createServer((near) => {
    // Two threads try at once.
    if (refused++ < 4) return void near.destroy();
    const far = connect(server.port, "127.0.0.1");
    for (const one of [near, far]) one.on("error", () => {});
    near.pipe(far).pipe(near);
  }).listen(0, "127.0.0.1");
  await once(line, "listening");
  url.port = String((line.address() as AddressInfo).port);
  writeFileSync(join(folder, "busbar.yaml"), `database:\n  url: ${url}\n`);
  const busbar = await startBusbar(folder);
  expect(busbar.log.filter((said) => said.includes("the database cannot be reached yet"))).toHaveLength(1);
  expect(await busbar.stop()).toBe(0);
  line.close();
});
