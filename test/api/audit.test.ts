import { afterEach, beforeAll, expect, test, vi } from "vitest";
import type { Page } from "#client/page.ts";
import type { AuditEntry, Site } from "#client/resources.ts";
import { manifest } from "../support/blueprints.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

type Entries = Page<"entries", AuditEntry>;
let site: string;
let other: string;
const secrets: string[] = [];

const list = async (query = "") => (await busbar.admin.get<Entries>(`/v3/audit?${query}`)).body.entries;
/** Without the gateway's own devices, which come and go with their sites. */
const withoutGateways = (entries: readonly AuditEntry[]) =>
  entries.filter((entry) => entry.details["type"] !== "GATEWAY");
const latest = async (query = "") => (await list(`limit=1&${query}`))[0];

beforeAll(async () => {
  const newSite = async (name: string) => (await busbar.admin.post<{ site: Site }>("/v3/sites", { name })).body.site.id;
  [site, other] = [await newSite("Watched"), await newSite("Else")];
});

/** A blueprint with attributes that not everybody may read. */
async function levelled(): Promise<string> {
  const bytes = `blueprint_spec: device/3.0
display_name: Levelled
runtime: {type: embedded}
telemetry:
  open: {type: float, display_name: Open}
  secret: {type: float, display_name: Secret, access_level: vendor}
  hidden: {type: float, display_name: Hidden, access_level: vendor}
`;
  const upload = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes });
  return upload.body.blueprint.id;
}

afterEach(() => {
  vi.useRealTimers();
});

test("every kind of change writes one entry that says who, what, when and from where", async () => {
  const began = Date.now();
  const before = (await busbar.admin.get<Entries>("/v3/audit?limit=0")).body.total_count;
  const call = async <Body>(method: string, path: string, json?: unknown) =>
    (await busbar.admin.call<Body>(method, path, { json, headers: { "X-Request-Id": "audit-run" } })).body;
  const made = await call<{ site: Site }>("POST", "/v3/sites", { name: "Brief" });
  await call("PATCH", `/v3/sites/${made.site.id}`, { name: "Briefer" });
  await call("DELETE", `/v3/sites/${made.site.id}`);
  const { device_id } = await call<{ device_id: string }>("POST", "/v3/provisioning/standalone", {
    name: "D",
    site_id: site,
  });
  await call("PATCH", `/v3/devices/${device_id}`, { name: "E" });
  const { config } = await call<{ config: { mqtt_credentials: { password: string } } }>(
    "POST",
    `/v3/devices/${device_id}/generate_config`,
    { protocol: "MQTT" },
  );
  const upload = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", {
    bytes: manifest("Audited"),
    headers: { "X-Request-Id": "audit-run" },
  });
  await call("POST", `/v3/devices/${device_id}/assign_blueprint`, { blueprint_id: upload.body.blueprint.id });
  await call("DELETE", `/v3/devices/${device_id}`);
  const token = await call<{ id: string; token: string }>("POST", "/v3/tokens", {
    name: "t",
    level: "user",
    site_ids: [site],
  });
  await call("DELETE", `/v3/tokens/${token.id}`);
  secrets.push(config.mqtt_credentials.password, token.token);

  const after = (await busbar.admin.get<Entries>("/v3/audit?limit=0")).body.total_count;
  const noted = (await list("limit=100&order=at_asc")).filter((entry) => entry.request_id === "audit-run");
  const entries = withoutGateways(noted);
  expect(entries.map((entry) => entry.action)).toEqual([
    "createSite",
    "updateSite",
    "deleteSite",
    "provisionStandalone",
    "updateDevice",
    "generateConfig",
    "uploadBlueprint",
    "assignBlueprint",
    "deleteDevice",
    "createToken",
    "revokeToken",
  ]);
  expect(after - before).toBe(noted.length);
  for (const entry of entries) {
    expect(entry).toMatchObject({ actor: { name: "admin" }, outcome: "OK", remote_address: "127.0.0.1" });
    expect(Date.parse(entry.at)).toBeGreaterThanOrEqual(began);
    expect(Date.parse(entry.at)).toBeLessThanOrEqual(Date.now());
  }
  expect(entries[3]?.target).toEqual({ site_id: site, device_id });
  expect(entries[10]?.target).toEqual({ site_id: site, token_id: token.id });
});

