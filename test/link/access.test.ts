// Tokens of the cloud on the gateway, and the gateway's own credential.
import { expect, test } from "vitest";
import { eventually, isLinked, useLinkedPair } from "../support/linked-pair.ts";
import { runBusbar } from "../support/run-busbar.ts";

const pair = useLinkedPair();
const { cloud, gateway } = pair;

interface WireToken {
  readonly id: string;
  readonly name: string;
  readonly from_cloud: boolean;
}

async function tokenIn({ admin }: typeof cloud, name: string): Promise<WireToken | undefined> {
  const { body } = await admin.get<{ tokens: WireToken[] }>("/v3/tokens");
  return body.tokens.find((token) => token.name === name);
}

const statusOf = async (token: string) => (await gateway.as(token).get("/v3/devices")).status;

test("a token of the cloud works on the gateway, also without the line, and a revoked one ends when it is back", async () => {
  await eventually(async () => expect((await cloud.admin.get(`/v3/sites/${pair.site.siteId}`)).status).toBe(200));
  const grant = { level: "user", site_ids: [pair.site.siteId] };
  const [kept, revoked] = [
    await cloud.token({ name: "kept", ...grant }),
    await cloud.token({ name: "revoked", ...grant }),
  ];
  const foreign = await cloud.admin.post<{ site: { id: string } }>("/v3/sites", { name: "elsewhere" });
  const other = await cloud.token({ name: "other", level: "owner", site_ids: [foreign.body.site.id] });
  for (const token of [kept, revoked]) await eventually(async () => expect(await statusOf(token)).toBe(200));
  const mistyped = `${kept.slice(0, -1)}${kept.endsWith("x") ? "y" : "x"}`;
  expect([await statusOf(other), await statusOf(mistyped)]).toEqual([401, 401]);
  expect(await tokenIn(gateway, "kept")).toMatchObject({ from_cloud: true });
  const id = await pair.site.device("seen");
  expect((await gateway.as(kept).get(`/v3/devices/${id}`)).status).toBe(200);
  expect((await gateway.as(kept).patch(`/v3/devices/${id}`, { name: "x" })).status).toBe(403);
  pair.line.cut();
  await isLinked(gateway, false);
  await cloud.admin.delete(`/v3/tokens/${(await tokenIn(cloud, "revoked"))?.id}`);
  await gateway.restart();
  expect([await statusOf(kept), await statusOf(revoked)]).toEqual([200, 200]);
  pair.line.heal();
  await eventually(async () => expect(await statusOf(revoked)).toBe(401));
  expect(await statusOf(kept)).toBe(200);
  // With the line it is taken back at once.
  await cloud.admin.delete(`/v3/tokens/${(await tokenIn(cloud, "kept"))?.id}`);
  await eventually(async () => expect(await statusOf(kept)).toBe(401));
  for (const token of [kept, revoked]) expect(gateway.log + cloud.log).not.toContain(token);
});

test("a person of the cloud changes a gateway's site with the level of that site, and with that of no other one", async () => {
  const { body } = await cloud.admin.post<{ site: { id: string } }>("/v3/sites", { name: "in the cloud" });
  const sites = { linked: pair.site.siteId, other: body.site.id };
  const headers = { "Sec-Fetch-Site": "same-origin" };
  const enter = async (owned: keyof typeof sites) => {
    const by = { mail: `${owned}@example.org`, password: "four plain small words" };
    const site_levels = [{ site_id: sites[owned], level: "owner" }];
    const access = { level: "readonly", site_ids: Object.values(sites), site_levels };
    const added = await cloud.admin.post("/v3/accounts", { name: `owns ${owned}`, ...by, ...access });
    expect(added.errors).toEqual([]);
    const { headers: answered } = await cloud.anonymous.post("/v3/sessions", by, { headers });
    const cookie = (answered.getSetCookie()[0] ?? "").split(";")[0] ?? "";
    return (method: string, path: string, json?: unknown) =>
      cloud.anonymous.call(method, path, {
        ...(json !== undefined && { json }),
        headers: { ...headers, Cookie: cookie },
      });
  };
  const id = await pair.site.device("of a site with levels");
  const [owner, reader] = [await enter("linked"), await enter("other")];
  for (const one of [owner, reader])
    await eventually(async () => expect((await one("GET", `/v3/devices/${id}`)).status).toBe(200));
  expect((await reader("PATCH", `/v3/devices/${id}`, { name: "by the reader" })).status).toBe(403);
  expect((await owner("PATCH", `/v3/devices/${id}`, { name: "by the owner" })).status).toBe(200);
  await eventually(async () => expect((await gateway.admin.get(`/v3/devices/${id}`)).text).toContain("by the owner"));
  const { text } = await gateway.admin.get("/v3/audit?action.in=updateDevice");
  expect([text.includes("owns linked"), text.includes("owns other")]).toEqual([true, false]);
});

