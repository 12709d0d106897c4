// Sites, devices, blueprints, tokens and events, beyond the interface itself.
import { expect } from "vitest";
import { unpackPackage } from "#service/blueprint/unpack-package.ts";
import { check } from "../support/check.ts";
import { listen } from "../support/listen.ts";
import { patiently } from "../support/patiently.ts";
import { useSite } from "../support/use-site.ts";
import { manifestWith, packageOf, validator } from "../support/validate.ts";
import { openSocket } from "../support/web-socket.ts";
import { luaManifest } from "./lua.ts";

const site = useSite(["--mqtt-tls-port", "0"]);
const { busbar } = site;
const { verdict } = validator(busbar);
const { admin } = busbar;

const DEVICE = manifestWith(`properties: {model: {type: string, display_name: M}}
telemetry: {power: {type: float, display_name: P}, tags: {type: array_of_strings, display_name: T}}
alerts: {hot: {severity: warning, display_name: Hot}}
command_groups: {g: {display_name: G}}
commands: {run: {group: g, display_name: Run}}
configuration: {net: {display_name: N, parameters: {host: {type: string, display_name: H}}}}`);

interface SiteFields {
  readonly id: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

check("resources.sites", async () => {
  const made = (await admin.post<{ site: SiteFields }>("/v3/sites", { name: "One", timezone: "Europe/Berlin" })).body
    .site;
  const path = `/v3/sites/${made.id}`;
  expect((await admin.get<{ site: SiteFields }>(path)).body.site.name).toBe("One");
  expect((await admin.patch<{ site: SiteFields }>(path, { name: "Two" })).body.site.name).toBe("Two");
  const listed = await admin.get<{ sites: readonly SiteFields[] }>("/v3/sites?limit=1000");
  expect(listed.body.sites.find(({ id }) => id === made.id)?.name).toBe("Two");
  expect((await admin.delete(path)).status).toBe(200);
  expect((await admin.get(path)).status).toBe(404);
});

check("resources.site-fields", async () => {
  const location = { name: "Hamburg", latitude: 53.55, longitude: 9.99 };
  const wanted = { name: "Fields", timezone: "Europe/Berlin", location };
  const { body } = await admin.post<{ site: SiteFields }>("/v3/sites", wanted);
  expect(body.site).toMatchObject({ id: expect.any(String), ...wanted, version: "V3", authorized_role: "SYSTEM" });
  const bare = await admin.post<{ site: SiteFields }>("/v3/sites", { name: "Bare" });
  expect(bare.body.site).toMatchObject({ timezone: "UTC" });
  expect(bare.body.site).not.toHaveProperty("location");
});

check("resources.devices-lists", async () => {
  const siteId = await site.newSite();
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.push((await site.device(DEVICE, { site_id: siteId })).id);
  interface Page {
    readonly devices: readonly { readonly id: string }[];
    readonly total_count: number;
  }
  const list = async (path: string) => {
    const { devices, total_count } = (await admin.get<Page>(path)).body;
    return { ids: devices.map(({ id }) => id), total_count };
  };
  const all = await list(`/v3/sites/${siteId}/devices`);
  expect(all.ids).toEqual(expect.arrayContaining(ids));
  expect(await list(`/v3/sites/${siteId}/devices?limit=1&offset=1`)).toEqual({
    ids: [all.ids[1]],
    total_count: all.total_count,
  });
  expect((await list("/v3/devices?limit=1000")).ids).toEqual(expect.arrayContaining(ids));
});

check("resources.devices-expand", async () => {
  const device = await site.device(DEVICE);
  const mqtt = await device.connect();
  await mqtt.sendProperties({ model: "X" });
  await mqtt.sendTelemetry({ alerts: ["hot"] });
  const plain = await device.read();
  const words = ["manifest", "properties", "connectivity", "communication", "raised_alert_names"];
  for (const word of words) expect(plain).not.toHaveProperty(word);
  const full = await device.read(words.join());
  expect(full).toMatchObject({
    manifest: { display_name: "Checked" },
    properties: { model: "X" },
    connectivity: { status: "ONLINE" },
    raised_alert_names: ["hot"],
  });
  expect(full).toHaveProperty("communication");
  const { body } = await admin.get<{ devices: readonly object[] }>(
    `/v3/sites/${site.siteId}/devices?limit=1000&expand=${words}`,
  );
  expect(body.devices).toContainEqual(expect.objectContaining({ id: device.id, raised_alert_names: ["hot"] }));
  expect((await admin.get(`${device.path}?expand=everything`)).status).toBe(400);
});

check("resources.device-changes", async () => {
  const { path } = await site.device(DEVICE);
  expect((await admin.get(path)).status).toBe(200);
  const changed = await admin.patch<{ device: object }>(path, { name: "Renamed", slug: "renamed" });
  expect(changed.body.device).toMatchObject({ name: "Renamed", slug: "renamed" });
  expect((await admin.delete(path)).status).toBe(200);
  expect((await admin.get(path)).status).toBe(404);
});

check("resources.device-manifest", async () => {
  const { path } = await site.device(DEVICE);
  const { body } = await admin.get<{ manifest: object }>(`${path}/manifest`);
  expect(body.manifest).toMatchObject({ display_name: "Checked", commands: { run: { group: "g" } } });
});

check("resources.assign-blueprint", async () => {
  const device = await site.device();
  expect((await device.create({ name: "run" })).status).toBe(404);
  const blueprint_id = await site.blueprint(DEVICE);
  const { status, body } = await admin.post<{ device: object }>(`${device.path}/assign_blueprint`, { blueprint_id });
  expect([status, body.device]).toMatchObject([200, { id: device.id, blueprint_id }]);
  expect((await device.create({ name: "run" })).status).toBe(200);
});

check("resources.generate-config", async () => {
  const device = await site.device(DEVICE);
  for (const protocol of ["MQTT", "MQTTS"] as const) {
    const config = await device.config(protocol);
    expect(config).toMatchObject({
      mqtt_host: "127.0.0.1",
      mqtt_port: expect.any(Number),
      mqtt_protocol: protocol,
      hardware_id: expect.any(String),
      channel_id: expect.any(String),
      time_sync_protocol: expect.any(String),
      time_sync_host: expect.any(String),
      time_sync_port: expect.any(Number),
    });
    const keys = protocol === "MQTT" ? ["password", "username"] : ["ca_chain", "certificate", "private_key"];
    expect(Object.keys(config.mqtt_credentials).sort()).toEqual(keys);
  }
});

interface LogLine {
  readonly received_at: string;
  readonly timestamp: string;
  readonly severity: string;
  readonly message: string;
}

/** A device that has written these lines, by their severities. */
async function logging(...severities: readonly string[]) {
  const device = await site.device(DEVICE);
  const mqtt = await device.connect();
  for (const severity of severities) {
    await mqtt.log(severity, { severity });
    site.advance(1_000);
  }
  const lines = async (query = "") =>
    (await admin.get<{ logs: readonly LogLine[] }>(`${device.path}/logs${query}`)).body.logs;
  return { ...device, mqtt, lines, messages: async (query = "") => (await lines(query)).map(({ message }) => message) };
}

check("resources.device-logs", async () => {
  const { lines } = await logging("info", "error");
  expect(await lines()).toMatchObject([
    { message: "info", severity: "info" },
    { message: "error", severity: "error" },
  ]);
});

check("resources.log-times", async () => {
  const { mqtt, lines } = await logging();
  await mqtt.log("exact", { timestamp: 1_700_000_000.25 });
  const [line] = await lines();
  expect(line?.received_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/);
  expect(line?.timestamp).toBe("2023-11-14T22:13:20.250Z");
});

check("resources.log-filters", async () => {
  const { lines, messages } = await logging("debug", "info", "warning");
  const second = (await lines())[1]?.received_at ?? "";
  expect(await messages("?order=RECEIVED_AT_DESC")).toEqual(["warning", "info", "debug"]);
  expect(await messages("?severity=warning")).toEqual(["warning"]);
  expect(await messages(`?received_at_from=${second}`)).toEqual(["info", "warning"]);
  const third = (await lines())[2]?.received_at ?? "";
  expect((await messages(`?received_at_to=${third}`)).slice(0, 2)).toEqual(["debug", "info"]);
  expect(await messages("?limit=1&offset=1")).toEqual(["info"]);
});

const TOKEN = () => ({ "X-Service-Auth-Token": busbar.adminToken });

check("resources.log-socket", async () => {
  const { path, mqtt, lines } = await logging("info");
  const live = await openSocket(`${busbar.url}${path}/logs`, TOKEN());
  await mqtt.log("live", { severity: "warning" });
  const entry = await live.next();
  expect(entry).toMatchObject({ message: "live", severity: "warning" });
  expect((await lines()).at(-1)).toEqual(entry);
});

check("resources.telemetry-socket", async () => {
  const device = await site.device(DEVICE);
  const mqtt = await device.connect();
  await mqtt.sendTelemetry({ timestamp: 1, power: 1 });
  const { text } = await admin.get(`${device.path}/telemetry`);
  expect(text).toContain('"power":{"value":1,"timestamp":1}');
  const live = await openSocket(`${busbar.url}${device.path}/telemetry`, TOKEN());
  await mqtt.sendTelemetry({ timestamp: 2, power: 2, tags: ["a"] });
  expect(await live.next()).toMatchObject({ telemetry: { power: { value: 2, timestamp: 2 }, tags: { value: ["a"] } } });
});

check("resources.device-configuration", async () => {
  const { path } = await site.device(DEVICE);
  const put = (rest: string, json: object) => admin.call("PUT", `${path}/configuration${rest}`, { json });
  expect((await put("/net", { host: "a" })).body).toEqual({ bucket: "net", values: { host: "a" } });
  expect((await admin.get(`${path}/configuration/net`)).body).toEqual({ bucket: "net", values: { host: "a" } });
  expect((await put("", { net: { host: "b" } })).status).toBe(200);
  expect((await admin.get(`${path}/configuration`)).body).toEqual({ configuration: { net: { host: "b" } } });
});

check("resources.device-properties", async () => {
  const device = await site.device(DEVICE);
  await (await device.connect()).sendProperties({ model: "X-1" });
  expect((await admin.get(`${device.path}/properties`)).body).toEqual({ properties: { model: "X-1" } });
});

check("resources.device-alerts", async () => {
  const device = await site.device(DEVICE);
  await (await device.connect()).sendTelemetry({ alerts: ["hot"] });
  expect((await admin.get(`${device.path}/alerts`)).body).toMatchObject({ alerts: [{ id: "hot" }], total_count: 1 });
});

check("resources.device-fields", async () => {
  const device = await site.device(DEVICE, { slug: "all-fields", name: "All fields" });
  expect(await device.read()).toEqual({
    id: device.id,
    name: "All fields",
    slug: "all-fields",
    site_id: site.siteId,
    blueprint_id: await site.blueprint(DEVICE),
    type: "STANDALONE",
    parent_id: null,
    child_type: null,
    authorized_role: "SYSTEM",
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
});

check("resources.provision-standalone", async () => {
  const blueprint_id = await site.blueprint(DEVICE);
  const wanted = { name: "Alone", site_id: site.siteId, slug: "alone", blueprint_id };
  const made = await admin.post<{ device_id: string }>("/v3/provisioning/standalone", wanted);
  expect(Object.keys(made.body)).toEqual(["device_id"]);
  expect(await site.deviceAt(made.body.device_id).read()).toMatchObject({ ...wanted, type: "STANDALONE" });
  const bare = await admin.post("/v3/provisioning/standalone", { name: "Bare", site_id: site.siteId });
  expect(bare.status).toBe(200);
});

/** The devices of type GATEWAY of a site. */
const gatewaysOf = async (siteId: string) =>
  (
    await admin.get<{ devices: readonly { readonly id: string; readonly connectivity: object }[] }>(
      `/v3/sites/${siteId}/devices?type.in=GATEWAY&expand=connectivity`,
    )
  ).body.devices;

check("resources.gateway-device", async () => {
  const siteId = await site.newSite();
  const [gateway, ...others] = await gatewaysOf(siteId);
  expect([gateway?.connectivity, others]).toEqual([{ status: "ONLINE" }, []]);
  // It is the gateway itself: it cannot be deleted alone, and goes with its site.
  expect((await admin.delete(`/v3/devices/${gateway?.id}`)).status).toBe(409);
  expect((await admin.delete(`/v3/sites/${siteId}`)).status).toBe(200);
  expect((await admin.get(`/v3/devices/${gateway?.id}`)).status).toBe(404);
});

check("resources.provision-lua", async () => {
  const bytes = packageOf({ "manifest.yml": luaManifest("file: main.lua"), "main.lua": "enapter.log('runs')" });
  const blueprint_id = await site.blueprint(bytes);
  const [gateway] = await gatewaysOf(site.siteId);
  for (const place of [
    { site_id: site.siteId, slug: "by-site" },
    { runtime_id: gateway?.id, slug: "by-runtime" },
  ]) {
    const wanted = { name: "Script", blueprint_id, ...place };
    const made = await admin.post<{ device_id: string }>("/v3/provisioning/lua_device", wanted);
    expect([made.status, Object.keys(made.body)]).toEqual([200, ["device_id"]]);
    const device = site.deviceAt(made.body.device_id);
    expect(await device.read()).toMatchObject({ type: "LUA", site_id: site.siteId, blueprint_id, slug: place.slug });
    await expect.poll(() => device.logs()).toEqual(["runs"]);
  }
});

check("resources.blueprint-validate", async () => {
  const { validation_errors, diagnostics } = await verdict(manifestWith("category: none"));
  expect(validation_errors).toEqual([expect.any(String)]);
  expect(diagnostics).toMatchObject([
    { severity: "error", code: "unknown_value", message: expect.any(String), path: "/category", line: 4, column: 11 },
  ]);
  expect(await verdict(manifestWith())).toEqual({ validation_errors: [], diagnostics: [] });
});

const upload = (bytes: string | Uint8Array) =>
  patiently(() =>
    admin.call<{ blueprint: { id: string; created_at: string } }>("POST", "/v3/blueprints/upload", { bytes }),
  );

check("resources.blueprint-upload", async () => {
  const json = { blueprint_spec: "device/3.0", display_name: "JSON", runtime: { type: "embedded" } };
  const zip = packageOf({ "manifest.yml": luaManifest("file: main.lua"), "main.lua": "-- nothing" });
  for (const bytes of [manifestWith("description: YAML"), JSON.stringify(json), zip]) {
    const { status, body } = await upload(bytes);
    expect([status, body.blueprint]).toMatchObject([200, { id: expect.any(String), created_at: expect.any(String) }]);
  }
  const below = packageOf({ "folder/manifest.yml": manifestWith() });
  expect((await upload(below)).status).toBe(400);
});

check("resources.blueprint-reads", async () => {
  const zip = packageOf({ "manifest.yml": luaManifest("file: main.lua"), "main.lua": "-- to read" });
  const { id } = (await upload(zip)).body.blueprint;
  expect((await admin.get("/v3/blueprints?limit=1000")).text).toContain(id);
  expect((await admin.get<{ blueprint: object }>(`/v3/blueprints/${id}`)).body.blueprint).toMatchObject({ id });
  const headers = { "X-Service-Auth-Token": busbar.adminToken };
  const download = await fetch(`${busbar.url}/v3/blueprints/${id}/zip`, { headers });
  const { package: content } = unpackPackage(new Uint8Array(await download.arrayBuffer()));
  expect(content?.manifest).toBe(luaManifest("file: main.lua"));
});

interface Made {
  readonly id: string;
  readonly token: string;
}

check("resources.tokens-made", async () => {
  const { body } = await admin.post<Made>("/v3/tokens", { name: "everywhere", level: "user" });
  expect(body).toEqual({ id: expect.any(String), token: expect.stringMatching(/^bb_/) });
  const { text } = await busbar.as(body.token).get("/v3/sites?limit=1000");
  expect(text).toContain(site.siteId);
  const here = await busbar.token({ site_ids: [await site.newSite()], expires_in: "1h" });
  expect((await busbar.as(here).get("/v3/sites")).text).not.toContain(site.siteId);
});

check("resources.tokens-listed", async () => {
  const { id, token } = (await admin.post<Made>("/v3/tokens", { name: "listed", level: "user" })).body;
  expect((await admin.get("/v3/tokens?limit=1000")).text).toContain(id);
  expect((await admin.delete(`/v3/tokens/${id}`)).status).toBe(200);
  expect((await busbar.as(token).get("/v3/sites")).status).toBe(401);
});

check("resources.tokens-at-most-own", async () => {
  const owner = await site.user("owner", { site_ids: [site.siteId] });
  const grant = (fields: object) =>
    owner.post("/v3/tokens", { name: "t", level: "user", site_ids: [site.siteId], ...fields });
  expect((await grant({})).status).toBe(200);
  expect((await grant({ level: "owner" })).status).toBe(200);
  expect((await grant({ level: "installer" })).status).toBe(403);
  expect((await grant({ site_ids: undefined })).status).toBe(403);
  expect([403, 404]).toContain((await grant({ site_ids: [await site.newSite()] })).status);
});

check("resources.without-token", async () => {
  const paths = ["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs", "/schemas/device-3.0.json"];
  for (const path of paths) expect((await busbar.anonymous.get(path)).status, path).toBe(200);
  const bytes = manifestWith();
  expect((await busbar.anonymous.call("POST", "/v3/blueprints/validate", { bytes })).status).toBe(200);
  expect((await busbar.anonymous.call("POST", "/v3/blueprints/upload", { bytes })).status).toBe(401);
});

check("resources.events-kinds", async () => {
  const events = await listen(busbar.url, busbar.adminToken);
  expect([events.status, events.contentType]).toEqual([200, "text/event-stream"]);
  const device = await site.device(DEVICE);
  const mqtt = await device.connect();
  await mqtt.sendTelemetry({ power: 1, alerts: ["hot"] });
  mqtt.onCommand((command) => command.completed());
  const { body } = await device.execute({ name: "run" });
  const of = (kind: string) => events.next(({ event, data }) => event === kind && data.device_id === device.id);
  expect((await of("connectivity")).data.connectivity?.status).toBe("ONLINE");
  expect(JSON.stringify((await of("telemetry")).data)).toContain('"power"');
  expect(JSON.stringify((await of("alert")).data)).toContain('"hot"');
  expect((await of("execution")).data.execution?.id).toBe(body.execution.id);
});

check("resources.events-filter", async () => {
  const elsewhere = await site.newSite();
  const [one, two, far] = [
    await site.device(DEVICE),
    await site.device(DEVICE),
    await site.device(DEVICE, { site_id: elsewhere }),
  ];
  const byDevice = await listen(busbar.url, busbar.adminToken, { query: `?kind.in=execution&device_id.in=${two.id}` });
  const bySite = await listen(busbar.url, busbar.adminToken, { query: `?kind.in=execution&site_id.in=${elsewhere}` });
  for (const device of [one, far, two, far]) await device.started({ name: "run" });
  await byDevice.next(() => true);
  await bySite.next(() => true);
  await bySite.next(() => true);
  expect(byDevice.seen.map(({ data }) => data.device_id)).toEqual([two.id]);
  expect(bySite.seen.map(({ data }) => data.device_id)).toEqual([far.id, far.id]);
});

check("resources.events-resume", async () => {
  const device = await site.device(DEVICE);
  const query = `?kind.in=execution&device_id.in=${device.id}`;
  const events = await listen(busbar.url, busbar.adminToken, { query });
  await device.started({ name: "run" });
  const { id } = await events.next(() => true);
  events.close();
  const missed = await device.started({ name: "run" });
  const again = await listen(busbar.url, busbar.adminToken, { query, lastEventId: id });
  expect((await again.next(() => true)).data.execution?.id).toBe(missed);
});

check("resources.path-execute-command", async () => {
  const device = await site.device(DEVICE);
  const mqtt = await device.connect();
  mqtt.onCommand((command) => command.completed({ ok: true }));
  const { body } = await admin.post(`${device.path}/execute_command`, { name: "run" });
  expect(body).toMatchObject({ execution: { state: "SUCCESS", response: { payload: { ok: true } } } });
});

check("resources.path-command-executions", async () => {
  const { path, get } = await site.device(DEVICE);
  const made = await admin.post<{ execution_id: string }>(`${path}/command_executions`, { name: "run" });
  const read = await admin.get(`${path}/command_executions/${made.body.execution_id}`);
  expect(read.body).toEqual((await get(made.body.execution_id)).body);
  expect((await admin.get(`${path}/command_executions`)).body).toMatchObject({ total_count: 1 });
});

check("resources.path-latest", async () => {
  const device = await site.device(DEVICE);
  await (await device.connect()).sendTelemetry({ power: 1.5, tags: ["a"] });
  const { body } = await admin.get(`/v3/telemetry/latest?devices[${device.id}]=power,tags`);
  const at = { timestamp: expect.any(Number) };
  expect(body).toEqual({ telemetry: { [device.id]: { power: { value: 1.5, ...at }, tags: { value: ["a"], ...at } } } });
});

check("resources.path-query-timeseries", async () => {
  const device = await site.device(DEVICE);
  await (await device.connect()).sendTelemetry({ timestamp: 60, power: 1.5 });
  const body = {
    from: 0,
    to: 120,
    granularity: "1m",
    aggregation: "last",
    telemetry: [{ device: device.id, attribute: "power" }],
  };
  const answers = ["/v3/telemetry/query_timeseries", "/telemetry/v1/timeseries"].map((path) => admin.post(path, body));
  const [alias, original] = await Promise.all(answers);
  expect([alias?.status, alias?.text]).toEqual([200, original?.text]);
});