test("a refused change writes no entry of a change", async () => {
  const count = async () => (await list("action.in=createSite,deleteSite&outcome.in=OK&limit=1000")).length;
  const before = await count();
  expect(before).toBeGreaterThan(0);
  await busbar.admin.post("/v3/sites", { name: "" });
  await busbar.admin.delete("/v3/sites/unknown");
  expect(await count()).toBe(before);
});

test("every 401 is in the log, without the token that was tried", async () => {
  await busbar.as("try-this-secret-token").get(`/v3/sites/${site}`, { headers: { "X-Request-Id": "refused-401" } });
  expect(await latest("outcome.in=refused")).toMatchObject({
    actor: null,
    action: "getSite",
    target: {},
    outcome: "REFUSED",
    code: "unauthorized",
    request_id: "refused-401",
    remote_address: "127.0.0.1",
  });
  expect((await busbar.admin.get("/v3/audit?limit=1000")).text).not.toContain("try-this-secret-token");
});

test("refused calls that repeat are one entry with a count, whatever they name, and no site's own", async () => {
  const before = (await busbar.admin.get<Entries>("/v3/audit?limit=0")).body.total_count;
  const calls = Array.from({ length: 200 }, (_, n) => busbar.anonymous.get(`/v3/devices/device-${n}/manifest`));
  await Promise.all([...calls, ...calls.map(() => busbar.anonymous.patch(`/v3/sites/${site}`, { name: "x" }))]);
  const [patched, got] = await list("outcome.in=refused&limit=2&order=at_desc&action.in=getDeviceManifest,updateSite");
  expect([patched?.count, got?.count].toSorted()).toEqual([200, 200]);
  expect([patched?.target, got?.target]).toEqual([{}, {}]);
  expect(Date.parse(got?.last_at ?? "")).toBeGreaterThanOrEqual(Date.parse(got?.at ?? ""));
  expect((await busbar.admin.get<Entries>("/v3/audit?limit=0")).body.total_count - before).toBe(2);
  const owner = busbar.as(await busbar.token({ name: "site owner", level: "owner", site_ids: [site] }));
  expect((await owner.get<Entries>("/v3/audit?outcome.in=refused")).body.entries).toEqual([]);
});

test("a caller that names a site which it does not see leaves nothing in that site's log", async () => {
  const stranger = busbar.as(await busbar.token({ name: "stranger", site_ids: [other] }));
  await stranger.patch(`/v3/sites/${site}`, { name: "x" });
  expect(await latest("outcome.in=refused")).toMatchObject({ actor: { name: "stranger" }, target: {} });
});

test("every 403 is in the log with the token's name: level too low, sites too few, grant too high", async () => {
  const readonly = busbar.as(await busbar.token({ name: "reader" }));
  await readonly.patch(`/v3/sites/${site}`, { name: "Mine now" });
  expect(await latest()).toMatchObject({ actor: { name: "reader" }, action: "updateSite", code: "forbidden" });
  const limited = busbar.as(await busbar.token({ name: "installer of one", level: "installer", site_ids: [site] }));
  await limited.post("/v3/sites", { name: "Another" });
  expect(await latest()).toMatchObject({
    actor: { name: "installer of one" },
    action: "createSite",
    code: "forbidden",
  });
  const owner = busbar.as(await busbar.token({ name: "climber", level: "owner" }));
  await owner.post("/v3/tokens", { name: "up", level: "vendor" });
  expect(await latest()).toMatchObject({ actor: { name: "climber" }, action: "createToken", code: "forbidden" });
});

