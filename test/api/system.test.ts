import { expect, test } from "vitest";
import type { System, SystemLogLine } from "#client/resources.ts";
import { parseRaw, sendRaw } from "../support/raw-http.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer();

test("health and readiness answer without a token", async () => {
  expect((await busbar.anonymous.get("/healthz")).body).toEqual({ status: "ok" });
  expect((await busbar.anonymous.get("/readyz")).body).toEqual({ status: "ok" });
});

test("metrics answer this machine in the format of Prometheus, by operation and status", async () => {
  await busbar.admin.get("/v3/sites");
  await busbar.admin.get("/v3/devices/unknown");
  await busbar.admin.get("/v3/nothing");
  const { headers, text } = await busbar.anonymous.get("/metrics");
  expect(headers.get("content-type")).toMatch(/^text\/plain; version=/);
  expect(text).toContain('busbar_http_request_seconds_count{operation="listSites",status="200"}');
  expect(text).toContain('busbar_http_request_seconds_count{operation="getDevice",status="404"}');
  expect(text).toContain('busbar_http_request_seconds_count{operation="none",status="404"}');
  expect(text).toContain("process_resident_memory_bytes");
});

test("the labels of metrics do not grow with what clients send", async () => {
  const series = async () => (await busbar.anonymous.get("/metrics")).text.split("\n").length;
  await busbar.admin.get("/v3/devices/first");
  const before = await series();
  for (let i = 0; i < 20; i++) await busbar.admin.get(`/v3/devices/device-${i}`);
  for (let i = 0; i < 20; i++) await busbar.admin.get(`/v3/nothing-${i}`);
  expect((await series()) - before).toBeLessThan(40);
});

test.each(["X-Forwarded-For", "X-Forwarded-Proto", "Forwarded", "Via", "X-Real-IP"])(
  "a call over a proxy (%s) gets no metrics",
  async (name) => {
    const refused = await busbar.anonymous.get("/metrics", { headers: { [name]: "for=127.0.0.1" } });
    expect([refused.status, refused.errors[0]?.code]).toEqual([403, "forbidden"]);
  },
);

test("the pages are HTML that runs no script and loads nothing from elsewhere", async () => {
  for (const path of ["/", "/docs", "/api/docs"]) {
    const { status, headers, text } = await busbar.anonymous.get(path);
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'sha256-/);
    // Examples may name other addresses. No element does.
    expect(text).not.toMatch(/<script|<[^>]*https?:\/\/(?!127\.0\.0\.1)/);
  }
});

test("the reference shows every operation and every named schema", async () => {
  const { text } = await busbar.anonymous.get("/docs");
  for (const { spec } of busbar.operations) expect(text).toContain(`id="${String(spec["operationId"])}"`);
  const { schemas } = busbar.document["components"] as { schemas: object };
  for (const name of Object.keys(schemas)) expect(text).toContain(`id="schema-${name}"`);
});

test("the examples of the reference name the address at which it is read, and a strange one is not repeated", async () => {
  expect((await busbar.anonymous.get("/docs")).text).toContain(`export BUSBAR=${busbar.url}\n`);
  const ask = async (host: string) =>
    parseRaw(await sendRaw(busbar.port, `GET /docs HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).text;
  expect(await ask("gateway.example:8443")).toContain("export BUSBAR=http://gateway.example:8443\n");
  expect(await ask("[::1]:80")).toContain("export BUSBAR=http://[::1]\n");
  for (const host of ["x<b>", 'x"', "x;curl evil"]) expect(await ask(host)).not.toContain(`=http://${host}`);
});

test("the installation says how it does: version, threads, storage, broker, buffers and shares", async () => {
  const { body } = await busbar.admin.get<{ system: System }>("/v3/system");
  const { process: own, storage, broker, buffers, shares, ...rest } = body.system;
  expect(rest).toMatchObject({ version: expect.any(String), role: "gateway", linked: false, nodes: 1 });
  expect(Date.parse(rest.started_at)).toBeLessThanOrEqual(Date.now());
  expect(own.memory_bytes).toBeGreaterThan(1e6);
  if (process.platform === "linux") {
    expect(own.threads?.map(({ name }) => name)).toEqual(expect.arrayContaining(["records writer", "series writer"]));
  }
  expect(storage.kind).toBe("embedded");
  expect(storage.files.find(({ name }) => name === "records.db")?.bytes).toBeGreaterThan(0);
  expect(broker).toEqual({ kind: "embedded", mqtt_port: null, mqtts_port: null, connections: 0 });
  const metrics = (await busbar.anonymous.get("/metrics")).text;
  expect(buffers.length).toBeGreaterThan(10);
  for (const { name } of buffers) expect(metrics).toContain(`busbar_buffer_bytes{buffer="${name}"}`);
  for (const { name } of shares) expect(metrics).toContain(`busbar_share_inside{share="${name}"}`);
});

test("the latest lines of the log are those that the log has, newest first", async () => {
  const { body } = await busbar.admin.get<{ lines: readonly SystemLogLine[] }>("/v3/system/log");
  const logged = busbar.log
    .split("\n")
    .filter((line) => /"level":"(info|warn|error|fatal)"/.test(line))
    .map((line) => (JSON.parse(line) as { msg: string }).msg);
  expect(body.lines.map(({ message }) => message)).toEqual(logged.slice(-300).reverse());
});

test("a second process is refused the same data folder", async () => {
  const { openRecords } = await import("#store/sqlite/open-records.ts");
  await expect(openRecords(busbar.data, () => {})).rejects.toThrow(/use|lock|running/i);
  expect((await busbar.anonymous.get("/readyz")).status).toBe(200);
});
