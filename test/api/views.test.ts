// /v3/sites/{site_id}/views, and `busbar view`: what people save on the page, their own or shared.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, expect, test } from "vitest";
import { runBusbar } from "../support/run-busbar.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"], { provoked: /storage_damaged/ });

interface Saved {
  readonly view: { readonly id: string; readonly revision: number; readonly [field: string]: unknown };
}

const EXPLORE = { kind: "explore", name: "Day", content: { query: "range=24h" } };
const TILE = { id: "a", kind: "text", width: 1, height: 1, text: "Hello" };
const CONTROL = { id: "b", kind: "control", width: 1, height: 2, device: "battery", control: "battery_power" };
const dashboard = (tiles: readonly unknown[], more: object = {}) => ({
  kind: "dashboard",
  name: "Wall",
  content: { tiles },
  ...more,
});
let path = "";
let elsewhere = "";
const tokens: Record<string, string> = {};
const sessions: Record<string, ReturnType<typeof busbar.as>> = {};
const as = (who: string) => sessions[who] ?? busbar.anonymous;

beforeAll(async () => {
  const newSite = async (name: string) =>
    (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name, timezone: "UTC" })).body.site.id;
  const [site, other] = [await newSite("Farm"), await newSite("Other")];
  [path, elsewhere] = [`/v3/sites/${site}/views`, `/v3/sites/${other}/views`];
  for (const [who, level, siteId] of [
    ["anna", "readonly", site],
    ["ben", "user", site],
    ["stranger", "owner", other],
  ] as const) {
    tokens[who] = await busbar.token({ level, site_ids: [siteId] });
    sessions[who] = busbar.as(tokens[who]);
  }
});

const save = async (who: string, body: object) => (await as(who).post<Saved>(path, body)).body.view;

test("a person's own view is seen by that person alone, whatever the level", async () => {
  const view = await save("anna", EXPLORE);
  expect(view).toMatchObject({ kind: "explore", name: "Day", is_shared: false, revision: 1, content: EXPLORE.content });
  const one = `${path}/${view.id}`;
  expect((await as("anna").get<Saved>(one)).body.view).toEqual(view);
  for (const who of ["ben", "stranger"]) {
    expect((await as(who).get(one)).status).toBe(404);
    expect((await as(who).patch(one, { revision: 1, name: "Mine now" })).status).toBe(404);
    expect((await as(who).delete(one)).status).toBe(404);
  }
  expect((await busbar.admin.get(one)).status).toBe(404);
  const { content: _, ...head } = view;
  const list = await as("anna").get<{ views: readonly object[] }>(path);
  expect(list.body.views).toContainEqual(head);
  expect((await as("ben").get<{ views: readonly { id: string }[] }>(path)).body.views).not.toContainEqual(head);
});

test("everybody on the site sees a shared view, and level user changes it", async () => {
  expect((await as("anna").post(path, { ...EXPLORE, is_shared: true })).errors[0]).toMatchObject({ code: "forbidden" });
  const view = await save("ben", { ...EXPLORE, name: "Shared", is_shared: true });
  const one = `${path}/${view.id}`;
  expect((await as("anna").get<Saved>(one)).body.view).toMatchObject({ name: "Shared", is_shared: true });
  expect((await as("anna").patch(one, { revision: 1, name: "x" })).status).toBe(403);
  expect((await as("anna").delete(one)).status).toBe(403);
  const own = await save("anna", EXPLORE);
  expect((await as("anna").patch(`${path}/${own.id}`, { revision: 1, is_shared: true })).status).toBe(403);
  expect((await as("ben").patch<Saved>(one, { revision: 1, name: "Renamed" })).body.view).toMatchObject({
    revision: 2,
  });
  expect((await as("ben").delete(one)).status).toBe(200);
  expect((await as("ben").get(one)).status).toBe(404);
});

