// What holds for every call over HTTP.
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { ERROR_CODES } from "#core/app-error.ts";
import { STATUS } from "#http/problem.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { check } from "../support/check.ts";
import { parseRaw, sendRaw } from "../support/raw-http.ts";
import type { Answer } from "../support/server.ts";
import { canMount, mountSmallDisk } from "../support/small-disk.ts";
import { startBusbar } from "../support/start-busbar.ts";
import { ask } from "../support/telemetry.ts";
import { useSite } from "../support/use-site.ts";
import { manifestWith } from "../support/validate.ts";

const site = useSite(["--http-header-prefixes", "X-Other"], {
  provoked: /made up for the check/,
});
const { busbar } = site;

const METER = manifestWith(`telemetry: {power: {type: float, display_name: P}, note: {type: string, display_name: N}}
command_groups: {g: {display_name: G}}
commands: {start: {group: g, display_name: S, arguments: {power: {type: float, display_name: P}}}}`);
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const UNKNOWN = "0198a5c2-0000-7000-8000-000000000000";
const codes = ({ errors }: Answer<unknown>) => errors.map(({ code }) => code);
const headersOf = (response: Response) => [...response.headers].map(([name]) => name);

check("http.every-path-twice", async () => {
  const { path, id } = await site.device(METER);
  const paths = [
    "/v3/sites",
    path,
    `${path}/commands/executions`,
    `/telemetry/v1/now?devices[${id}]=power`,
    "/v3/devices",
    "/healthz",
    "/readyz",
    "/openapi.json",
    "/docs",
    "/",
    "/metrics",
  ];
  for (const one of paths) {
    const [plain, below] = [await busbar.admin.get(one), await busbar.admin.get(`/api${one}`)];
    expect([plain.status, below.status], one).toEqual([200, 200]);
    if (one !== "/metrics") expect(below.text, one).toBe(plain.text);
  }
});

check("http.success-is-200", async () => {
  const made = await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Short" });
  const path = `/v3/sites/${made.body.site.id}`;
  const answers = [made, await busbar.admin.patch(path, { name: "Shorter" }), await busbar.admin.delete(path)];
  for (const { status, body } of answers)
    expect([status, typeof body, Array.isArray(body)]).toEqual([200, "object", false]);
});

check("http.content-type-is-bare", async () => {
  const { id } = await site.device(METER);
  const types = [
    await busbar.admin.get("/v3/sites"),
    await busbar.admin.get("/v3/nothing"),
    await busbar.admin.get("/openapi.json"),
    await ask(busbar.admin, { telemetry: [{ device: id, attribute: "power" }] }),
  ].map(({ headers }) => headers.get("content-type"));
  expect(types).toEqual(["application/json", "application/json", "application/json", "text/csv"]);
});

check("http.bodies-without-type", async () => {
  const body = JSON.stringify({ name: "No type" });
  const types = [
    "",
    "application/json",
    "text/plain",
    "application/x-www-form-urlencoded",
    "nonsense",
    "multipart/form-data",
  ];
  for (const type of ["", ...[...types, ";;;"].map((one) => `Content-Type: ${one}\r\n`)]) {
    const head = `POST /v3/sites HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Service-Auth-Token: ${busbar.adminToken}\r\n${type}`;
    const answer = parseRaw(await sendRaw(busbar.port, `${head}Content-Length: ${body.length}\r\n\r\n${body}`));
    expect(answer.status, type).toBe(200);
  }
});

/** Sends everything before it reads anything, as many clients do. */
function sendThenRead(path: string, bytes: Buffer): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { "X-Service-Auth-Token": busbar.adminToken, "Content-Length": bytes.length };
    const call = request({ port: busbar.port, path, method: "POST", headers }, (answer) => {
      let text = "";
      answer.on("data", (part) => (text += part));
      answer.on("end", () => resolve({ status: answer.statusCode, text }));
    });
    call.on("error", reject);
    call.end(bytes);
  });
}

check("http.body-over-1-mib", async () => {
  const fill = (size: number) => Buffer.from(`{"name":"Padded"${" ".repeat(size - 17)}}`);
  expect((await sendThenRead("/v3/sites", fill(1024 * 1024))).status).toBe(200);
  for (const size of [1024 * 1024 + 1, 24 * 1024 * 1024]) {
    const { status, text } = await sendThenRead("/v3/sites", fill(size));
    expect([status, JSON.parse(text)]).toMatchObject([413, { errors: [{ code: "body_too_large" }] }]);
  }
});

