// Levels, tokens, what they see, and the audit log.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import type { AuditEntry } from "#client/resources.ts";
import { check } from "../support/check.ts";
import type { ExecutionPage } from "../support/command-site.ts";
import { useServer } from "../support/server.ts";
import { ask } from "../support/telemetry.ts";
import { useSite } from "../support/use-site.ts";
import { manifestWith } from "../support/validate.ts";

const site = useSite();
const { busbar } = site;
/** A second service, which found no admin token in its settings. */
const fresh = useServer([], { env: {} });

const LEVELS = ["readonly", "user", "owner", "installer", "vendor", "system"] as const;
const GRANTED = LEVELS.slice(0, -1);
const each = (of: (level: string) => string) => LEVELS.map(of).join("\n");
const LADDER = manifestWith(`telemetry:
${each((level) => `  t_${level}: {type: float, display_name: T, access_level: ${level}}`)}
properties:
${each((level) => `  p_${level}: {type: float, display_name: P, access_level: ${level}}`)}
command_groups: {g: {display_name: G}}
commands:
${each((level) => `  c_${level}: {group: g, display_name: C, access_level: ${level}}`)}
${each((level) => `  r_${level}: {group: g, display_name: R, access_level: readonly, read_access_level: ${level}}`)}
configuration:
${each((level) => `  b_${level}: {display_name: B, access_level: ${level}, parameters: {p: {type: float, display_name: P}}}`)}`);
const SILENT = manifestWith(`telemetry: {t: {type: float, display_name: T}}
properties: {p: {type: float, display_name: P}}
command_groups: {g: {display_name: G}}
commands:
  c: {group: g, display_name: C}
  o: {group: g, display_name: O, access_level: owner}
  pin: {group: g, display_name: P, arguments: {pin: {type: string, display_name: P, sensitive: true}}}
configuration: {b: {display_name: B, parameters: {p: {type: float, display_name: P}}}}`);

const audit = async (query = "") =>
  (await busbar.admin.get<{ entries: readonly AuditEntry[] }>(`/v3/audit?limit=100&${query}`)).body.entries;

check("access.levels-are-ordered", async () => {
  const device = await site.device(LADDER);
  for (const [rank, level] of GRANTED.entries()) {
    const calls = device.as(await site.user(level));
    const allowed = await Promise.all(
      LEVELS.map(async (needed) => (await calls.create({ name: `c_${needed}` })).status),
    );
    expect(allowed, level).toEqual(LEVELS.map((_, needed) => (needed <= rank ? 200 : 403)));
  }
});

check("general.level-property", async () => {
  const device = await site.device(LADDER);
  const mqtt = await device.connect();
  await mqtt.sendProperties(Object.fromEntries(LEVELS.map((level) => [`p_${level}`, 1])));
  for (const [rank, level] of GRANTED.entries()) {
    const { body } = await (await site.user(level)).get<{ properties: object }>(`${device.path}/properties`);
    expect(Object.keys(body.properties).sort(), level).toEqual(
      LEVELS.slice(0, rank + 1)
        .map((one) => `p_${one}`)
        .sort(),
    );
  }
});

check("general.level-telemetry", async () => {
  const device = await site.device(LADDER);
  await (await device.connect()).sendTelemetry(Object.fromEntries(LEVELS.map((level) => [`t_${level}`, 1])));
  const query = `devices[${device.id}]=${LEVELS.map((level) => `t_${level}`).join()}`;
  for (const [rank, level] of GRANTED.entries()) {
    const { body } = await (await site.user(level)).get<{ devices: Record<string, object>; errors: readonly object[] }>(
      `/telemetry/v1/now?${query}`,
    );
    expect(Object.keys(body.devices[device.id] ?? {}), level).toHaveLength(rank + 1);
    expect(body.errors).toHaveLength(LEVELS.length - rank - 1);
  }
});