test("another site's view is unknown under every site", async () => {
  const view = await save("ben", { ...EXPLORE, is_shared: true });
  expect((await as("stranger").get(`${elsewhere}/${view.id}`)).status).toBe(404);
  expect((await busbar.admin.get(`${elsewhere}/${view.id}`)).status).toBe(404);
  expect((await busbar.admin.delete(`${elsewhere}/${view.id}`)).status).toBe(404);
  expect((await as("stranger").get(path)).status).toBe(404);
  expect((await as("stranger").post(path, EXPLORE)).status).toBe(404);
});

test("of two editors the later one is told, and nothing is overwritten", async () => {
  const view = await save("ben", dashboard([TILE], { is_shared: true }));
  const one = `${path}/${view.id}`;
  const first = await as("ben").patch<Saved>(one, { revision: 1, content: { tiles: [] } });
  expect(first.body.view).toMatchObject({ revision: 2, content: { tiles: [] } });
  const late = await busbar.admin.patch(one, { revision: 1, content: { tiles: [TILE, { ...TILE, id: "b" }] } });
  expect([late.status, late.errors[0]]).toMatchObject([409, { code: "conflict", details: { revision: 2 } }]);
  expect((await as("ben").get<Saved>(one)).body.view).toEqual(first.body.view);
  expect((await as("ben").patch(one, { content: { tiles: [] } })).errors[0]).toMatchObject({
    details: { pointer: "/revision" },
  });
});

test.each([
  ["is no JSON", "{"],
  ["does not fit its kind", '{"tiles":[{"id":"a"}]}'],
])("a view whose stored text %s says so, is listed, and can be deleted", async (_, text) => {
  const { id } = await save("ben", dashboard([TILE], { name: "Broken" }));
  const database = new DatabaseSync(join(busbar.data, "records.db"));
  database.prepare("UPDATE saved_view SET content = ? WHERE id = ?").run(text, id);
  database.close();
  const answer = await as("ben").get(`${path}/${id}`);
  expect([answer.status, answer.errors[0]]).toEqual([
    503,
    { code: "storage_damaged", message: expect.stringContaining("delete it"), details: { view_id: id } },
  ]);
  const list = await as("ben").get<{ views: readonly { id: string }[] }>(path);
  expect(list.body.views.map((view) => view.id)).toContain(id);
  const others = list.body.views.length - 1;
  const env = { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: tokens["ben"] ?? "" };
  const exported = await runBusbar(["view", "export", path.split("/")[3] ?? ""], { env });
  expect([exported.code, JSON.parse(exported.out).views.length]).toEqual([1, others]);
  expect(exported.err).toContain(`view delete ${path.split("/")[3]} ${id}`);
  expect((await as("ben").delete(`${path}/${id}`)).status).toBe(200);
});

test("a start is a dashboard or a chart, one of each for a person and one for all", async () => {
  const wrong = await as("ben").post(path, { ...EXPLORE, kind: "device_filter", is_start: true });
  expect(wrong.errors[0]).toMatchObject({ code: "invalid_body", details: { pointer: "/is_start" } });
  await save("ben", dashboard([], { name: "First", is_start: true }));
  await save("ben", dashboard([], { name: "Second", is_start: true }));
  await save("ben", { ...EXPLORE, name: "Before", is_start: true });
  await save("ben", { ...EXPLORE, name: "Last", is_start: true });
  await save("ben", dashboard([], { name: "For all", is_start: true, is_shared: true }));
  const { body } = await as("ben").get<{ views: readonly { name: string; is_start: boolean }[] }>(path);
  expect(body.views.filter(({ is_start }) => is_start).map(({ name }) => name)).toEqual(["For all", "Last", "Second"]);
});

