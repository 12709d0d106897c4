// Configuration buckets: what may be filled in, by whom, and what the device gets.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type CommandSite, connected, makeCommandSite } from "../../support/command-site.ts";
import { type Session, useServer } from "../../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

type All = { readonly configuration: Readonly<Record<string, object>> };
type One = { readonly bucket: string; readonly values: object };

let site: CommandSite;
beforeAll(async () => {
  site = await makeCommandSite(busbar, "Configuration");
});

async function setUp(name: string) {
  const deviceId = await site.device(name);
  const base = `/v3/devices/${deviceId}/configuration`;
  const of = (session: Session) => ({
    get: () => session.get<All>(base),
    put: (json: unknown) => session.call<All>("PUT", base, { json }),
    getBucket: (bucket: string) => session.get<One>(`${base}/${bucket}`),
    putBucket: (bucket: string, json: unknown) => session.call<One>("PUT", `${base}/${bucket}`, { json }),
  });
  return { deviceId, of, ...of(busbar.admin) };
}

const DEFAULTS = { network: { port: 502, mode: "tcp" }, factory: {} };

test("before anything is filled in, every bucket shows its defaults", async () => {
  const { get, getBucket } = await setUp("Fresh");
  expect((await get()).body).toEqual({ configuration: DEFAULTS });
  expect((await getBucket("network")).body).toEqual({ bucket: "network", values: { port: 502, mode: "tcp" } });
});

test("a bucket is replaced as a whole, defaults filled in", async () => {
  const { get, putBucket } = await setUp("Whole");
  const first = await putBucket("network", { host: "a.example.com", port: 1502, mode: "rtu" });
  expect([first.status, first.body]).toEqual([
    200,
    { bucket: "network", values: { host: "a.example.com", port: 1502, mode: "rtu" } },
  ]);
  await putBucket("network", { host: "b.example.com" });
  expect((await get()).body.configuration).toEqual({
    ...DEFAULTS,
    network: { host: "b.example.com", port: 502, mode: "tcp" },
  });
});

test("several buckets are stored all or none, and every problem is reported", async () => {
  const { get, put } = await setUp("All or none");
  const refused = await put({ network: { port: 0, mode: "udp", speed: 1 }, factory: { trim: 0.5, labels: "x" } });
  expect(refused.status).toBe(400);
  expect(refused.errors.map(({ code, details }) => [code, (details as { pointer: string }).pointer]).sort()).toEqual(
    ["/factory/labels", "/network/host", "/network/mode", "/network/port", "/network/speed"].map((pointer) => [
      "invalid_configuration",
      pointer,
    ]),
  );
  expect((await get()).body.configuration).toEqual(DEFAULTS);
  const stored = await put({ network: { host: "x.example.com" }, factory: { trim: 0.5, labels: ["x"] } });
  expect(stored.body.configuration).toEqual({
    network: { host: "x.example.com", port: 502, mode: "tcp" },
    factory: { trim: 0.5, labels: ["x"] },
  });
});

test.each([
  [{}, "host is required"],
  [{ host: null }, "host is required"],
  [{ host: "not a host" }, "host must be written as hostname"],
  [{ host: "a", port: 0 }, "port must be at least 1"],
  [{ host: "a", port: 65536 }, "port must be at most 65535"],
  [{ host: "a", port: 1.5 }, "port must be a whole number"],
  [{ host: "a", mode: "udp" }, "mode must be one of tcp, rtu"],
  [{ host: "a", prot: 1 }, "did you mean port?"],
  [{ host: 5 }, "host must be a text"],
])("the bucket refuses %j: %s", async (values, why) => {
  const { putBucket, get } = await setUp("Refusing");
  const refused = await putBucket("network", values);
  expect([refused.status, refused.errors[0]?.code]).toEqual([400, "invalid_configuration"]);
  expect(refused.errors[0]?.message).toContain(why);
  expect((await get()).body.configuration).toEqual(DEFAULTS);
});