test("a refused call on something that the token does not see is in the log, and not in that site's own", async () => {
  const hidden = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", {
    name: "Hidden",
    site_id: other,
    blueprint_id: await levelled(),
  });
  const { device_id } = hidden.body;
  const limited = busbar.as(await busbar.token({ name: "one site", level: "installer", site_ids: [site] }));
  const calls: readonly (readonly [string, () => Promise<{ readonly status: number }>])[] = [
    ["getDevice", () => limited.get(`/v3/devices/${device_id}`)],
    ["getSite", () => limited.get(`/v3/sites/${other}`)],
    ["executeCommand", () => limited.post(`/v3/devices/${device_id}/commands/execute`, { name: "x" })],
    ["listSiteCommandExecutions", () => limited.get(`/v3/sites/${other}/commands/executions`)],
    [
      "getTimeseries",
      () =>
        limited.post("/telemetry/v1/timeseries", {
          from: 0,
          to: 60,
          granularity: "1s",
          aggregation: "auto",
          telemetry: [{ device: device_id, attribute: "a" }],
        }),
    ],
  ];
  for (const [action, call] of calls) {
    expect((await call()).status).toBe(404);
    const entry = await latest(`outcome.in=refused&action.in=${action}`);
    expect(entry).toMatchObject({ actor: { name: "one site" }, action, count: 1 });
    expect(entry?.target).not.toHaveProperty("site_id");
  }
  // For a token of all sites nothing is hidden: what it does not find does not exist.
  const before = (await list("outcome.in=refused&limit=1000")).length;
  expect((await busbar.admin.get("/v3/devices/nobody")).status).toBe(404);
  expect(await list("outcome.in=refused&limit=1000")).toHaveLength(before);
});

test("refused items of current telemetry are in the log, whatever else the call got", async () => {
  const make = async (name: string, site_id: string) =>
    (
      await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", {
        name,
        site_id,
        blueprint_id: await levelled(),
      })
    ).body.device_id;
  const [seen, hidden] = [await make("Seen", site), await make("Unseen", other)];
  const reader = busbar.as(await busbar.token({ name: "now reader", site_ids: [site] }));
  const query = `devices[${seen}]=open,secret,hidden&devices[${hidden}]=open`;
  for (const path of ["/telemetry/v1/now", "/v3/telemetry/latest"]) {
    expect((await reader.get(`${path}?${query}`)).status).toBe(200);
  }
  const entries = await list("outcome.in=refused&limit=4");
  expect(entries.map(({ action, code, target }) => `${action} ${code} ${target["device_id"]}`).toSorted()).toEqual(
    ["getCurrentTelemetry", "getLatestTelemetry"].flatMap((action) =>
      [`${action} device_not_found ${hidden}`, `${action} forbidden ${seen}`].toSorted(),
    ),
  );
  for (const { actor, target, code } of entries) {
    expect([actor?.name, target["site_id"]]).toEqual(["now reader", code === "forbidden" ? site : undefined]);
  }
});

test("no secret is in the log, in the audit log or in the answers about them", async () => {
  const audit = (await busbar.admin.get("/v3/audit?limit=1000")).text;
  expect(secrets).toHaveLength(2);
  for (const secret of [...secrets, busbar.adminToken]) {
    expect(audit).not.toContain(secret);
    expect(busbar.log).not.toContain(secret);
  }
});

test("entries are newest first unless asked otherwise, and paged", async () => {
  const all = await list("limit=1000");
  const times = all.map((entry) => entry.at);
  expect(times).toEqual([...times].sort().reverse());
  expect((await list("limit=1000&order=AT_ASC")).map((entry) => entry.id)).toEqual(
    all.map((entry) => entry.id).reverse(),
  );
  expect((await list("limit=2&offset=1")).map((entry) => entry.id)).toEqual(all.slice(1, 3).map((entry) => entry.id));
});