const deep = JSON.parse(`${'{"a":'.repeat(60)}1${"}".repeat(60)}`);
test.each([
  ["a content of another kind", { ...EXPLORE, content: { tiles: [] } }, ["/content/query", "/content/tiles"]],
  ["no content", { kind: "explore", name: "x" }, ["/content"]],
  ["a list as content", { ...EXPLORE, content: [] }, ["/content"]],
  ["a name with a control character", { ...EXPLORE, name: "a\u0007b" }, ["/name"]],
  ["a name of blanks", { ...EXPLORE, name: "   " }, ["/name"]],
  ["a long name", { ...EXPLORE, name: "n".repeat(81) }, ["/name"]],
  ["an unknown kind", { ...EXPLORE, kind: "constructor" }, ["/kind"]],
  ["a query with a line break", { ...EXPLORE, content: { query: "a\nb" } }, ["/content/query"]],
  ["deep JSON", dashboard([deep]), ["/content/tiles/0/a"]],
  ["a tile without what it shows", dashboard([{ ...TILE, kind: "value" }]), ["/content/tiles/0/series"]],
  [
    "a tile of a control without both names",
    dashboard([{ ...TILE, kind: "control" }]),
    ["/content/tiles/0/device", "/content/tiles/0/control"],
  ],
  ["two tiles of one id", dashboard([TILE, TILE]), ["/content/tiles/1/id"]],
  ["a tile that is too wide", dashboard([{ ...TILE, width: 5 }]), ["/content/tiles/0/width"]],
  ["too many tiles", dashboard(Array.from({ length: 41 }, (_, n) => ({ ...TILE, id: `t${n}` }))), ["/content/tiles"]],
])("%s is refused, with every place", async (_, body, pointers) => {
  const { status, errors } = await as("anna").post(path, body);
  expect(status).toBe(400);
  expect(errors.map(({ details }) => details?.["pointer"])).toEqual(expect.arrayContaining(pointers));
});

test("a large view is refused, and mistakes in name and content are told at once", async () => {
  const tiles = Array.from({ length: 40 }, (_, n) => ({ ...TILE, id: `t${n}`, text: "ä".repeat(2_000) }));
  const large = await as("anna").post(path, dashboard(tiles));
  expect([large.status, large.errors[0]?.details]).toEqual([400, { pointer: "/content" }]);
  const both = await as("anna").post(path, { ...EXPLORE, name: "a\u0000", content: { query: 1 } });
  expect(both.errors.map(({ details }) => details?.["pointer"])).toEqual(["/name", "/content/query"]);
  for (const body of [null, [], 1, "text"]) expect((await as("anna").post(path, body)).status).toBe(400);
});

test("a view ends with its person's token, and the audit log says who saved and deleted what", async () => {
  const grant = { name: "Guest", level: "readonly" };
  const { body } = await busbar.admin.post<{ id: string; token: string }>("/v3/tokens", grant);
  const guest = busbar.as(body.token);
  const { id } = (await guest.post<Saved>(path, { ...EXPLORE, name: "Guest's" })).body.view;
  await guest.delete(`${path}/${id}`);
  await guest.post(path, EXPLORE);
  await busbar.admin.delete(`/v3/tokens/${body.id}`);
  expect((await guest.get(path)).status).toBe(401);
  const audit = await busbar.admin.get<{ entries: readonly { action: string; details: object }[] }>(
    "/v3/audit?limit=20",
  );
  expect(audit.body.entries).toContainEqual(
    expect.objectContaining({
      action: "deleteView",
      details: expect.objectContaining({ view_id: id, name: "Guest's" }),
    }),
  );
});

test("busbar view lists, shows, exports, imports and deletes", async () => {
  const own = busbar.as(busbar.adminToken);
  await own.post(elsewhere, dashboard([TILE, CONTROL], { name: "Exported", is_shared: true }));
  const env = { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: busbar.adminToken };
  const run = (...args: readonly string[]) => runBusbar(args, { env });
  expect((await run("view", "list", "Other")).out).toContain("Exported");
  const file = join(busbar.data, "views.json");
  writeFileSync(file, (await run("view", "export", "Other", "-o", "json")).out);
  expect(JSON.parse(readFileSync(file, "utf8")).views).toHaveLength(1);
  expect((await run("view", "import", "Other", file)).out).toBe("saved 1 views\n");
  const { views } = JSON.parse((await run("view", "list", "Other", "-o", "json")).out);
  expect(views.map(({ name }: { name: string }) => name)).toEqual(["Exported", "Exported"]);
  const shown = (await run("view", "show", "Other", views[0].id)).out;
  expect([shown.includes('"tiles"'), shown.includes('"battery_power"')]).toEqual([true, true]);
  expect((await run("view", "delete", "Other", views[0].id, "--yes")).out).toBe(`deleted ${views[0].id}\n`);
  writeFileSync(file, "{");
  expect(await run("view", "import", "Other", file)).toMatchObject({ code: 2 });
});