check("http.imports-are-exempt", async () => {
  const { path, id } = await site.device(METER);
  const rows = Array.from({ length: 100_000 }, (_, second) => `${1_000_000 + second},${second}.5\n`);
  const bytes = Buffer.from(`ts,telemetry=power\n${rows.join("")}`);
  expect(bytes.length).toBeGreaterThan(1024 * 1024);
  expect((await sendThenRead(`${path}/telemetry/import`, bytes)).status).toBe(200);
  expect(await site.deviceAt(id).now("power")).toEqual({ power: { value: 99_999.5, timestamp: 1_099_999 } });
});

check("http.failures-are-errors", async () => {
  const { path } = await site.device(METER);
  const refused = [
    await busbar.anonymous.get("/v3/sites"),
    await busbar.admin.get(`/v3/sites/${UNKNOWN}`),
    await busbar.admin.get("/no/such/path"),
    await busbar.admin.get("/v3/sites?limit=x"),
    await busbar.admin.call("POST", "/v3/sites", { bytes: "{" }),
    await busbar.admin.post(`${path}/commands/execute`, { name: "fly" }),
  ];
  for (const { text } of refused) {
    const { errors, ...rest } = JSON.parse(text) as { errors: readonly object[] };
    expect(rest).toEqual({});
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error).toMatchObject({ code: expect.any(String), message: expect.any(String) });
  }
});

check("http.request-id", async () => {
  for (const path of ["/v3/sites?limit=x", "/nothing", `/v3/devices/${UNKNOWN}`]) {
    expect((await busbar.admin.get(path)).headers.get("x-request-id"), path).toMatch(/./);
  }
  const own = await busbar.admin.get("/nothing", { headers: { "X-Request-Id": "mine-1" } });
  expect(own.headers.get("x-request-id")).toBe("mine-1");
});

check("http.one-register-of-codes", async () => {
  const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
  const documented = new Map(
    [...page.matchAll(/^\| `([\w/]+)` \| (\d{3}) \|/gm)].map(([, code, status]) => [code, Number(status)]),
  );
  expect(Object.fromEntries(documented)).toEqual({ ...STATUS });
  expect(Object.keys(STATUS).sort()).toEqual(Object.keys(ERROR_CODES).sort());
  const refused = await busbar.admin.get("/v3/sites?limit=x");
  expect(documented.get(refused.errors[0]?.code)).toBe(refused.status);
});

check("http.bad-input-400", async () => {
  const refused = await busbar.admin.post("/v3/sites", { name: 5, timezone: "Moon/Base" });
  expect(refused.status).toBe(400);
  expect(refused.errors.map(({ details }) => details?.pointer)).toContain("/name");
});

check("http.token-401", async () => {
  const expired = await busbar.token({ expires_in: "1h" });
  const made = await busbar.admin.post<{ id: string; token: string }>("/v3/tokens", { name: "brief", level: "user" });
  for (const token of [expired, made.body.token]) expect((await busbar.as(token).get("/v3/sites")).status).toBe(200);
  await busbar.admin.delete(`/v3/tokens/${made.body.id}`);
  site.advance(3_600_001);
  for (const token of [expired, made.body.token, "unknown", "bb_unknown"]) {
    expect((await busbar.as(token).get("/v3/sites")).status, token).toBe(401);
  }
  expect((await busbar.anonymous.get("/v3/sites")).status).toBe(401);
});

check("http.level-403", async () => {
  const { path } = await site.device(METER);
  const readonly = await site.user("readonly");
  const refused = await readonly.delete(path);
  expect([refused.status, codes(refused)]).toEqual([403, ["forbidden"]]);
  expect((await readonly.get(path)).status).toBe(200);
});

check("http.unknown-404", async () => {
  const { id } = await site.device(METER);
  const stranger = await site.user("vendor", { site_ids: [await site.newSite()] });
  for (const rest of ["", "/manifest", "/logs", "/commands/executions"]) {
    const [elsewhere, nowhere] = [
      await stranger.get(`/v3/devices/${id}${rest}`),
      await stranger.get(`/v3/devices/${UNKNOWN}${rest}`),
    ];
    expect([elsewhere.status, nowhere.status]).toEqual([404, 404]);
    expect(elsewhere.text.replace(id, "")).toBe(nowhere.text.replace(UNKNOWN, ""));
    expect([...elsewhere.headers.keys()]).toEqual([...nowhere.headers.keys()]);
  }
});