test("a person of the cloud is known on the gateway, with the level there, and a change of it arrives", async () => {
  const elsewhere = (await cloud.admin.post<{ site: { id: string } }>("/v3/sites", { name: "of Greta" })).body.site.id;
  const { siteId } = pair.site;
  const access = {
    level: "readonly",
    site_ids: [siteId, elsewhere],
    site_levels: [{ site_id: siteId, level: "owner" }],
  };
  const body = { name: "Greta", mail: "greta@example.org", password: "four plain small words", ...access };
  const { id } = (await cloud.admin.post<{ account: { id: string } }>("/v3/accounts", body)).body.account;
  const known = async () => await tokenIn(gateway, "Greta");
  await eventually(async () =>
    expect(await known()).toMatchObject({
      id,
      account_id: id,
      from_cloud: true,
      site_ids: [siteId],
      level: "readonly",
    }),
  );
  const more = async () => {
    let found: unknown;
    await gateway.withRecords(async ({ tokens }) => {
      found = (await tokens.find(id))?.siteLevels;
    });
    await gateway.restart();
    return found;
  };
  expect(await more()).toEqual(new Map([[siteId, "owner"]]));
  await isLinked(gateway, true);
  // She is none of the people of the gateway, and nobody there becomes her.
  expect((await gateway.admin.get(`/v3/accounts/${id}`)).status).toBe(404);
  const signIn = { mail: body.mail, password: body.password };
  const headers = { "Sec-Fetch-Site": "same-origin" };
  expect((await gateway.anonymous.post("/v3/sessions", signIn, { headers })).status).toBe(401);
  await cloud.admin.patch(`/v3/accounts/${id}`, { name: "Greta G", level: "user" });
  await eventually(async () => expect(await tokenIn(gateway, "Greta G")).toMatchObject({ level: "user" }));
  await cloud.admin.delete(`/v3/accounts/${id}`);
  await eventually(async () => expect(await tokenIn(gateway, "Greta G")).toBeUndefined());
});

