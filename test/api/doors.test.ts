// Who did something, and through which door the call came: in the audit log, of executions and of claims.
import { beforeAll, expect, test } from "vitest";
import type { Page } from "#client/page.ts";
import type { Account, AuditEntry, Claim, Execution } from "#client/resources.ts";
import { type CommandSite, commandManifest, makeCommandSite, upload } from "../support/command-site.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);
const PASSWORD = "four plain small words";
const OWN_PAGE = { "Sec-Fetch-Site": "same-origin" };
const CONTROLLED = `
.busbar:
  controls:
    power: {command: start, argument: power}
`;

let site: CommandSite;
let device: string;
let anna: Account;
let cookie: string;
beforeAll(async () => {
  site = await makeCommandSite(busbar, "Doors");
  device = await site.device("d", { blueprint_id: await upload(busbar, commandManifest("Doors", CONTROLLED)) });
  const person = { name: "Anna", mail: "anna@example.org", level: "owner", password: PASSWORD };
  anna = (await busbar.admin.post<{ account: Account }>("/v3/accounts", person)).body.account;
  const by = { mail: anna.mail, password: PASSWORD };
  const { headers } = await busbar.anonymous.post("/v3/sessions", by, { headers: OWN_PAGE });
  cookie = (headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
});

const inPage = <Body>(method: string, path: string, json?: unknown, headers: Readonly<Record<string, string>> = {}) =>
  busbar.anonymous.call<Body>(method, path, { json, headers: { ...OWN_PAGE, Cookie: cookie, ...headers } });
const latest = async (query: string) =>
  (await busbar.admin.get<Page<"entries", AuditEntry>>(`/v3/audit?limit=1&${query}`)).body.entries[0];

test("a session is the page, whatever its calls say; the entry names the person", async () => {
  await inPage("PATCH", `/v3/devices/${device}`, { name: "By page" }, { "X-Busbar-Door": "cli" });
  expect(await latest("action.in=updateDevice")).toMatchObject({
    door: "page",
    actor: { token_id: anna.id, name: "Anna", account_id: anna.id },
  });
  expect(await latest("action.in=createSession")).toMatchObject({ door: "page", actor: { account_id: anna.id } });
});

test("the audit log lists what a person did, and what came through a door, as far as its reader sees it", async () => {
  const name = "Listed";
  await inPage("PATCH", `/v3/devices/${device}`, { name });
  const made = await inPage<{ id: string; token: string }>("POST", "/v3/tokens", { name: "other", level: "owner" });
  await busbar.as(made.body.token).patch(`/v3/devices/${device}`, { name });
  const list = async (query: string, by = busbar.admin) =>
    (await by.get<Page<"entries", AuditEntry>>(`/v3/audit?limit=2&${query}`)).body.entries.map(
      ({ action, door, actor }) => `${action} ${door} ${actor?.name}`,
    );
  const [page, token] = ["updateDevice page Anna", "updateDevice token Anna: other"];
  expect(await list(`actor.in=${anna.id}&action.in=updateDevice`)).toEqual([token, page]);
  expect(await list(`actor.in=${made.body.id}`)).toEqual([token]);
  expect((await list(`actor.in=${anna.id}&door.in=page&action.in=updateDevice`))[0]).toBe(page);
  expect(await list("actor.in=constructor")).toEqual([]);
  expect((await busbar.admin.get("/v3/audit?door.in=window")).status).toBe(400);
  const elsewhere = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Else" })).body.site.id;
  const stranger = busbar.as(await busbar.token({ level: "owner", site_ids: [elsewhere] }));
  expect(await list(`actor.in=${anna.id}`, stranger)).toEqual([]);
});

test("a token is a token, and says of itself at most that it is the command line", async () => {
  const made = await inPage<{ id: string; token: string }>("POST", "/v3/tokens", { name: "tool", level: "owner" });
  const tool = busbar.as(made.body.token);
  for (const [said, door] of [
    [undefined, "token"],
    ["cli", "cli"],
    ["page", "token"],
    ["rule", "token"],
    ["constructor", "token"],
    ["cli, page", "token"],
  ] as const) {
    const headers = said === undefined ? {} : { "X-Busbar-Door": said };
    await tool.call("PATCH", `/v3/devices/${device}`, { json: { name: `said ${said}` }, headers });
    expect(await latest("action.in=updateDevice"), said).toMatchObject({
      door,
      actor: { token_id: made.body.id, name: "Anna: tool", account_id: anna.id },
    });
  }
  const env = { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: made.body.token };
  expect((await runBusbar(["device", "update", device, "--name", "By CLI"], { env })).code).toBe(0);
  expect(await latest("action.in=updateDevice")).toMatchObject({ door: "cli" });
  const { out } = await runBusbar(["audit", "list", "--action", "updateDevice", "--limit", "1"], { env });
  expect(out).toMatch(/DOOR[\s\S]* Anna: tool +cli +updateDevice/);
});

test("a refused call has its door, too; one without a token has none", async () => {
  const before = await inPage("POST", "/v3/tokens", { name: "too much", level: "vendor" });
  expect(before.status).toBe(403);
  expect(await latest("outcome.in=REFUSED&action.in=createToken")).toMatchObject({
    door: "page",
    actor: { account_id: anna.id },
  });
  await busbar.anonymous.get("/v3/sites", { headers: { "X-Busbar-Door": "cli" } });
  expect(await latest("outcome.in=REFUSED&action.in=listSites")).toMatchObject({ door: null, actor: null });
});

test("executions and claims say who asked for them, and how", async () => {
  const path = `/v3/devices/${device}/commands/executions`;
  const asked = { name: "start", arguments: { power: 5 } };
  const { execution_id: id } = (await inPage<{ execution_id: string }>("POST", path, asked)).body;
  const read = async (which: string) => (await busbar.admin.get<{ execution: Execution }>(`${path}/${which}`)).body;
  expect((await read(id)).execution.requested_by).toEqual({ token_id: anna.id, name: "Anna", door: "page" });
  const { body } = await busbar.admin.post<{ execution_id: string }>(path, asked);
  expect((await read(body.execution_id)).execution.requested_by).toMatchObject({ name: "admin", door: "token" });

  const control = `/v3/devices/${device}/controls/power/claims`;
  const claimed = await inPage<{ control: { winner: Claim } }>("POST", control, { value: 7, reason: "test" });
  const { winner } = claimed.body.control;
  expect(winner).toMatchObject({ source: `token:${anna.id}`, source_name: "Anna", door: "page", value: 7 });
  const env = { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: busbar.adminToken };
  expect((await runBusbar(["execution", "get", device, id], { env })).out).toMatch(/by +Anna \(page\)/);
});
