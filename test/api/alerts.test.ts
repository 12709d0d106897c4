import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "#client/page.ts";
import type { Alert } from "#client/resources.ts";
import { manifest } from "../support/blueprints.ts";
import { connectFakeDevice, type FakeDevice } from "../support/fake-device.ts";
import { listen, type SeenEvent } from "../support/listen.ts";
import { type Session, useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

const BLUEPRINT = manifest(
  "Alerting",
  `alerts:
  overheat:
    severity: warning
    display_name: Too hot
    code: E-17
    grace_period: 1h
    description: The cabinet is hot.
    troubleshooting: [Open the door., Call us.]
    components: [cabinet]
    conditions: [above 60 degrees]
    telemetry: [power]
  door:
    severity: info
    display_name: Door open
`,
).replace(
  "telemetry:\n",
  "telemetry:\n  bms:\n    type: alerts\n    display_name: Cells\n  vendor_alerts:\n    type: alerts\n    display_name: Inside\n    access_level: vendor\n",
);

let site: string;
let otherSite: string;
let blueprint: string;
const devices: FakeDevice[] = [];

beforeAll(async () => {
  const newSite = async (name: string) =>
    (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name })).body.site.id;
  [site, otherSite] = [await newSite("Alerts"), await newSite("Elsewhere")];
  const made = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", {
    bytes: BLUEPRINT,
  });
  blueprint = made.body.blueprint.id;
});

afterAll(async () => {
  for (const device of devices) await device.close();
});

interface TestDevice {
  readonly id: string;
  readonly siteId: string;
  readonly mqtt: FakeDevice;
  /** Resolves when the service has acknowledged it. */
  send(values: object): Promise<void>;
}

async function connect(id: string): Promise<FakeDevice> {
  const path = `/v3/devices/${id}/generate_config`;
  const { body } = await busbar.admin.post<{ config: Parameters<typeof connectFakeDevice>[0] }>(path, {
    protocol: "MQTT",
  });
  const mqtt = await connectFakeDevice(body.config, { listen: false });
  devices.push(mqtt);
  return mqtt;
}

async function newDevice(siteId = site, fields: object = { blueprint_id: blueprint }): Promise<TestDevice> {
  const body = { name: "Alerting", site_id: siteId, ...fields };
  const { body: made } = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", body);
  const mqtt = await connect(made.device_id);
  return { id: made.device_id, siteId, mqtt, send: (values) => mqtt.sendTelemetry(values) };
}

const list = async (path: string, session: Session = busbar.admin) =>
  (await session.get<Page<"alerts", Alert>>(path)).body;
const ofDevice = async (id: string, query = "", session?: Session) =>
  (await list(`/v3/devices/${id}/alerts${query}`, session)).alerts;
/** `overheat SOFT` and so on. */
const shown = (alerts: readonly Alert[]) => alerts.map(({ id, state }) => `${id} ${state}`).sort();

test("an alert has what the blueprint says about it", async () => {
  const device = await newDevice();
  const at = Math.floor(Date.now() / 1000) - 10;
  await device.send({ timestamp: at, alerts: ["overheat"] });
  expect(await list(`/v3/devices/${device.id}/alerts`)).toEqual({
    alerts: [
      {
        id: "overheat",
        device_id: device.id,
        site_id: site,
        severity: "warning",
        state: "SOFT",
        display_name: "Too hot",
        description: "The cabinet is hot.",
        code: "E-17",
        troubleshooting: ["Open the door.", "Call us."],
        components: ["cabinet"],
        conditions: ["above 60 degrees"],
        telemetry: ["power"],
        raised_at: new Date(at * 1000).toISOString(),
        hardens_at: new Date((at + 3600) * 1000).toISOString(),
        source: "alerts",
        declared: true,
      },
    ],
    total_count: 1,
  });
});

test("an undeclared alert is an error under its own name", async () => {
  const device = await newDevice();
  await device.send({ alerts: ["constructor"] });
  expect(await ofDevice(device.id)).toMatchObject([
    { id: "constructor", severity: "error", state: "HARD", display_name: "constructor", declared: false },
  ]);
});

test("a device without a blueprint has alerts too", async () => {
  const device = await newDevice(site, {});
  await device.send({ alerts: ["broken"] });
  expect(await ofDevice(device.id)).toMatchObject([{ id: "broken", severity: "error", declared: false }]);
});