check("http.conflict-409", async () => {
  await site.device(METER, { slug: "taken" });
  const second = { name: "Second", site_id: site.siteId, slug: "taken" };
  const refused = await busbar.admin.post("/v3/provisioning/standalone", second);
  expect([refused.status, codes(refused)]).toEqual([409, ["slug_taken"]]);
});

check("http.too-many-429", async () => {
  const token = await busbar.token({ level: "readonly" });
  const streams = new AbortController();
  onTestFinished(() => streams.abort());
  const open = () =>
    fetch(`${busbar.url}/v3/events`, { headers: { "X-Service-Auth-Token": token }, signal: streams.signal });
  const answers = await Promise.all(Array.from({ length: 70 }, open));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(6);
  for (const { headers } of refused) expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
});

check("http.overload-503", async () => {
  const bytes = `${METER}${"# padding\n".repeat(20_000)}`;
  const validate = () => busbar.anonymous.call("POST", "/v3/blueprints/validate", { bytes });
  const refused = (await Promise.all(Array.from({ length: 80 }, validate))).filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  for (const one of refused) expect([one.status, codes(one)]).toEqual([503, ["overloaded"]]);
});

/** Takes every byte that is left on the disk. */
function fill(file: string): void {
  const handle = openSync(file, "a");
  for (let size = 1024 * 1024; size >= 1; size = Math.floor(size / 4)) {
    try {
      for (;;) writeSync(handle, Buffer.alloc(size));
    } catch {
      // Smaller pieces may still fit.
    }
  }
  closeSync(handle);
}

if (canMount()) {
  check("http.full-disk-503", async () => {
    const folder = mountSmallDisk("32m");
    const running = await startBusbar(folder);
    onTestFinished(() => void running.stop("SIGKILL"));
    const token = readFileSync(join(folder, ".busbar", "admin.token"), "utf8").trim();
    const create = async () => {
      fill(join(folder, "filler"));
      const headers = { "X-Service-Auth-Token": token };
      const answer = await fetch(`${running.url}/v3/sites`, { method: "POST", headers, body: '{"name":"Full"}' });
      return { status: answer.status, body: await answer.json() };
    };
    await expect.poll(create).toMatchObject({ status: 503, body: { errors: [{ code: "storage_full" }] } });
  });
}

check("http.bug-500", async () => {
  const broken = vi.spyOn(Connection.prototype, "all").mockImplementation(() => {
    throw new Error("made up for the check: /secret/path");
  });
  const brokenOne = vi.spyOn(Connection.prototype, "get").mockImplementation(() => {
    throw new Error("made up for the check: /secret/path");
  });
  const answer = await busbar.admin.get("/v3/sites");
  broken.mockRestore();
  brokenOne.mockRestore();
  expect([answer.status, codes(answer)]).toEqual([500, ["internal"]]);
  expect(answer.text).not.toMatch(/made up|secret|\.ts/);
  expect((await busbar.admin.get("/v3/sites")).status).toBe(200);
});

check("http.unknown-parameters", async () => {
  const refused = await busbar.admin.get("/v3/devices?limt=5");
  expect(refused.status).toBe(400);
  expect(refused.errors).toMatchObject([
    { code: "invalid_query", message: expect.stringContaining("did you mean limit?"), details: { parameter: "limt" } },
  ]);
});

check("http.unknown-fields", async () => {
  const refused = await busbar.admin.post("/v3/sites", { name: "A", timezome: "UTC" });
  expect(refused.status).toBe(400);
  expect(refused.errors).toMatchObject([
    { message: expect.stringMatching(/timezome.*timezone/), details: { pointer: "/timezome" } },
  ]);
});

