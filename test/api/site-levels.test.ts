// Anna is an owner of the site North and a reader at the site South. Nothing of her level at one site works at the other, by
// whichever way she asks.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Account, Session, Site, Token } from "#client/resources.ts";
import { connectFakeDevice, type FakeDevice } from "../support/fake-device.ts";
import { type EventListener, listen, type SeenEvent } from "../support/listen.ts";
import { PATIENT } from "../support/patient.ts";
import { type CallOptions, useServer } from "../support/server.ts";
import { openSocket } from "../support/web-socket.ts";

const busbar = useServer(["--mqtt-port", "0"]);
const PASSWORD = "four plain small words";
const OWN_PAGE = { "Sec-Fetch-Site": "same-origin" };
const BLUEPRINT = `blueprint_spec: device/3.0
display_name: Meter
runtime: {type: embedded}
properties:
  model: {type: string, display_name: Model}
  serial: {type: string, display_name: Serial, access_level: owner}
telemetry:
  power: {type: float, display_name: Power}
  inner: {type: float, display_name: Inner, access_level: owner}
  faults: {type: alerts, display_name: Faults}
  warnings: {type: alerts, display_name: Warnings, access_level: owner}
alerts:
  hot: {severity: error, display_name: Hot}
  secret: {severity: error, display_name: Secret}
command_groups: {all: {display_name: All}}
commands:
  start: {group: all, display_name: Start}
  service: {group: all, display_name: Service, access_level: installer}
`;

interface Place {
  readonly site: string;
  readonly id: string;
  readonly device: FakeDevice;
}

let north: Place;
let south: Place;
let blueprint: string;
let anna: Browser;

type Browser = Awaited<ReturnType<typeof enter>>;
let people = 0;

async function newPerson(access: object) {
  const body = { name: "Anna", mail: `anna${++people}@example.org`, password: PASSWORD, ...access };
  const answer = await busbar.admin.post<{ account: Account }>("/v3/accounts", body);
  expect(answer.errors).toEqual([]);
  return answer.body.account;
}