/** Calls a server as the page of somebody who has signed in. */
function pageOf(server: typeof cloud, answered: { readonly headers: Headers }) {
  const cookie = (answered.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
  return async (method: string, path: string, json?: unknown) =>
    await server.anonymous.call<Record<string, string>>(method, path, {
      ...(json !== undefined && { json }),
      headers: { "Sec-Fetch-Site": "same-origin", Cookie: cookie },
    });
}

test("a person of the cloud signs in to the gateway by a code, once, also without the line, and is out with a new password", async () => {
  const headers = { "Sec-Fetch-Site": "same-origin" };
  const { siteId } = pair.site;
  const by = { mail: "hanna@example.org", password: "four plain small words" };
  const access = { level: "readonly", site_ids: [siteId], site_levels: [{ site_id: siteId, level: "owner" }] };
  const added = await cloud.admin.post<{ account: { id: string } }>("/v3/accounts", {
    name: "Hanna",
    ...by,
    ...access,
  });
  const person = pageOf(cloud, await cloud.anonymous.post("/v3/sessions", by, { headers }));
  const path = `/v3/sites/${siteId}/sign_in_codes`;
  await eventually(async () => expect((await person("POST", path)).status).toBe(200));
  const { code } = (await person("POST", path)).body;
  const answered = await gateway.anonymous.post<{ session: object }>("/v3/sessions", { code }, { headers });
  const levels = { level: "readonly", site_levels: [{ site_id: siteId, level: "owner" }] };
  expect(answered.body.session).toMatchObject({ token_name: "Hanna", account_id: null, ...levels });
  expect((await gateway.anonymous.post("/v3/sessions", { code }, { headers })).status).toBe(401);
  const here = pageOf(gateway, answered);
  const id = await pair.site.device("of Hanna");
  expect((await here("PATCH", `/v3/devices/${id}`, { name: "by Hanna" })).status).toBe(200);
  // She has no account here, so she lets no program in as an owner of some other site would not either.
  expect((await here("GET", "/v3/account")).status).toBe(404);
  expect((await here("POST", "/v3/tokens", { name: "x", level: "installer", site_ids: [siteId] })).status).toBe(403);

  // The admin of the cloud is not that of the gateway, though both have the same id. Other tokens are known there.
  const token = await cloud.token({ name: "no person", level: "owner" });
  await eventually(async () => expect(await statusOf(token)).toBe(200));
  expect((await cloud.admin.post(path, undefined)).status).toBe(409);
  expect((await cloud.as(token).post(path, undefined)).status).toBe(200);
  const possible = `/v3/sites/${siteId}/gateway_sign_in`;
  expect((await person("GET", possible)).body).toEqual({ possible: true, url: null });
  expect((await cloud.as(token).get(possible)).body).toEqual({ possible: true, url: null });
  for (const other of [gateway.admin, cloud.admin])
    expect((await other.get(possible)).body).toEqual({ possible: false, url: null });
  // Whoever reaches the gateway itself gets no code by saying the same there.
  expect((await gateway.admin.post(path, undefined)).status).toBe(409);

  pair.line.cut();
  await isLinked(gateway, false);
  expect((await here("PATCH", `/v3/devices/${id}`, { name: "without the line" })).status).toBe(200);
  pair.line.heal();
  await isLinked(gateway, true);
  await cloud.admin.patch(`/v3/accounts/${added.body.account.id}`, { password: "quite another one" });
  await eventually(async () => expect((await here("GET", "/v3/sessions/current")).status).toBe(401));
});

test("a token of a person of the cloud gets a code with its own rights, and the CLI a link with the address of the gateway", async () => {
  const headers = { "Sec-Fetch-Site": "same-origin" };
  const { siteId } = pair.site;
  const by = { mail: "ines@example.org", password: "four plain small words" };
  await cloud.admin.post("/v3/accounts", { name: "Ines", ...by, level: "owner" });
  const person = pageOf(cloud, await cloud.anonymous.post("/v3/sessions", by, { headers }));
  const { token = "" } = (await person("POST", "/v3/tokens", { name: "laptop", level: "user" })).body;
  await gateway.restart(["--oidc-address", "https://north.example"]);
  await isLinked(gateway, true);
  const answers = async () =>
    expect((await cloud.as(token).get(`/v3/sites/${siteId}/gateway_sign_in`)).body).toMatchObject({ possible: true });
  await eventually(answers);
  const asked = ["gateway", "sign-in-code", siteId, "--url", cloud.url];
  const run = await runBusbar(asked, { env: { BUSBAR_TOKEN: token } });
  expect([run.code, run.err]).toEqual([0, expect.stringContaining("signs in once")]);
  const { hash, origin, pathname } = new URL(run.out.trim());
  expect([origin, pathname]).toEqual(["https://north.example", "/sign-in"]);
  const code = hash.replace("#code=", "");
  const answered = await gateway.anonymous.post<{ session: object }>("/v3/sessions", { code }, { headers });
  expect(answered.body.session).toMatchObject({ token_name: "Ines: laptop", level: "user" });
  await gateway.restart();
  await isLinked(gateway, true);
});

test("where offline access is off, tokens of the cloud are not taken", async () => {
  const token = await cloud.token({ name: "unwanted", level: "user" });
  await eventually(async () => expect(await statusOf(token)).toBe(200));
  await gateway.restart(["--link-offline-access", "off"]);
  await eventually(async () => expect(await tokenIn(gateway, "unwanted")).toBeUndefined());
  expect(await statusOf(token)).toBe(401);
  await gateway.restart();
  await isLinked(gateway, true);
});

/** What the cloud compares with. */
async function credentials(): Promise<{ readonly hash: string; readonly mustRotate: boolean | undefined }> {
  let found: { hash: string; mustRotate: boolean | undefined } | undefined;
  const port = cloud.port;
  await cloud.withRecords(async ({ gateways }) => {
    const [one] = (await gateways.list({}, { limit: 1, offset: 0 })).items;
    found = { hash: Buffer.from(one?.credentialHash ?? []).toString("hex"), mustRotate: one?.mustRotate };
  });
  await cloud.restart(["--port", String(port)]);
  return found ?? { hash: "", mustRotate: undefined };
}

test("a gateway replaces its credential when it is asked to, and goes on with the new one", async () => {
  const before = await credentials();
  await isLinked(gateway, true);
  const { body } = await cloud.admin.get<{ gateways: { id: string }[] }>("/v3/gateways");
  const path = `/v3/gateways/${body.gateways[0]?.id}/rotate_credential`;
  expect((await cloud.admin.post(path, undefined)).status).toBe(200);
  await eventually(async () => expect(cloud.log).toContain("a gateway has another credential"));
  const after = await credentials();
  expect(after.hash).not.toBe(before.hash);
  expect(after.mustRotate).toBe(false);
  await gateway.restart();
  await isLinked(gateway, true);
});

test("a gateway replaces its credential by itself when it is old enough", async () => {
  const before = await credentials();
  await gateway.restart(["--link-credential-lifetime", "1s"]);
  await isLinked(gateway, true);
  await eventually(async () => expect(cloud.log.match(/a gateway has another credential/g)?.length).toBeGreaterThan(1));
  expect((await credentials()).hash).not.toBe(before.hash);
});

test("a token of the cloud ends when the gateway leaves, and one that was revoked meanwhile is not back with the gateway", async () => {
  const token = await cloud.token({ name: "left behind", level: "installer" });
  await eventually(async () => expect(await statusOf(token)).toBe(200));
  expect((await gateway.admin.delete("/v3/uplink")).status).toBe(200);
  expect(await statusOf(token)).toBe(401);
  await cloud.admin.delete(`/v3/tokens/${(await tokenIn(cloud, "left behind"))?.id}`);
  const known = await cloud.token({ name: "known again", level: "user" });
  const { body } = await cloud.admin.post<{ code: string }>("/v3/gateways/join_codes", { name: "North" });
  expect((await gateway.admin.post("/v3/uplink", { url: pair.line.url, code: body.code })).status).toBe(200);
  await eventually(async () => expect(await statusOf(known)).toBe(200));
  expect(await statusOf(token)).toBe(401);
});