check("http.empty-is-not-given", async () => {
  const { path, started, list } = await site.device(METER);
  await started({ name: "start", arguments: null, ephemeral: null });
  expect((await list("?name.in=&expand=&limit=&order=")).status).toBe(400); // a list has no expand
  expect((await list("?name.in=&limit=&order=&state.in=")).body.total_count).toBe(1);
  expect((await busbar.admin.get(`${path}?expand=`)).status).toBe(200);
  for (const query of ["expand=", "id.in=", "type.in=", "limit=&offset=", "expand=,,", "%65xpand="])
    expect((await busbar.admin.get(`/v3/devices?${query}`)).status, query).toBe(200);
  for (const empty of ["", null]) {
    const made = await busbar.admin.post("/v3/provisioning/standalone", {
      name: "A",
      site_id: site.siteId,
      slug: empty,
    });
    expect(made.status).toBe(200);
  }
});

check("http.client-fields", async () => {
  const { path } = await site.device(METER);
  const headers = { "X-Enapter-Auth-User": "me", "X-Enapter-Allow-HTTP": "true" };
  for (const one of [
    "/v3/sites?name=undefined",
    `/v3/sites/${site.siteId}/devices?site_id=`,
    `/v3/sites/${site.siteId}/devices?site_id=${site.siteId}`,
    `${path}?expand=site`,
    `/v3/sites/${site.siteId}${path.slice(3)}`,
  ]) {
    expect((await busbar.admin.get(one, { headers })).status, one).toBe(200);
  }
  const nulls = { name: null, slug: null };
  expect((await busbar.admin.patch(path, nulls)).status).toBe(200);
  expect((await busbar.admin.patch(`/v3/sites/${site.siteId}`, { name: null, location: null })).status).toBe(200);
});

check("http.ids-are-uuid-v7", async () => {
  const device = await site.device(METER);
  const execution = await device.started({ name: "start" });
  for (const id of [site.siteId, device.id, execution, await site.blueprint(METER)]) expect(id).toMatch(UUID_V7);
});

check("http.slug-for-id", async () => {
  const { id, started } = await site.device(METER, { slug: "by-slug" });
  const execution = await started({ name: "start" });
  for (const path of [
    "/v3/devices/by-slug",
    "/v3/devices/by-slug/manifest",
    `/v3/devices/by-slug/commands/executions/${execution}`,
    `/v3/sites/${site.siteId}/devices/by-slug`,
    "/telemetry/v1/now?devices[by-slug]=power",
  ]) {
    expect((await busbar.admin.get(path)).status, path).toBe(200);
  }
  const filtered = await busbar.admin.get<{ total_count: number }>(
    `/v3/sites/${site.siteId}/commands/executions?device_id.in=by-slug`,
  );
  expect(filtered.body.total_count).toBe(1);
  const series = await ask(busbar.admin, { telemetry: [{ device: "by-slug", attribute: "power" }] });
  expect(series.status).toBe(200);
  const child = { name: "Child", parent_id: "by-slug", child_type: "cell" };
  const made = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/child_device", child);
  expect((await site.deviceAt(made.body.device_id).read())["parent_id"]).toBe(id);
});