async function enter({ id, mail }: Account) {
  const signIn = { headers: OWN_PAGE };
  const answer = await busbar.anonymous.post<{ session: Session }>(
    "/v3/sessions",
    { mail, password: PASSWORD },
    signIn,
  );
  const cookie = (answer.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
  const call = <Body = unknown>(method: string, path: string, { headers, ...rest }: CallOptions = {}) =>
    busbar.anonymous.call<Body>(method, path, { ...rest, headers: { ...OWN_PAGE, Cookie: cookie, ...headers } });
  return {
    ...{ id, cookie, call, session: answer.body.session },
    get: <Body = unknown>(path: string) => call<Body>("GET", path),
    post: <Body = unknown>(path: string, json: unknown) =>
      call<Body>("POST", path, { json, headers: { Prefer: "wait=0" } }),
    patch: <Body = unknown>(path: string, json: unknown) => call<Body>("PATCH", path, { json }),
    put: (path: string, json: unknown) => call("PUT", path, { json }),
    delete: (path: string) => call("DELETE", path),
  };
}

const mixed = (more = "owner") => ({
  ...{ level: "readonly", site_ids: [north.site, south.site] },
  site_levels: [{ site_id: north.site, level: more }],
});

async function newPlace(name: string): Promise<Place> {
  const site = (await busbar.admin.post<{ site: Site }>("/v3/sites", { name })).body.site.id;
  const body = { name, site_id: site, blueprint_id: blueprint, slug: "meter" };
  const made = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", body);
  const id = made.body.device_id;
  const { config } = (
    await busbar.admin.post<{ config: Parameters<typeof connectFakeDevice>[0] }>(`/v3/devices/${id}/generate_config`, {
      protocol: "MQTT",
    })
  ).body;
  const device = await connectFakeDevice(config);
  await device.sendProperties({ model: "M", serial: "S" });
  await device.sendTelemetry({ power: 1, inner: 2, faults: ["hot"], warnings: ["secret"] });
  return { site, id, device };
}

beforeAll(async () => {
  const upload = { bytes: BLUEPRINT };
  const made = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", upload);
  blueprint = made.body.blueprint.id;
  north = await newPlace("North");
  south = await newPlace("South");
  anna = await enter(await newPerson(mixed()));
});
afterAll(async () => {
  await north.device.close();
  await south.device.close();
});

const both = () => [north, south] as const;
const statuses = async (calls: readonly Promise<{ readonly status: number }>[]) =>
  (await Promise.all(calls)).map(({ status }) => status);

test("the session, the own account and the token of the call say which level is where", async () => {
  const levels = { level: "readonly", site_levels: [{ site_id: north.site, level: "owner" }] };
  expect(anna.session).toMatchObject(levels);
  expect((await anna.get<{ account: Account }>("/v3/account")).body.account).toMatchObject(levels);
  expect((await anna.get<{ token: object }>("/v3/tokens/current")).body.token).toMatchObject(levels);
});

test("lists of devices and sites show of each what its own site permits", async () => {
  const names = await anna.get<{ sites: readonly Site[] }>("/v3/sites");
  const roles = new Map(names.body.sites.map(({ id, authorized_role }) => [id, authorized_role]));
  expect([roles.get(north.site), roles.get(south.site)]).toEqual(["OWNER", "READONLY"]);
  const expand = "expand=properties,raised_alert_names&limit=1000";
  interface Seen {
    readonly id: string;
    readonly authorized_role: string;
    readonly properties: object;
    readonly raised_alert_names: readonly string[];
  }
  await expect
    .poll(async () => {
      const { body } = await anna.get<{ devices: readonly Seen[] }>(`/v3/devices?${expand}`);
      return both().map(({ id }) => {
        const one = body.devices.find((device) => device.id === id);
        return [
          one?.authorized_role,
          Object.keys(one?.properties ?? {}).sort(),
          [...(one?.raised_alert_names ?? [])].sort(),
        ];
      });
    }, PATIENT)
    .toEqual([
      ["OWNER", ["model", "serial"], ["hot", "secret"]],
      ["READONLY", ["model"], ["hot"]],
    ]);
  const alerts = await Promise.all(
    both().map(({ site }) =>
      anna.get<{ alerts: readonly { id: string }[]; total_count: number }>(`/v3/sites/${site}/alerts`),
    ),
  );
  expect(alerts.map(({ body }) => [body.alerts.map(({ id }) => id).sort(), body.total_count])).toEqual([
    [["hot", "secret"], 2],
    [["hot"], 1],
  ]);
});

test("values, curves and exports of two sites in one call are read with the level of each", async () => {
  const query = both().map(({ id }) => `devices[${id}]=power,inner`);
  await expect
    .poll(async () => {
      const { body } = await anna.get<{
        devices: Record<string, object>;
        errors: readonly { code: string; details: object }[];
      }>(`/telemetry/v1/now?${query.join("&")}`);
      return [
        both().map(({ id }) => Object.keys(body.devices[id] ?? {})),
        body.errors.map(({ code, details }) => [code, details]),
      ];
    }, PATIENT)
    .toEqual([[["power", "inner"], ["power"]], [["forbidden", { device: south.id, attribute: "inner" }]]]);
  const to = Math.ceil(Date.now() / 1000) + 60;
  const curve = (devices: readonly Place[]) =>
    anna.post("/telemetry/v1/timeseries", {
      ...{ from: to - 600, to, granularity: "10m", aggregation: "auto" },
      telemetry: devices.map(({ id }) => ({ device: id, attribute: "inner" })),
    });
  expect(await statuses([curve([north]), curve([south]), curve([north, south])])).toEqual([200, 403, 403]);
  const exports = await Promise.all(both().map(({ site }) => anna.get(`/v3/sites/${site}/telemetry/export`)));
  expect(exports.map(({ text }) => text.includes("inner"))).toEqual([true, false]);
  const all = await Promise.all(both().map(({ id }) => anna.get(`/v3/devices/${id}/telemetry`)));
  expect(all.map(({ text }) => [text.includes("power"), text.includes("inner")])).toEqual([
    [true, true],
    [true, false],
  ]);
});

test("commands work where the level is enough, however the device is named", async () => {
  const run = (path: string, name = "start") => anna.post(path, { name });
  const ways = ({ site, id }: Place) => [
    `/v3/devices/${id}/commands/execute`,
    `/v3/devices/${id.toUpperCase()}/commands/execute`,
    `/v3/sites/${site}/devices/${id}/execute_command`,
    `/v3/sites/${site}/devices/meter/execute_command`,
  ];
  expect(await statuses(ways(north).map((path) => run(path)))).toEqual([200, 200, 200, 200]);
  expect(await statuses(ways(south).map((path) => run(path)))).toEqual([403, 403, 403, 403]);
  // One slug at two sites: which of them is meant does not depend on where the level is enough.
  expect((await run("/v3/devices/meter/commands/execute")).status).toBe(409);
  expect(await statuses(ways(north).map((path) => run(path, "service")))).toEqual([403, 403, 403, 403]);
});

test("executions of both sites are listed, counted and read with the level of each", async () => {
  for (const { id } of both()) await busbar.admin.post(`/v3/devices/${id}/commands/executions`, { name: "start" });
  const lists = both().flatMap(({ site, id }) => [
    anna.get<{ total_count: number }>(`/v3/sites/${site}/commands/executions`),
    anna.get<{ total_count: number }>(`/v3/devices/${id}/commands/executions`),
  ]);
  const counts = (await Promise.all(lists)).map(({ body }) => body.total_count > 0);
  expect(counts).toEqual([true, true, false, false]);
});

test("changes of a device, a site and what belongs to them need the level of that site", async () => {
  const change = ({ site, id }: Place, other: Place) => [
    anna.patch(`/v3/devices/${id}`, { name: "Renamed" }),
    anna.patch(`/v3/sites/${site}`, { name: `Site ${site}` }),
    anna.put(`/v3/sites/${site}/retention`, { default: "1y" }),
    anna.post("/v3/provisioning/standalone", { name: "New", site_id: site }),
    anna.post("/v3/provisioning/child_device", { name: "New", parent_id: id, child_type: "x" }),
    // The path names one site, and the body another one.
    anna.post(`/v3/devices/${id}/assign_blueprint`, { blueprint_id: blueprint, site_id: other.site }),
  ];
  const [there, here] = [await statuses(change(south, north)), await statuses(change(north, south))];
  expect(there.every((status) => status === 403 || status === 400)).toBe(true);
  expect(there.slice(0, 5)).toEqual([403, 403, 403, 403, 403]);
  expect(here.slice(0, 5)).toEqual([200, 200, 200, 200, 200]);
  // Without a site it is not the one where she could.
  expect((await anna.post("/v3/provisioning/standalone", { name: "New" })).status).toBe(400);
  expect((await anna.patch("/v3/site", { name: "Mine" })).status).toBe(409);
});

test("a device does not get to another site by a change that the first one permits", async () => {
  const made = await anna.post<{ device_id: string }>("/v3/provisioning/standalone", {
    name: "Mover",
    site_id: north.site,
  });
  for (const body of [{ site_id: south.site }, { parent_id: south.id }]) {
    const { status } = await anna.patch(`/v3/devices/${made.body.device_id}`, body);
    expect(status).toBeGreaterThanOrEqual(400);
  }
  const { device } = (await busbar.admin.get<{ device: { site_id: string } }>(`/v3/devices/${made.body.device_id}`))
    .body;
  expect(device.site_id).toBe(north.site);
});

test("a command for many devices at two sites begins only where the level is enough", async () => {
  const { bulk } = (
    await anna.post<{ bulk: { id: string } }>("/v3/commands/bulk", {
      ...{ name: "start", devices: { device_ids: [north.id, south.id] } },
    })
  ).body;
  await expect
    .poll(async () => {
      const path = `/v3/commands/bulk/${bulk.id}/devices`;
      const { body } = await anna.get<{
        devices: readonly { device_id: string; code: string | null; execution_id: string | null }[];
      }>(path);
      const of = (id: string) => body.devices.find(({ device_id }) => device_id === id);
      return [of(north.id)?.execution_id !== null, of(south.id)?.code, of(south.id)?.execution_id];
    }, PATIENT)
    .toEqual([true, "forbidden", null]);
  const tried = await anna.post<{ devices: readonly { device_id: string; code: string | null }[] }>(
    "/v3/commands/bulk/dry_run",
    { name: "start", devices: { site_ids: [north.site, south.site] } },
  );
  expect(new Map(tried.body.devices.map(({ device_id, code }) => [device_id, code]))).toEqual(
    new Map([
      [north.id, null],
      [south.id, "forbidden"],
    ]),
  );
});

/** Both devices report, the reader's last; then everything before was sent or left out. */
async function report(listener: EventListener): Promise<void> {
  const at = Date.now() / 1000;
  for (const { device } of both()) await device.sendTelemetry({ timestamp: at, power: at, inner: at });
  const isOf = (id: string) => (event: SeenEvent) =>
    event.event === "telemetry" && event.data.device_id === id && JSON.stringify(event.data).includes(String(at));
  await listener.next(isOf(north.id));
  await listener.next(isOf(south.id));
}

const telemetryOf = ({ seen }: EventListener, { id }: Place) =>
  JSON.stringify(seen.filter(({ event, data }) => event === "telemetry" && data.device_id === id));

test("events of both sites come with the level of each, live and what was missed", async () => {
  const live = await listen(busbar.url, "", { cookie: anna.cookie });
  await report(live);
  expect([telemetryOf(live, north).includes("inner"), telemetryOf(live, south).includes("inner")]).toEqual([
    true,
    false,
  ]);
  const ids: string[] = [];
  for (const { id } of [south, north]) {
    const path = `/v3/devices/${id}/commands/executions`;
    ids.push((await busbar.admin.post<{ execution_id: string }>(path, { name: "start" })).body.execution_id);
  }
  const [hidden, shown] = ids;
  const missed = await listen(busbar.url, "", { cookie: anna.cookie, query: "?replay=60s" });
  const lost = await listen(busbar.url, "", { cookie: anna.cookie, lastEventId: "unknown" });
  for (const listener of [live, missed, lost]) {
    await listener.next(({ data }) => data.execution?.id === shown);
    expect(listener.text()).not.toContain(hidden);
  }
});

test("a WebSocket of a device sends what the level at its site may read", async () => {
  const headers = { ...OWN_PAGE, Cookie: anna.cookie };
  const [here, there] = await Promise.all(
    both().map(({ id }) => openSocket(`${busbar.url}/v3/devices/${id}/telemetry`, headers)),
  );
  const at = Date.now() / 1000;
  for (const { device } of both()) await device.sendTelemetry({ timestamp: at, power: at, inner: at });
  expect(JSON.stringify(await here?.next())).toContain("inner");
  expect(JSON.stringify(await there?.next())).not.toContain("inner");
});

test("tokens, people and webhooks that she makes have no more than she has at any of their sites", async () => {
  const token = (level: string, site_ids?: readonly string[]) =>
    anna.post("/v3/tokens", { name: "x", level, site_ids });
  expect(
    await statuses([
      token("owner", [north.site]),
      token("installer", [north.site]),
      // She makes none for a site of which she is no owner.
      token("readonly", [south.site]),
      token("readonly", [north.site, south.site]),
      token("readonly"),
    ]),
  ).toEqual([200, 403, 404, 404, 403]);
  const person = (access: object) =>
    anna.post("/v3/accounts", { name: "Ben", mail: `ben${++people}@example.org`, ...access });
  const of = (site: Place, level: string) => [{ site_id: site.site, level }];
  expect(
    await statuses([
      person({ level: "readonly", site_ids: [north.site], site_levels: of(north, "owner") }),
      person({ level: "readonly", site_ids: [north.site], site_levels: of(north, "installer") }),
      person({ level: "readonly", site_ids: [north.site], site_levels: of(south, "owner") }),
      person({ level: "readonly", site_ids: [north.site, south.site], site_levels: of(north, "owner") }),
      person(mixed()),
    ]),
  ).toEqual([200, 403, 400, 404, 404]);
  const webhook = (site_ids?: readonly string[]) =>
    anna.post<{ webhook: { site_ids: readonly string[] | null; level: string } }>("/v3/webhooks", {
      ...{ url: "https://receiver.invalid/", site_ids },
    });
  expect((await webhook([south.site])).status).toBe(404);
  expect((await webhook()).body.webhook.site_ids).toEqual([north.site]);
});

test("she sees the tokens, people, sessions and audit entries of the site that she owns", async () => {
  const entry = { name: "Seen", level: "readonly" };
  for (const { site } of both()) {
    await busbar.admin.post("/v3/tokens", { ...entry, site_ids: [site] });
    await busbar.admin.post("/v3/accounts", { ...entry, mail: `seen${++people}@example.org`, site_ids: [site] });
    await busbar.admin.patch(`/v3/sites/${site}`, { name: `Seen ${site}` });
  }
  const { tokens } = (await anna.get<{ tokens: readonly Token[] }>("/v3/tokens?limit=1000")).body;
  const { accounts } = (await anna.get<{ accounts: readonly Account[] }>("/v3/accounts?limit=1000")).body;
  for (const list of [tokens, accounts]) {
    expect(list.some(({ name }) => name === "Seen")).toBe(true);
    expect(list.every(({ site_ids }) => site_ids?.every((id) => id === north.site))).toBe(true);
  }
  interface Entry {
    readonly outcome: string;
    readonly target: { readonly site_id?: string };
  }
  const { entries } = (await anna.get<{ entries: readonly Entry[] }>("/v3/audit?action.in=updateSite&limit=1000")).body;
  const sites = entries.filter(({ outcome }) => outcome === "OK").map(({ target }) => target.site_id);
  expect(new Set(sites)).toEqual(new Set([north.site]));
  // She does not see herself as somebody else would: that takes an owner of both sites.
  expect(
    await statuses([anna.get(`/v3/accounts/${anna.id}`), anna.patch(`/v3/accounts/${anna.id}`, { level: "owner" })]),
  ).toEqual([404, 404]);
});

test("what an owner may change of a person with several levels is what the owner could have given", async () => {
  const [owner, northern] = await Promise.all([
    busbar.token({ level: "owner", site_ids: [north.site, south.site] }),
    busbar.token({ level: "owner", site_ids: [north.site] }),
  ]);
  const equal = await newPerson(mixed("installer"));
  const below = await newPerson(mixed("user"));
  const patch = (by: string, { id }: Account, body: object) => busbar.as(by).patch(`/v3/accounts/${id}`, body);
  expect(
    await statuses([
      patch(northern, below, { level: "user" }),
      patch(owner, equal, { level: "user" }),
      patch(owner, below, { site_levels: [{ site_id: south.site, level: "installer" }] }),
      patch(owner, below, { site_levels: [{ site_id: south.site, level: "owner" }] }),
    ]),
  ).toEqual([404, 404, 403, 200]);
});

test.each([
  [() => ({ site_levels: [{ site_id: north.site, level: "system" }] }), 403, "/site_levels/0/level"],
  [
    () => ({ site_levels: [{ site_id: "01890000-0000-7000-8000-000000000000", level: "user" }] }),
    400,
    "/site_levels/0/site_id",
  ],
  [() => ({ site_ids: null, site_levels: [{ site_id: "constructor", level: "user" }] }), 404, "/site_levels/0/site_id"],
  [
    () => ({ site_levels: Array.from({ length: 2 }, () => ({ site_id: north.site, level: "user" })) }),
    400,
    "/site_levels/1/site_id",
  ],
  [
    () => ({ site_levels: Array.from({ length: 1001 }, () => ({ site_id: north.site, level: "user" })) }),
    400,
    "/site_levels",
  ],
  [() => ({ site_levels: [{ site_id: north.site }] }), 400, "/site_levels/0/level"],
])("a change %# that makes no sense is refused and changes nothing", async (body, status, pointer) => {
  const person = await newPerson(mixed());
  const answer = await busbar.admin.patch(`/v3/accounts/${person.id}`, body());
  expect([answer.status, (answer.errors[0]?.details as { pointer?: string })?.pointer]).toEqual([status, pointer]);
  expect((await busbar.admin.get<{ account: Account }>(`/v3/accounts/${person.id}`)).body.account).toEqual(person);
});

test("a lower level holds at once: for open streams, sessions, and tokens that are for more", async () => {
  const account = await newPerson(mixed());
  const ben = await enter(account);
  const rename = () => ben.patch(`/v3/devices/${north.id}`, { name: "North" });
  const grant = { name: "x", level: "owner", site_ids: [north.site] };
  const token = (await ben.post<{ token: string }>("/v3/tokens", grant)).body.token;
  const stream = await listen(busbar.url, "", { cookie: ben.cookie });
  expect((await rename()).status).toBe(200);
  const change = (body: object) => busbar.admin.patch<{ account: Account }>(`/v3/accounts/${account.id}`, body);
  await change({ site_levels: [{ site_id: north.site, level: "user" }] });
  expect(await stream.end).toBe("ended");
  expect((await rename()).status).toBe(403);
  expect((await busbar.as(token).get("/v3/sites")).status).toBe(401);
  // One level is one level everywhere.
  const { body } = await change({ level: "user" });
  expect(body.account).toMatchObject({ level: "user", site_levels: [] });
});