test("at.gte is inclusive, at.lt exclusive, and both take any offset", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2030-01-01T12:00:00.000Z") });
  await busbar.admin.post("/v3/sites", { name: "Future" });
  vi.setSystemTime(Date.parse("2030-01-01T12:00:01.000Z"));
  await busbar.admin.post("/v3/sites", { name: "Later" });
  vi.useRealTimers();
  const count = async (from: string, to: string) =>
    withoutGateways(await list(`at.gte=${encodeURIComponent(from)}&at.lt=${encodeURIComponent(to)}`)).length;
  expect(await count("2030-01-01T12:00:00Z", "2030-01-01T12:00:01Z")).toBe(1);
  expect(await count("2030-01-01T13:00:00+01:00", "2030-01-01T13:00:01.001+01:00")).toBe(2);
  expect(await count("2030-01-01T12:00:00.001Z", "2030-01-01T12:00:01Z")).toBe(0);
});

test.each(["at.gte=yesterday", "at.lt=1700000000", "outcome.in=FINE", "order=newest"])(
  "%s is refused",
  async (query) => {
    expect((await busbar.admin.get(`/v3/audit?${query}`)).errors[0]?.code).toBe("invalid_query");
  },
);

test("a token for some sites reads the entries about them and its own, and no others", async () => {
  const text = await busbar.token({ name: "watcher", level: "owner", site_ids: [site] });
  const session = busbar.as(text);
  await busbar.admin.post("/v3/provisioning/standalone", { name: "Elsewhere", site_id: other });
  await busbar.admin.post("/v3/provisioning/standalone", { name: "Here", site_id: site });
  await session.post("/v3/sites", { name: "Refused" });
  const { entries, total_count } = (await session.get<Entries>("/v3/audit?limit=1000")).body;
  expect(entries).toHaveLength(total_count);
  expect(entries[0]).toMatchObject({ actor: { name: "watcher" }, action: "createSite" });
  expect(entries.some((entry) => entry.details["name"] === "Here")).toBe(true);
  for (const entry of entries) {
    expect(entry.target["site_id"] === site || entry.actor?.name === "watcher").toBe(true);
  }
  expect((await session.get<Entries>(`/v3/audit?site_id.in=${other}`)).body).toEqual({ entries: [], total_count: 0 });
});

test("with a trusted proxy the address of the client is noted, without one that of the connection", async () => {
  await busbar.as("x").get("/v3/sites", { headers: { "X-Forwarded-For": "203.0.113.9" } });
  expect((await latest())?.remote_address).toBe("127.0.0.1");
});

test("entries about a device are found by its id or slug, also when it is gone, and only by who may see them", async () => {
  const make = async (name: string, siteId: string, slug: string) => {
    const { body } = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", {
      name,
      slug,
      site_id: siteId,
    });
    await busbar.admin.patch(`/v3/devices/${body.device_id}`, { name: `${name} 2` });
    return body.device_id;
  };
  const here = await make("Audited", site, "audited");
  const there = await make("Far away", other, "far-away");
  const both = ["updateDevice", "provisionStandalone"];
  const found = async (client: typeof busbar.admin, devices: string) =>
    (await client.get<Entries>(`/v3/audit?device_id.in=${devices}&outcome.in=OK`)).body.entries.map(
      ({ action, target }) => [action, target["device_id"]],
    );
  const of = (id: string) => both.map((action) => [action, id]);
  for (const name of [here, "audited"]) expect(await found(busbar.admin, name)).toEqual(of(here));
  expect((await found(busbar.admin, `${here},${there}`)).toSorted()).toEqual([...of(here), ...of(there)].toSorted());
  const owner = busbar.as(await busbar.token({ name: "owner here", level: "owner", site_ids: [site] }));
  expect(await found(owner, `${here},${there},far-away`)).toEqual(of(here));
  for (const name of [there, "far-away", "nobody"]) expect(await found(owner, name)).toEqual([]);
  await busbar.admin.delete(`/v3/devices/${here}`);
  expect(await found(busbar.admin, here)).toEqual([["deleteDevice", here], ...of(here)]);
});