check("http.times-out", async () => {
  const { started, get, read } = await site.device(METER);
  const { created_at } = (await get(await started({ name: "start" }))).body.execution;
  for (const time of [created_at, (await read())["created_at"], (await read())["updated_at"]]) {
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
});

check("http.times-in", async () => {
  const { started, get, ids } = await site.device(METER);
  const id = await started({ name: "start" });
  const at = Date.parse((await get(id)).body.execution.created_at);
  const shifted = (hours: number) => `${new Date(at + hours * 3_600_000).toISOString().slice(0, -1)}`;
  for (const time of [`${shifted(0)}Z`, `${shifted(2)}%2B02:00`, `${shifted(-5.5)}-05:30`]) {
    expect(await ids(`?created_at.gte=${time}`), time).toEqual([id]);
    expect(await ids(`?created_at.lt=${time}`), time).toEqual([]);
  }
});

check("http.other-token-headers", async () => {
  for (const headers of [
    { "X-Enapter-Auth-Token": busbar.adminToken },
    { Authorization: `Bearer ${busbar.adminToken}` },
    { authorization: `bearer ${busbar.adminToken}` },
  ]) {
    expect((await busbar.anonymous.get("/v3/sites", { headers })).status, Object.keys(headers)[0]).toBe(200);
  }
});

check("http.header-prefixes-setting", async () => {
  const get = (name: string) => busbar.anonymous.get("/v3/sites", { headers: { [name]: busbar.adminToken } });
  expect((await get("X-Other-Auth-Token")).status).toBe(200);
  expect((await get("X-Unset-Auth-Token")).status).toBe(401);
});

/** A time series of two columns, with the token under this header. */
async function series(header: string): Promise<Response> {
  const { id } = await site.device(METER);
  return await fetch(`${busbar.url}/telemetry/v1/timeseries`, {
    method: "POST",
    headers: { [header]: header === "Authorization" ? `Bearer ${busbar.adminToken}` : busbar.adminToken },
    body: JSON.stringify({
      from: 0,
      to: 60,
      granularity: "1m",
      aggregation: "last",
      telemetry: [{ device: id, attribute: ["power", "note"] }],
    }),
  });
}

check("http.answer-prefix", async () => {
  for (const [sent, expected] of [
    ["X-Service-Auth-Token", "x-service-timeseries-data-types"],
    ["X-Enapter-Auth-Token", "x-enapter-timeseries-data-types"],
    ["X-Other-Auth-Token", "x-other-timeseries-data-types"],
  ] as const) {
    const names = headersOf(await series(sent)).filter((name) => name.endsWith("timeseries-data-types"));
    expect(new Set(names), sent).toEqual(new Set([expected]));
  }
});

check("http.types-in-lines", async () => {
  const { id } = await site.device(METER);
  const lines = async (prefix: string) => {
    const body = JSON.stringify({
      from: 0,
      to: 60,
      granularity: "1m",
      aggregation: "last",
      telemetry: [{ device: id, attribute: ["power", "note"] }],
    });
    const head = `POST /telemetry/v1/timeseries HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${prefix}-Auth-Token: ${busbar.adminToken}\r\n`;
    const raw = await sendRaw(busbar.port, `${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    return raw
      .split("\r\n")
      .filter((line) => /-timeseries-data-types:/i.test(line))
      .map((line) => line.split(": ")[1]);
  };
  expect(await lines("X-Service")).toEqual(["float,string"]);
  expect(await lines("X-Enapter")).toEqual(["float", "string"]);
});

check("http.all-errors-at-once", async () => {
  const body = await busbar.admin.post("/v3/sites", { name: 5, surprise: 1, another: 2 });
  expect(body.errors.map(({ details }) => details?.pointer).sort()).toEqual(["/another", "/name", "/surprise"]);
  const query = await busbar.admin.get("/v3/devices?limt=5&offset=x&expand=manifst");
  expect(query.errors.map(({ details }) => details?.["parameter"])).toEqual(["limt", "offset", "expand"]);
});

check("http.gravest-status", async () => {
  const { id } = await site.device(`${METER.replace("power: {type", "power: {access_level: vendor, type")}`);
  const user = await site.user("user");
  const item = (attribute: string, device = id) => ({ device, attribute });
  const status = async (telemetry: readonly object[], question = {}) =>
    (await ask(user, { telemetry, ...question })).status;
  expect(await status([item("note")], { granularity: "soon" })).toBe(400);
  expect(await status([item("nothing"), item("note")], { granularity: "soon" })).toBe(404);
  expect(await status([item("nothing"), item("power")], { granularity: "soon" })).toBe(403);
  expect((await ask(busbar.anonymous, { granularity: "soon", telemetry: [item("nothing")] })).status).toBe(401);
});

check("general.token-header", async () => {
  const { path, id } = await site.device(METER);
  for (const one of [
    `${path}/commands/executions`,
    `/v3/sites/${site.siteId}/commands/executions`,
    `/telemetry/v1/now?devices[${id}]=power`,
  ]) {
    expect((await busbar.anonymous.get(one)).status, one).toBe(401);
    expect((await busbar.admin.get(one)).status, one).toBe(200);
  }
  const question = { telemetry: [{ device: id, attribute: "power" }] };
  expect([(await ask(busbar.anonymous, question)).status, (await ask(busbar.admin, question)).status]).toEqual([
    401, 200,
  ]);
});

check("general.version-commands", async () => {
  const { id } = await site.device(METER);
  expect((await busbar.admin.get(`/v3/devices/${id}/commands/executions`)).status).toBe(200);
  expect(codes(await busbar.admin.get(`/v2/devices/${id}/commands/executions`))).toEqual(["route_not_found"]);
});