check("general.level-execute", async () => {
  const device = await site.device(LADDER);
  const mqtt = await device.connect();
  mqtt.onCommand((command) => command.completed());
  const calls = device.as(await site.user("owner"));
  expect((await calls.execute({ name: "c_owner" })).body.execution.state).toBe("SUCCESS");
  const refused = await calls.execute({ name: "c_installer" });
  expect([refused.status, refused.errors[0]?.details]).toMatchObject([403, { needed: "installer" }]);
  expect(mqtt.commands.map(({ name }) => name)).toEqual(["c_owner"]);
});

check("general.level-read-executions", async () => {
  const device = await site.device(LADDER);
  const ids = await Promise.all(LEVELS.map((level) => device.started({ name: `r_${level}` })));
  for (const [rank, level] of GRANTED.entries()) {
    const calls = device.as(await site.user(level));
    const read = await Promise.all(ids.map(async (id) => (await calls.get(id, "?expand=log")).status));
    expect(read, level).toEqual(LEVELS.map((_, needed) => (needed <= rank ? 200 : 403)));
  }
});

check("general.level-configuration", async () => {
  const device = await site.device(LADDER);
  const owner = await site.user("owner");
  for (const [rank, level] of LEVELS.entries()) {
    const path = `${device.path}/configuration/b_${level}`;
    const statuses = [(await owner.get(path)).status, (await owner.call("PUT", path, { json: { p: 1 } })).status];
    expect(statuses, level).toEqual(rank <= 2 ? [200, 200] : [403, 403]);
  }
});

check("access.default-levels", async () => {
  const device = await site.device(SILENT);
  const mqtt = await device.connect();
  await mqtt.sendTelemetry({ t: 1 });
  await mqtt.sendProperties({ p: 1 });
  const [readonly, user] = [await site.user("readonly"), await site.user("user")];
  expect((await readonly.get(`/telemetry/v1/now?devices[${device.id}]=t`)).body).toMatchObject({ errors: [] });
  expect((await readonly.get(`${device.path}/properties`)).body).toEqual({ properties: { p: 1 } });
  const bucket = `${device.path}/configuration/b`;
  for (const [session, status] of [
    [readonly, 403],
    [user, 200],
  ] as const) {
    expect((await device.as(session).create({ name: "c" })).status).toBe(status);
    expect((await session.get(bucket)).status).toBe(status);
  }
});

check("access.default-read-level", async () => {
  const device = await site.device(SILENT);
  const id = await device.started({ name: "o" });
  expect((await device.as(await site.user("user")).get(id)).status).toBe(403);
  expect((await device.as(await site.user("owner")).get(id)).status).toBe(200);
});

check("access.token-form", async () => {
  const [one, other] = [await busbar.token({}), await busbar.token({})];
  for (const token of [one, other]) expect(token).toMatch(/^bb_[0-9A-Za-z]{60,}$/);
  expect(one).not.toBe(other);
  // The checksum distinguishes a typing mistake from a token that was never there.
  const mistyped = one.slice(0, -1) + (one.endsWith("a") ? "b" : "a");
  expect((await busbar.as(mistyped).get("/v3/sites")).status).toBe(401);
});