test("a kiosk link signs in once, to read one site, and ends with its token", async () => {
  const view = await save("ben", dashboard([TILE], { name: "Hall", is_shared: true }));
  const kiosk = `${path}/${view.id}/kiosk`;
  expect((await as("ben").post(kiosk, {})).status).toBe(403);
  const owner = busbar.as(await busbar.token({ level: "owner", site_ids: [path.split("/")[3]] }));
  const { body } = await owner.post<{ token_id: string; code: string }>(kiosk, { expires_in: "40d" });
  const page = { headers: { "Sec-Fetch-Site": "same-origin" } };
  const signIn = (code: string) => busbar.anonymous.post("/v3/sessions", { code }, page);
  const signed = await signIn(body.code);
  expect(signed.body).toMatchObject({ session: { token_name: "Kiosk Hall", level: "readonly" } });
  expect((await signIn(body.code)).status).toBe(401);
  // Nobody signs in again at a wall: the session lasts as long as the token.
  const { session } = signed.body as { session: { created_at: string; expires_at: string } };
  const days = (Date.parse(session.expires_at) - Date.parse(session.created_at)) / 86_400_000;
  expect(Math.round(days)).toBe(40);
  const cookie = /^[^;]+/.exec(signed.headers.getSetCookie()[0] ?? "")?.[0] ?? "";
  const screen = { headers: { Cookie: cookie, "Sec-Fetch-Site": "same-origin" } };
  const one = `${path}/${view.id}`;
  expect((await busbar.anonymous.get(one, screen)).status).toBe(200);
  expect((await busbar.anonymous.patch(one, { revision: 1, name: "x" }, screen)).status).toBe(403);
  expect((await busbar.anonymous.post(kiosk, {}, screen)).status).toBe(403);
  expect((await busbar.anonymous.post("/v3/sessions/codes", undefined, screen)).status).toBe(403);
  expect((await busbar.anonymous.post("/v3/tokens", { name: "x", level: "readonly" }, screen)).status).toBe(403);
  expect((await busbar.anonymous.get(elsewhere, screen)).status).toBe(404);
  const tokens = await owner.get<{ tokens: readonly { id: string; name: string }[] }>("/v3/tokens");
  expect(tokens.body.tokens).toContainEqual(expect.objectContaining({ id: body.token_id, name: "Kiosk Hall" }));
  await owner.delete(`/v3/tokens/${body.token_id}`);
  expect((await busbar.anonymous.get(one, screen)).status).toBe(401);
});

test("only a shared dashboard gets a kiosk link, for a time that ends", async () => {
  const link = (id: string, body: unknown) => busbar.admin.post(`${path}/${id}/kiosk`, body);
  const chart = await busbar.admin.post<Saved>(path, { ...EXPLORE, is_shared: true });
  const own = await busbar.admin.post<Saved>(path, dashboard([]));
  const shared = await busbar.admin.post<Saved>(path, dashboard([], { is_shared: true }));
  expect((await link(chart.body.view.id, {})).status).toBe(409);
  expect((await link(own.body.view.id, {})).status).toBe(409);
  for (const expires_in of ["", "never", "-1d", "1000y", 5, "0s"]) {
    const { status } = await link(shared.body.view.id, { expires_in });
    expect([expires_in, status]).toEqual([expires_in, expires_in === "" ? 200 : 400]);
  }
  expect((await busbar.admin.post(`${elsewhere}/${shared.body.view.id}/kiosk`, {})).status).toBe(404);
});