test("a sensitive parameter is write-only: it reads ***, and *** or nothing keeps it; null takes it away", async () => {
  const { deviceId, getBucket, putBucket } = await setUp("Secret");
  const CANARY = "canary-51ee";
  const device = await site.connect(deviceId);
  await device.nextConfiguration();
  const received = async () => (await device.nextConfiguration()) as { network: { password?: string } };
  const host = "a.example.com";
  const shown = { host, port: 502, mode: "tcp", password: "***" };

  const written = await putBucket("network", { host, password: CANARY });
  expect(written.body.values).toEqual(shown);
  expect((await received()).network.password).toBe(CANARY);
  await putBucket("network", { host });
  expect((await received()).network.password).toBe(CANARY);
  await putBucket("network", { host, password: "***" });
  expect((await received()).network.password).toBe(CANARY);
  expect((await getBucket("network")).body.values).toEqual(shown);
  const bytes = readdirSync(busbar.data).map((name) => readFileSync(join(busbar.data, name), "latin1"));
  for (const text of [...bytes, written.text, busbar.log, (await busbar.admin.get("/v3/audit?limit=100")).text]) {
    expect(text).not.toContain(CANARY);
  }
  await putBucket("network", { host, password: null });
  expect((await received()).network).not.toHaveProperty("password");
  expect((await getBucket("network")).body.values).not.toHaveProperty("password");
});

test("a refused sensitive value is not repeated", async () => {
  const { putBucket } = await setUp("Discreet");
  const refused = await putBucket("network", { host: "a", password: ["canary-0b0e"] });
  expect(refused.status).toBe(400);
  expect(refused.text).not.toContain("canary-0b0e");
});

test("a bucket takes its level to read and to write; the others are as if it were not there", async () => {
  const { of } = await setUp("Levels");
  const session = async (level: string) => of(busbar.as(await busbar.token({ level })));
  const [reader, user, vendor] = [await session("readonly"), await session("user"), await session("vendor")];
  expect(Object.keys((await reader.get()).body.configuration)).toEqual([]);
  expect(Object.keys((await user.get()).body.configuration)).toEqual(["network"]);
  expect(Object.keys((await vendor.get()).body.configuration)).toEqual(["network", "factory"]);
  for (const refused of [
    await user.getBucket("factory"),
    await user.putBucket("factory", { trim: 0 }),
    await user.put({ network: { host: "a" }, factory: { trim: 0 } }),
    await reader.putBucket("network", { host: "a" }),
  ]) {
    expect([refused.status, refused.errors[0]?.code]).toEqual([403, "forbidden"]);
  }
  expect((await vendor.get()).body.configuration).toEqual(DEFAULTS);
  expect((await vendor.putBucket("factory", { trim: 0.25 })).status).toBe(200);
  expect((await user.putBucket("network", { host: "a" })).status).toBe(200);
});

test("an unknown bucket is 404 with the nearest one, and a device without a blueprint has none", async () => {
  const { getBucket, putBucket, put } = await setUp("Unknown");
  for (const refused of [await getBucket("netwrk"), await putBucket("netwrk", {}), await put({ netwrk: {} })]) {
    expect([refused.status, refused.errors[0]?.message]).toEqual([
      404,
      expect.stringContaining("did you mean network?"),
    ]);
  }
  expect((await getBucket("constructor")).status).toBe(404);
  const bare = await site.device("Bare configuration", { blueprint_id: undefined });
  expect((await busbar.admin.get(`/v3/devices/${bare}/configuration`)).status).toBe(404);
});

test("a device learns its whole configuration when it connects and with every change", async () => {
  const { deviceId, putBucket } = await setUp("Reader");
  await putBucket("network", { host: "a.example.com", constructor: "trap" });
  const config = await site.configOf(deviceId);
  const device = await connected(config);
  expect(await device.nextConfiguration()).toEqual({
    network: { host: "a.example.com", port: 502, mode: "tcp", constructor: "trap" },
    factory: {},
  });
  await putBucket("factory", { trim: 1 });
  expect(await device.nextConfiguration()).toMatchObject({ network: { host: "a.example.com" }, factory: { trim: 1 } });
  await device.close();
  await putBucket("factory", { trim: -1 });
  const again = await connected(config);
  expect(await again.nextConfiguration()).toMatchObject({ factory: { trim: -1 } });
});

test("the body must be an object of objects", async () => {
  const { put, putBucket } = await setUp("Shapes");
  for (const refused of [await put([]), await put({ network: 5 }), await putBucket("network", []), await put(null)]) {
    expect(refused.status).toBe(400);
  }
});

test("a change is in the audit log with its buckets, without values", async () => {
  const { putBucket } = await setUp("Audited");
  await putBucket("network", { host: "audited.example.com" });
  const { body, text } = await busbar.admin.get<{ entries: readonly object[] }>("/v3/audit?limit=1&order=at_desc");
  expect(body.entries).toMatchObject([
    { action: "putConfigurationBucket", outcome: "OK", details: { buckets: ["network"] } },
  ]);
  expect(text).not.toContain("audited.example.com");
});