test("an empty list clears, nothing and null leave everything as it is", async () => {
  const device = await newDevice();
  await device.send({ alerts: ["overheat", "door"], bms: ["cell"] });
  await device.send({ power: 1 });
  await device.send({ alerts: null, bms: null });
  expect(shown(await ofDevice(device.id))).toEqual(["cell HARD", "door HARD", "overheat SOFT"]);
  await device.send({ alerts: ["door"] });
  expect(shown(await ofDevice(device.id))).toEqual(["cell HARD", "door HARD"]);
  await device.send({ alerts: [], bms: [] });
  expect(await ofDevice(device.id)).toEqual([]);
  const past = await ofDevice(device.id, "?active=false");
  expect(shown(past)).toEqual(["cell HARD", "door HARD", "overheat SOFT"]);
  for (const alert of past)
    expect(Date.parse(alert.cleared_at ?? "")).toBeGreaterThanOrEqual(Date.parse(alert.raised_at));
});

test("an older message undoes nothing", async () => {
  const device = await newDevice();
  const now = Date.now() / 1000;
  await device.send({ timestamp: now, alerts: ["door"] });
  await device.send({ timestamp: now - 60, alerts: [] });
  expect(shown(await ofDevice(device.id))).toEqual(["door HARD"]);
});

test("filters, order and paging", async () => {
  const device = await newDevice();
  const now = Math.floor(Date.now() / 1000);
  await device.send({ timestamp: now - 30, alerts: ["overheat"] });
  await device.send({ timestamp: now - 20, alerts: ["overheat", "door"] });
  await device.send({ timestamp: now - 10, alerts: ["overheat", "door", "x"] });
  const at = (second: number) => encodeURIComponent(new Date((now - second) * 1000).toISOString());
  const ids = async (query: string) => (await ofDevice(device.id, query)).map(({ id }) => id).join(" ");
  expect(await ids("")).toBe("x door overheat");
  expect(await ids("?order=raised_at_asc")).toBe("overheat door x");
  expect(await ids("?state.in=soft")).toBe("overheat");
  expect(await ids("?state.in=HARD,SOFT&limit=2")).toBe("x door");
  expect(await ids("?limit=1&offset=1")).toBe("door");
  expect(await ids("?severity.in=info,error")).toBe("x door");
  expect(await ids(`?raised_at.gte=${at(20)}`)).toBe("x door");
  expect(await ids(`?raised_at.gte=${at(30)}&raised_at.lt=${at(10)}`)).toBe("door overheat");
  expect(await ids("?active=false")).toBe("");
  expect((await list(`/v3/devices/${device.id}/alerts?limit=0`)).total_count).toBe(3);
});

test.each(["active=maybe", "state.in=MEDIUM", "severity.in=fatal", "raised_at.gte=now", "order=up", "limit=-1"])(
  "%s is refused",
  async (query) => {
    expect((await busbar.admin.get(`/v3/sites/${site}/alerts?${query}`)).errors[0]?.code).toBe("invalid_query");
  },
);

test("a site lists the alerts of its devices, and of no others", async () => {
  const place = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Two" })).body.site.id;
  const [one, two, stranger] = [await newDevice(place), await newDevice(place), await newDevice(otherSite)];
  for (const device of [one, two, stranger]) await device.send({ alerts: ["door"] });
  const { alerts, total_count } = await list(`/v3/sites/${place}/alerts`);
  expect(new Set(alerts.map(({ device_id }) => device_id))).toEqual(new Set([one.id, two.id]));
  expect(total_count).toBe(2);
  const other = busbar.as(await busbar.token({ site_ids: [otherSite] }));
  expect((await other.get(`/v3/sites/${place}/alerts`)).status).toBe(404);
  expect((await other.get(`/v3/devices/${one.id}/alerts`)).status).toBe(404);
});

test("an alert from a source above the caller's level is left out, of counts and names too", async () => {
  const device = await newDevice();
  await device.send({ vendor_alerts: ["secret"], bms: ["cell"] });
  const path = `/v3/devices/${device.id}/alerts`;
  const [owner, vendor] = [
    busbar.as(await busbar.token({ level: "owner" })),
    busbar.as(await busbar.token({ level: "vendor" })),
  ];
  expect(await list(path, owner)).toMatchObject({ alerts: [{ id: "cell" }], total_count: 1 });
  expect((await list(path, vendor)).total_count).toBe(2);
  const names = async (session: Session) =>
    (
      await session.get<{ device: { raised_alert_names: string[] } }>(
        `/v3/devices/${device.id}?expand=raised_alert_names`,
      )
    ).body.device.raised_alert_names.sort();
  expect([await names(owner), await names(vendor)]).toEqual([["cell"], ["cell", "secret"]]);
});

test("raised_alert_names are the active alerts of each device, each once", async () => {
  const place = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Names" })).body.site.id;
  const [raising, quiet] = [await newDevice(place), await newDevice(place)];
  await raising.send({ alerts: ["door", "overheat"], bms: ["door"] });
  await quiet.send({ alerts: ["door"] });
  await quiet.send({ alerts: [] });
  const { body } = await busbar.admin.get<Page<"devices", { id: string; raised_alert_names: string[] }>>(
    `/v3/sites/${place}/devices?type.in=STANDALONE&expand=raised_alert_names`,
  );
  const names = new Map(body.devices.map((device) => [device.id, [...device.raised_alert_names].sort()]));
  expect(names).toEqual(
    new Map([
      [raising.id, ["door", "overheat"]],
      [quiet.id, []],
    ]),
  );
});