check("access.token-stored-hashed", async () => {
  const token = await busbar.token({ name: "hashed" });
  const files = readdirSync(busbar.data, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  const bytes = Buffer.concat(files.map((file) => readFileSync(join(file.parentPath, file.name))));
  expect(bytes.includes(token)).toBe(false);
  const database = new DatabaseSync(join(busbar.data, "records.db"), { readOnly: true });
  const rows = database.prepare("SELECT * FROM token WHERE name = 'hashed'").all();
  database.close();
  const digests = [token, token.slice(3)].map((text) => createHash("sha256").update(text).digest("hex"));
  const stored = rows.flatMap((row) => Object.values(row)).filter((value) => value instanceof Uint8Array);
  expect(digests).toContain(Buffer.from(stored[0] ?? []).toString("hex"));
});

check("access.token-shown-once", async () => {
  const token = await busbar.token({ name: "once" });
  for (const path of ["/v3/tokens?limit=1000", "/v3/audit?limit=1000"]) {
    expect((await busbar.admin.get(path)).text).not.toContain(token.slice(20));
  }
});

check("access.token-carries", async () => {
  const made = await busbar.admin.post<{ id: string; token: string }>("/v3/tokens", {
    name: "carrier",
    level: "owner",
    site_ids: [site.siteId],
    expires_in: "1h",
  });
  await busbar.as(made.body.token).get("/v3/sites");
  const { body } = await busbar.admin.get<{ tokens: readonly Record<string, unknown>[] }>("/v3/tokens?limit=1000");
  const listed = body.tokens.find(({ id }) => id === made.body.id);
  expect(listed).toMatchObject({ name: "carrier", level: "owner", site_ids: [site.siteId] });
  expect(listed?.["expires_at"]).toEqual(expect.any(String));
  expect(listed?.["last_used_at"]).toEqual(expect.any(String));
  await busbar.admin.delete(`/v3/tokens/${made.body.id}`);
  expect((await busbar.as(made.body.token).get("/v3/sites")).status).toBe(401);
});

check("access.token-changes-at-once", async () => {
  const made = await busbar.admin.post<{ id: string; token: string }>("/v3/tokens", { name: "brief", level: "user" });
  const session = busbar.as(made.body.token);
  expect((await session.get("/v3/sites")).status).toBe(200);
  await busbar.admin.delete(`/v3/tokens/${made.body.id}`);
  expect((await session.get("/v3/sites")).status).toBe(401);
});

check("access.system-is-admin", async () => {
  const refused = await busbar.admin.post("/v3/tokens", { name: "second admin", level: "system" });
  expect([400, 403]).toContain(refused.status);
  const { body } = await busbar.admin.get<{ sites: readonly { authorized_role: string }[] }>("/v3/sites?limit=1");
  expect(body.sites[0]?.authorized_role).toBe("SYSTEM");
});

check("access.first-start-token", async () => {
  const file = join(fresh.data, "admin.token");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const token = readFileSync(file, "utf8").trim();
  expect((await fresh.as(token).post("/v3/sites", { name: "By the first token" })).status).toBe(200);
});

check("access.admin-token-variable", async () => {
  expect((await busbar.as(busbar.adminToken).post("/v3/sites", { name: "By the variable" })).status).toBe(200);
  expect(readdirSync(busbar.data)).not.toContain("admin.token");
});

check("access.executions-below-level", async () => {
  const device = await site.device(SILENT);
  const [open, above] = [await device.started({ name: "c" }), await device.started({ name: "o" })];
  const user = await site.user("user");
  const calls = device.as(user);
  expect((await calls.list()).body).toMatchObject({ executions: [{ id: open }], total_count: 1 });
  const ofSite = `/v3/sites/${site.siteId}/commands/executions?device_id.in=${device.id}`;
  expect((await user.get<ExecutionPage>(ofSite)).body).toMatchObject({ executions: [{ id: open }], total_count: 1 });
  expect((await calls.get(above)).status).toBe(403);
});

check("access.now-below-level", async () => {
  const device = await site.device(LADDER);
  await (await device.connect()).sendTelemetry({ t_vendor: 1, t_user: 2 });
  const { status, body } = await (await site.user("user")).get<{ errors: readonly object[] }>(
    `/telemetry/v1/now?devices[${device.id}]=t_vendor,t_user`,
  );
  expect([status, body.errors]).toMatchObject([
    200,
    [{ code: "forbidden", details: { device: device.id, attribute: "t_vendor" } }],
  ]);
});

check("access.series-below-level", async () => {
  const { id } = await site.device(LADDER);
  const telemetry = [{ device: id, attribute: ["t_user", "t_vendor"] }];
  const refused = await ask(await site.user("user"), { telemetry });
  expect([refused.status, refused.errors.map(({ code }) => code)]).toEqual([403, ["forbidden"]]);
  expect(refused.errors[0]?.message).toContain("t_vendor");
});

check("access.filter-before-paging", async () => {
  const device = await site.device(SILENT);
  const ids: string[] = [];
  for (const name of ["o", "c", "o", "c", "c"]) {
    const id = await device.started({ name });
    if (name === "c") ids.push(id);
    site.advance(10);
  }
  const calls = device.as(await site.user("user"));
  expect(await calls.ids("?limit=2")).toEqual(ids.slice(0, 2));
  expect(await calls.ids("?limit=2&offset=2")).toEqual(ids.slice(2));
  expect((await calls.list("?limit=0")).body.total_count).toBe(3);
});

check("access.audit-refused", async () => {
  const { path, id } = await site.device(SILENT);
  const before = Date.now();
  const reader = await site.user("readonly", { name: "reader" });
  await reader.patch(path, { name: "Mine" }, { headers: { "X-Request-Id": "refused-1" } });
  await busbar.as("wrong").get(path, { headers: { "X-Request-Id": "refused-2" } });
  const entries = await audit("outcome.in=refused");
  const of = (request: string) => entries.find((entry) => entry.request_id === request);
  expect(of("refused-1")).toMatchObject({
    actor: { name: "reader" },
    action: "updateDevice",
    target: { device_id: id },
    code: "forbidden",
    remote_address: "127.0.0.1",
  });
  expect(Date.parse(of("refused-1")?.at ?? "")).toBeGreaterThanOrEqual(before);
  expect(of("refused-2")).toMatchObject({ actor: null, action: "getDevice", code: "unauthorized" });
});

check("access.audit-changes", async () => {
  const headers = { "X-Request-Id": "change-1" };
  const made = await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Audited" }, { headers });
  await busbar.admin.patch(`/v3/sites/${made.body.site.id}`, { name: "Changed" }, { headers });
  await busbar.admin.delete(`/v3/sites/${made.body.site.id}`, { headers });
  const device = await site.device(SILENT);
  await busbar.admin.post(`${device.path}/commands/executions`, { name: "c" }, { headers });
  const noted = (await audit()).filter((entry) => entry.request_id === "change-1");
  // The gateway's own device comes and goes with its site, which is noted, too.
  const entries = noted.filter((entry) => entry.details["type"] !== "GATEWAY");
  expect(noted.length - entries.length).toBe(2);
  expect(entries.map(({ action, outcome, remote_address }) => [action, outcome, remote_address]).sort()).toEqual([
    ["createCommandExecution", "OK", "127.0.0.1"],
    ["createSite", "OK", "127.0.0.1"],
    ["deleteSite", "OK", "127.0.0.1"],
    ["updateSite", "OK", "127.0.0.1"],
  ]);
});

check("access.audit-no-secrets", async () => {
  const device = await site.device(SILENT);
  await device.create({ name: "pin", arguments: { pin: "canary-4711" } });
  await device.create({ name: "pin", arguments: { pin: ["canary-4711"] } });
  const config = await device.config();
  const { text } = await busbar.admin.get("/v3/audit?limit=1000");
  expect(text).toContain(device.id);
  for (const secret of ["canary-4711", config.mqtt_credentials["password"] ?? "?", busbar.adminToken]) {
    expect(text).not.toContain(secret);
  }
});

check("access.audit-invisible", async () => {
  const device = await site.device(LADDER);
  const stranger = await site.user("vendor", { name: "stranger", site_ids: [await site.newSite()] });
  await stranger.get(device.path, { headers: { "X-Request-Id": "invisible-1" } });
  const user = await site.user("user", { name: "curious" });
  const headers = { "X-Request-Id": "item-1" };
  await user.get(`/telemetry/v1/now?devices[${device.id}]=t_vendor`, { headers });
  const entries = await audit("outcome.in=refused");
  expect(entries.find(({ request_id }) => request_id === "invisible-1")).toMatchObject({ actor: { name: "stranger" } });
  expect(entries.find(({ request_id }) => request_id === "item-1")).toMatchObject({
    actor: { name: "curious" },
    code: "forbidden",
  });
});
