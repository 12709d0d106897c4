// Alerts, logs, configuration and the audit log of a gateway in its cloud.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FakeDevice } from "../support/fake-device.ts";
import { eventually, isLinked, useLinkedPair } from "../support/linked-pair.ts";
import { listen, type SeenEvent } from "../support/listen.ts";
import type { TestServer } from "../support/server.ts";
import { type Connected, makeTelemetry, type TelemetryKit } from "../support/telemetry.ts";

let kit: TelemetryKit;
let old: Connected;
const pair = useLinkedPair([], async (gateway, siteId) => {
  kit = await makeTelemetry(gateway, siteId);
  old = await kit.connect("old");
  await old.send(`${now()} faults=["early"]`);
  await old.device.log("before joining", { severity: "info", persist: true });
  await eventually(async () => expect(await logOf(gateway, old.id)).toHaveLength(1));
});
const { cloud, gateway } = pair;
const now = () => Math.floor(Date.now() / 1000);

let connected: Connected;
let device: FakeDevice;
beforeAll(async () => {
  connected = await kit.connect("noisy");
  ({ device } = connected);
});
afterAll(async () => {
  await device.close();
  await old.device.close();
});

async function logOf({ admin }: TestServer, id: string): Promise<readonly unknown[]> {
  return (await admin.get<{ logs: readonly unknown[] }>(`/v3/devices/${id}/logs`)).body.logs;
}

async function alertsOf({ admin }: TestServer, id: string, query = ""): Promise<readonly Record<string, unknown>[]> {
  const { body } = await admin.get<{ alerts: readonly Record<string, unknown>[] }>(`/v3/devices/${id}/alerts${query}`);
  // Each side has its own ids of blueprints.
  return body.alerts.map(({ blueprint_id: _, ...alert }) => alert);
}

async function isConnected(): Promise<boolean | undefined> {
  const { body } = await cloud.admin.get<{ gateways: readonly { connected: boolean }[] }>("/v3/gateways");
  return body.gateways[0]?.connected;
}

test("what was there before joining is in the cloud", async () => {
  await eventually(async () => {
    expect(await alertsOf(cloud, old.id)).toEqual(await alertsOf(gateway, old.id));
    expect(await logOf(cloud, old.id)).toEqual(await logOf(gateway, old.id));
  });
  expect(await alertsOf(cloud, old.id)).toHaveLength(1);
});

test("an alert is raised and cleared in the cloud as on the gateway, and sent to listeners", async () => {
  const listener = await listen(cloud.url, cloud.adminToken, { query: "?kind.in=alert" });
  const isOurs = ({ event, data }: SeenEvent) => event === "alert" && data["device_id"] === connected.id;
  await connected.send(`${now() - 2} faults=["hot"]`);
  expect((await listener.next(isOurs)).data).toMatchObject({ change: "raised", alert: { id: "hot" } });
  expect(await alertsOf(cloud, connected.id)).toEqual(await alertsOf(gateway, connected.id));
  const { body } = await cloud.admin.get<{ device: object }>(`/v3/devices/${connected.id}?expand=raised_alert_names`);
  expect(body.device).toMatchObject({ raised_alert_names: ["hot"] });
  await connected.send(`${now() - 1} faults=[]`);
  expect((await listener.next(isOurs)).data).toMatchObject({ change: "cleared", alert: { id: "hot" } });
  expect(await alertsOf(cloud, connected.id)).toEqual([]);
});

test("an alert that comes and goes while the line is cut is in the cloud's history afterwards", async () => {
  pair.line.cut();
  await isLinked(gateway, false);
  await connected.send(`${now()} faults=["brief","lasting"]`);
  await connected.send(`${now() + 1} faults=["lasting"]`);
  pair.line.heal();
  await eventually(async () => {
    for (const query of ["", "?active=false"])
      expect(await alertsOf(cloud, connected.id, query)).toEqual(await alertsOf(gateway, connected.id, query));
    expect(await alertsOf(cloud, connected.id)).toMatchObject([{ id: "lasting" }]);
  });
});

test("alerts stay as the gateway knows them when the cloud restarts", async () => {
  await cloud.restart(["--port", String(cloud.port)]);
  await eventually(async () => expect(await isConnected()).toBe(true));
  expect(await alertsOf(cloud, connected.id)).toEqual(await alertsOf(gateway, connected.id));
});

test("log entries follow at once, also as live events", async () => {
  const listener = await listen(cloud.url, cloud.adminToken, { query: "?kind.in=log" });
  await device.log("hello cloud", { severity: "warning", persist: false });
  const seen = await listener.next(({ event, data }) => event === "log" && data["device_id"] === connected.id);
  expect(JSON.stringify(seen.data)).toContain("hello cloud");
  expect(await logOf(cloud, connected.id)).toEqual(await logOf(gateway, connected.id));
});

test("configuration is shown in the cloud, without what is sensitive", async () => {
  const id = await pair.site.device("configured");
  const values = { host: "inverter.local", port: 1502, mode: "tcp", password: "secret" };
  const path = `/v3/devices/${id}/configuration`;
  const put = await gateway.admin.call("PUT", `${path}/network`, { json: values });
  expect(put.status, put.text).toBe(200);
  await eventually(async () => {
    const there = await cloud.admin.get(path);
    expect(there.body).toEqual((await gateway.admin.get(path)).body);
    expect(there.text).toContain("1502");
    expect(there.text).not.toContain("secret");
  });
});

test("who changed what on the gateway is in the cloud's audit log, with the gateway's name", async () => {
  const id = await pair.site.device("audited");
  await eventually(async () => {
    const { body } = await cloud.admin.get<{
      entries: readonly { action: string; target: object; reported_by: string | null }[];
    }>("/v3/audit?limit=100");
    const found = body.entries.find(({ target }) => JSON.stringify(target).includes(id));
    expect(found).toMatchObject({ action: "provisionStandalone", reported_by: expect.any(String) });
    const own = body.entries.filter(({ reported_by }) => reported_by === null);
    expect(own.map(({ action }) => action)).toContain("createJoinCode");
  });
});

test("a blueprint of a gateway names in the cloud who uploaded it there, and how", async () => {
  const bytes = "blueprint_spec: device/3.0\ndisplay_name: Of the gateway\nruntime: { type: embedded }\n";
  const headers = { "X-Busbar-Door": "cli" };
  type Blueprint = { readonly digest: string; readonly uploaded_by: Readonly<Record<string, unknown>> | null };
  const made = await gateway.admin.call<{ blueprint: Blueprint }>("POST", "/v3/blueprints/upload", { bytes, headers });
  const { digest, uploaded_by: by } = made.body.blueprint;
  expect(by).toMatchObject({ name: "admin", door: "cli", reported_by: null });
  const [reportedBy] = (await cloud.admin.get<{ gateways: readonly { id: string }[] }>("/v3/gateways")).body.gateways;
  await eventually(async () => {
    const { blueprints } = (await cloud.admin.get<{ blueprints: readonly Blueprint[] }>("/v3/blueprints")).body;
    const copy = blueprints.find((one) => one.digest === digest);
    expect(copy?.uploaded_by).toEqual({ ...by, reported_by: reportedBy?.id });
  });
});