const isAlert = (device: TestDevice, change: string) => (event: SeenEvent) =>
  event.event === "alert" && event.data["device_id"] === device.id && event.data["change"] === change;

test("raising, hardening and clearing are live events, for those who may see them", async () => {
  const device = await newDevice();
  const admin = await listen(busbar.url, busbar.adminToken, { query: "?kind.in=alert" });
  const reader = await listen(busbar.url, await busbar.token({}), { query: "?kind.in=alert" });
  const stranger = await listen(busbar.url, await busbar.token({ site_ids: [otherSite] }));
  const [now, raised] = [Date.now() / 1000, Math.floor(Date.now() / 1000) - 3600];
  await device.send({ timestamp: raised, alerts: ["overheat"], vendor_alerts: ["secret"] });
  expect((await admin.next(isAlert(device, "raised"))).data).toMatchObject({
    site_id: site,
    device_id: device.id,
    change: "raised",
    at: new Date(raised * 1000).toISOString(),
    alert: { id: "overheat", state: "SOFT", display_name: "Too hot" },
  });
  expect((await admin.next(isAlert(device, "raised"))).data).toMatchObject({ alert: { id: "secret" } });
  expect((await admin.next(isAlert(device, "hardened"))).data).toMatchObject({
    at: new Date((raised + 3600) * 1000).toISOString(),
    alert: { id: "overheat", state: "HARD" },
  });
  await device.send({ timestamp: now, alerts: [], vendor_alerts: [] });
  expect((await reader.next(isAlert(device, "cleared"))).data).toMatchObject({
    alert: { id: "overheat", state: "HARD" },
  });
  expect(reader.seen.map(({ data }) => data["change"])).toEqual(["raised", "hardened", "cleared"]);
  expect(stranger.seen).toEqual([]);
});

test("alerts survive a restart, and so does what is older than they are", async () => {
  const device = await newDevice();
  const now = Date.now() / 1000;
  await device.send({ timestamp: now - 20, alerts: ["door", "overheat"] });
  await device.send({ timestamp: now - 15, alerts: ["overheat"] });
  await device.send({ timestamp: now - 1, alerts: ["overheat"] });
  const before = [await ofDevice(device.id), await ofDevice(device.id, "?active=false")];
  await device.mqtt.close();
  await busbar.restart();
  expect([await ofDevice(device.id), await ofDevice(device.id, "?active=false")]).toEqual(before);
  const again = await connect(device.id);
  await again.sendTelemetry({ timestamp: now - 5, alerts: ["door"] });
  expect([await ofDevice(device.id), await ofDevice(device.id, "?active=false")]).toEqual(before);
  await again.sendTelemetry({ timestamp: now, alerts: [] });
  expect(shown(await ofDevice(device.id, "?active=false"))).toEqual(["door HARD", "overheat SOFT"]);
});

test("with another blueprint the alerts of attributes that it lacks end", async () => {
  const device = await newDevice();
  await device.send({ alerts: ["door"], bms: ["cell"] });
  const made = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", {
    bytes: manifest("Without cells"),
  });
  await busbar.admin.post(`/v3/devices/${device.id}/assign_blueprint`, { blueprint_id: made.body.blueprint.id });
  expect(await ofDevice(device.id)).toMatchObject([{ id: "door", display_name: "Door open" }]);
  expect(shown(await ofDevice(device.id, "?active=false"))).toEqual(["cell HARD"]);
});

test("the alerts of a device go with it", async () => {
  const device = await newDevice();
  await device.send({ alerts: ["door"] });
  const count = async () => (await list(`/v3/sites/${site}/alerts?limit=0`)).total_count;
  const before = await count();
  await device.mqtt.close();
  await busbar.admin.delete(`/v3/devices/${device.id}`);
  expect(await count()).toBe(before - 1);
});

test("a list that is too long or no list is left out and reported in the device's log", async () => {
  const device = await newDevice();
  await device.send({ alerts: ["door"] });
  await device.send({ alerts: Array(1001).fill("x") });
  await device.send({ alerts: "door" });
  expect(shown(await ofDevice(device.id))).toEqual(["door HARD"]);
  const { body } = await busbar.admin.get<Page<"logs", { message: string }>>(`/v3/devices/${device.id}/logs`);
  expect(body.logs.map(({ message }) => message)).toEqual([
    expect.stringContaining("at most 1000 alerts"),
    expect.stringContaining("a list of alert ids"),
  ]);
});
