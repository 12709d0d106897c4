// Sign-in of the page: the cookie, where it is accepted, how it is renewed and how it ends.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import type { Page } from "#client/page.ts";
import type { AuditEntry } from "#client/resources.ts";
import { listen } from "../support/listen.ts";
import { type Answer, type CallOptions, useServer } from "../support/server.ts";
import { openSocket, refusedSocket } from "../support/web-socket.ts";

const busbar = useServer(["--http-wrong-token-limit", "5", "--http-trust-proxy", "127.0.0.1"]);

interface Session {
  readonly id: string;
  readonly token_id: string;
  readonly level: string;
  readonly current?: boolean;
  readonly last_used_at?: string;
}

type Headers = Readonly<Record<string, string>>;
const OWN_PAGE = { "Sec-Fetch-Site": "same-origin" };
let lastAddress = 0;
/** Wrong sign-ins are counted by address. */
const newAddress = () => ({ "X-Forwarded-For": `203.0.113.${++lastAddress}` });

afterEach(() => {
  vi.useRealTimers();
});

const cookieOf = ({ headers }: Answer<unknown>) => (headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";

async function signIn(by: object, headers: Headers = {}): Promise<Answer<{ session: Session }>> {
  return await busbar.anonymous.post("/v3/sessions", by, { headers: { ...OWN_PAGE, ...newAddress(), ...headers } });
}

/** Calls of a browser that has signed in. */
function browser(cookie: string) {
  return {
    cookie,
    call: <Body = unknown>(method: string, path: string, { headers, ...rest }: CallOptions = {}) =>
      busbar.anonymous.call<Body>(method, path, { ...rest, headers: { ...OWN_PAGE, Cookie: cookie, ...headers } }),
  };
}

async function newBrowser(token: string = busbar.adminToken) {
  return browser(cookieOf(await signIn({ token })));
}

async function newToken(grant: object = {}): Promise<{ readonly id: string; readonly token: string }> {
  return (await busbar.admin.post<{ id: string; token: string }>("/v3/tokens", { name: "t", level: "owner", ...grant }))
    .body;
}

const current = async (page: ReturnType<typeof browser>) =>
  (await page.call<{ session: Session }>("GET", "/v3/sessions/current")).body.session;

test("a token signs in: the answer says who it is, and the cookie is for this server's pages only", async () => {
  const { token, id } = await newToken({ level: "user" });
  const answer = await signIn({ token });
  expect(answer.status).toBe(200);
  expect(answer.body.session).toMatchObject({ token_id: id, token_name: "t", level: "user", site_ids: null });
  const [cookie = ""] = answer.headers.getSetCookie();
  expect(cookie).toMatch(
    /^busbar-[0-9a-f]{8}=bs_[0-9A-Za-z]{71}; Max-Age=259\d{4}; Path=\/; HttpOnly; SameSite=Strict$/,
  );
  const page = browser(cookieOf(answer));
  expect((await page.call("GET", "/v3/sites")).status).toBe(200);
  expect((await page.call("GET", "/api/v3/sites")).status).toBe(200);
  expect((await page.call("GET", "/v3/tokens")).status).toBe(403);
  expect(await current(page)).toEqual(answer.body.session);
});

test("over TLS the cookie is Secure, and its name makes browsers keep it for this host alone", async () => {
  const answer = await signIn({ token: busbar.adminToken }, { "X-Forwarded-Proto": "https" });
  const [cookie = ""] = answer.headers.getSetCookie();
  expect(cookie).toMatch(/^__Host-busbar-\w+=bs_\w+; .*Path=\/; HttpOnly; SameSite=Strict; Secure$/);
  const page = browser(cookieOf(answer));
  const secure = { headers: { "X-Forwarded-Proto": "https" } };
  expect((await page.call("GET", "/v3/sites", secure)).status).toBe(200);
  expect((await page.call("GET", "/v3/sites")).status).toBe(401);
  const plain = browser(page.cookie.replace("__Host-", ""));
  expect((await plain.call("GET", "/v3/sites", secure)).status).toBe(401);
});

test("neither the token nor the text of the cookie is stored or logged", async () => {
  const { token } = await newToken();
  const page = await newBrowser(token);
  await page.call("GET", "/v3/sites");
  const secret = page.cookie.split("=")[1] ?? "";
  expect(secret).toHaveLength(74);
  for (const file of ["records.db", "records.db-wal"]) {
    const stored = readFileSync(join(busbar.data, file));
    for (const text of [token, secret, secret.slice(25, 68)]) expect(stored.includes(text)).toBe(false);
  }
  expect(busbar.log).not.toContain(secret);
});

test("a cookie with one letter changed, or the token itself as a cookie, is refused", async () => {
  const { cookie } = await newBrowser();
  const name = cookie.split("=")[0] ?? "";
  for (const value of [`${cookie.slice(0, -1)}${cookie.endsWith("a") ? "b" : "a"}`, `${name}=${busbar.adminToken}`]) {
    expect((await browser(value).call("GET", "/v3/sites")).status).toBe(401);
  }
  const asToken = cookie.split("=")[1] ?? "";
  expect((await busbar.as(asToken).get("/v3/sites", { headers: newAddress() })).status).toBe(401);
});

test("a token in a header counts, whatever cookie comes with it, and needs no word about its origin", async () => {
  const { cookie } = await newBrowser();
  const reader = await busbar.token({ level: "readonly" });
  const headers = { Cookie: cookie, "X-Service-Auth-Token": reader, Origin: "https://evil.example" };
  expect((await busbar.anonymous.get("/v3/tokens", { headers })).status).toBe(403);
  const made = await busbar.as(busbar.adminToken).post("/v3/sites", { name: "By token" }, { headers: { Cookie: "x" } });
  expect(made.status).toBe(200);
  const empty = { Cookie: cookie, "X-Service-Auth-Token": "" };
  expect((await busbar.anonymous.get("/v3/sites", { headers: empty })).status).toBe(401);
});

/** What a call says about where it comes from, and whether a read, a change and a WebSocket by cookie are served. */
const host = () => `127.0.0.1:${busbar.port}`;
const SOURCES: readonly (readonly [string, () => Headers, read: boolean, change: boolean])[] = [
  ["our own page", () => ({ "Sec-Fetch-Site": "same-origin" }), true, true],
  ["our own page, with its origin", () => ({ ...OWN_PAGE, Origin: `http://${host()}` }), true, true],
  ["our own page without Sec-Fetch-Site", () => ({ Origin: `http://${host()}` }), true, true],
  ["our own page behind a TLS proxy", () => ({ Origin: `https://${host()}` }), true, true],
  ["a person who types the address", () => ({ "Sec-Fetch-Site": "none" }), true, false],
  ["a caller that says nothing", () => ({}), true, false],
  ["another site", () => ({ "Sec-Fetch-Site": "cross-site" }), false, false],
  ["another port of this host", () => ({ "Sec-Fetch-Site": "same-site" }), false, false],
  [
    "another site that claims our origin",
    () => ({ "Sec-Fetch-Site": "cross-site", Origin: `http://${host()}` }),
    false,
    false,
  ],
  ["a word that no browser says", () => ({ "Sec-Fetch-Site": "Same-Origin" }), false, false],
  ["two words", () => ({ "Sec-Fetch-Site": "same-origin, cross-site" }), false, false],
  ["another origin", () => ({ Origin: "https://evil.example" }), false, false],
  ["another port, by origin", () => ({ Origin: "http://127.0.0.1:1" }), false, false],
  ["an origin that begins like ours", () => ({ Origin: `http://${host()}.evil.example` }), false, false],
  ["an opaque origin", () => ({ Origin: "null" }), false, false],
  ["no origin at all", () => ({ Origin: "nonsense" }), false, false],
];

/** A call of each kind; the parameter is one that does not exist, so nothing is changed where it is served. */
const CHANGES: readonly (readonly [method: string, path: string, json?: object])[] = [
  ["POST", "/v3/sites", { name: "" }],
  ["POST", "/api/v3/tokens", { name: "" }],
  ["PUT", "/v3/devices/none/configuration", {}],
  ["PATCH", "/v3/devices/none", { name: "x" }],
  ["DELETE", "/v3/devices/none"],
  ["POST", "/v3/devices/none/commands/execute", { name: "x" }],
  ["POST", "/telemetry/v1/timeseries", {}],
];

test.each(SOURCES)("%s", async (_, headersOf, read, change) => {
  const { cookie } = await newBrowser();
  const headers = { Cookie: cookie, ...headersOf() };
  const statusOf = async (method: string, path: string, json?: object) => {
    const { status, errors } = await busbar.anonymous.call(method, path, { headers, json });
    return [method, path, errors[0]?.code === "foreign_origin" ? status : "served"];
  };
  for (const path of ["/v3/sites", "/v3/events", "/api/v3/audit", "/v3/devices/none"]) {
    expect(await statusOf("GET", path)).toEqual(["GET", path, read ? "served" : 403]);
    expect((await busbar.anonymous.call("HEAD", path, { headers })).status === 403).toBe(!read);
  }
  for (const [method, path, json] of CHANGES) {
    expect(await statusOf(method, path, json)).toEqual([method, path, change ? "served" : 403]);
  }
  const socket = await refusedSocket(`${busbar.url}/v3/devices/none/logs`, headers);
  expect(socket.status).toBe(change ? 404 : 403);
  // A foreign page must not sign anybody in either: the person would act in somebody else's name.
  const signed = await busbar.anonymous.post("/v3/sessions", { token: busbar.adminToken }, { headers: headersOf() });
  expect([signed.status, signed.headers.getSetCookie().length]).toEqual(change ? [200, 1] : [403, 0]);
});

test("a browser finds its session, or none: neither is a refusal, and other pages are told nothing", async () => {
  const find = async (cookie: string) =>
    (await browser(cookie).call<{ session: Session | null }>("GET", "/v3/sessions/here")).body.session;
  const one = await newBrowser();
  expect(await find(one.cookie)).toEqual(await current(one));
  const before = await refusals();
  expect(await find("a=b")).toBeNull();
  expect(await find(`${one.cookie.slice(0, -4)}abcd`)).toBeNull();
  await one.call("DELETE", "/v3/sessions/current");
  expect(await find(one.cookie)).toBeNull();
  expect((await busbar.anonymous.get<object>("/v3/sessions/here")).body).toEqual({ session: null });
  expect(await refusals()).toBe(before);
  const two = await newBrowser();
  const foreign = { headers: { Cookie: two.cookie, "Sec-Fetch-Site": "cross-site" } };
  expect((await busbar.anonymous.get("/v3/sessions/here", foreign)).status).toBe(403);
});

async function refusals(): Promise<number> {
  return (await busbar.admin.get<Page<"entries", AuditEntry>>("/v3/audit?outcome.in=REFUSED&limit=0")).body.total_count;
}

test("a refused foreign call is in the audit log", async () => {
  const { cookie } = await newBrowser();
  const headers = { Cookie: cookie, "Sec-Fetch-Site": "cross-site" };
  await busbar.anonymous.delete("/v3/sessions", { headers });
  const { body } = await busbar.admin.get<Page<"entries", AuditEntry>>("/v3/audit?action.in=endOwnSessions&limit=1");
  expect(body.entries[0]).toMatchObject({ outcome: "REFUSED", code: "foreign_origin" });
});

test("pages of allowed other origins use tokens and never the session", async () => {
  await busbar.restart(["--http-cors-origins", "https://app.example"]);
  const { cookie } = await newBrowser();
  const refused = await busbar.anonymous.get("/v3/sites", {
    headers: { Cookie: cookie, Origin: "https://app.example" },
  });
  expect([refused.status, refused.headers.get("access-control-allow-credentials")]).toEqual([403, null]);
  await busbar.restart();
});

test("sign-in, sign-out and sign-out everywhere are in the audit log, with the token that did it", async () => {
  const { token, id } = await newToken();
  const [one, two] = [await newBrowser(token), await newBrowser(token)];
  await one.call("DELETE", "/v3/sessions/current");
  await two.call("DELETE", "/v3/sessions");
  const { body } = await busbar.admin.get<Page<"entries", AuditEntry>>("/v3/audit?limit=4");
  expect(body.entries.map(({ action, actor, target }) => [action, actor?.token_id, target.token_id])).toEqual(
    ["endOwnSessions", "endCurrentSession", "createSession", "createSession"].map((action) => [action, id, id]),
  );
});

test("signing out ends the session at once, clears the cookie and leaves other sessions alone", async () => {
  const { token } = await newToken();
  const [one, two] = [await newBrowser(token), await newBrowser(token)];
  const out = await one.call("DELETE", "/v3/sessions/current");
  expect(out.headers.getSetCookie()[0]).toMatch(/^busbar-\w+=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict$/);
  expect((await one.call("GET", "/v3/sites")).status).toBe(401);
  expect((await two.call("GET", "/v3/sites")).status).toBe(200);
});

test("sign-out everywhere ends all sessions of the token, its streams too, and not the token", async () => {
  const { token } = await newToken();
  const [one, two, other] = [await newBrowser(token), await newBrowser(token), await newBrowser()];
  const stream = await fetch(`${busbar.url}/v3/events`, { headers: { Cookie: two.cookie, ...OWN_PAGE } });
  expect(stream.status).toBe(200);
  expect((await one.call("DELETE", "/v3/sessions")).status).toBe(200);
  for await (const _ of stream.body ?? []);
  for (const page of [one, two]) expect((await page.call("GET", "/v3/sites")).status).toBe(401);
  expect((await other.call("GET", "/v3/sites")).status).toBe(200);
  expect((await busbar.as(token).get("/v3/sites")).status).toBe(200);
});

test("one session is ended from another, with its event stream and WebSocket, and those of the token stay", async () => {
  const { site } = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Metered" })).body;
  const meter = { name: "Meter", site_id: site.id };
  const made = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", meter);
  const { token } = await newToken();
  const [one, two] = [await newBrowser(token), await newBrowser(token)];
  const headers = { Cookie: two.cookie, ...OWN_PAGE };
  const stream = await fetch(`${busbar.url}/v3/events`, { headers });
  const socket = await openSocket(`${busbar.url}/v3/devices/${made.body.device_id}/logs`, headers);
  const byToken = await listen(busbar.url, token);
  expect((await one.call("DELETE", `/v3/sessions/${(await current(two)).id}`)).status).toBe(200);
  for await (const _ of stream.body ?? []);
  expect((await socket.closed).code).toBe(1001);
  expect((await two.call("GET", "/v3/sites")).status).toBe(401);
  expect((await one.call("GET", "/v3/sites")).status).toBe(200);
  byToken.close();
});

test("a session ends with its token: revoked at once, and at the token's expiry", async () => {
  const { token, id } = await newToken();
  const page = await newBrowser(token);
  expect((await page.call("GET", "/v3/sites")).status).toBe(200);
  await busbar.admin.delete(`/v3/tokens/${id}`);
  expect((await page.call("GET", "/v3/sites")).status).toBe(401);
  const short = await newToken({ expires_in: 60 });
  const brief = await signIn({ token: short.token });
  expect(brief.headers.getSetCookie()[0]).toMatch(/Max-Age=(59|60);/);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  expect((await browser(cookieOf(brief)).call("GET", "/v3/sites")).status).toBe(401);
});

test("a session outlives a restart", async () => {
  const page = await newBrowser();
  await busbar.restart();
  expect((await page.call("GET", "/v3/sites")).status).toBe(200);
});

test("each sees its own sessions; an owner also those of the tokens that it can list", async () => {
  const [owner, user, stranger] = [
    await newToken(),
    await newToken({ level: "user" }),
    await newToken({ level: "vendor" }),
  ];
  const [ownerPage, userPage, strangerPage] = [
    await newBrowser(owner.token),
    await newBrowser(user.token),
    await newBrowser(stranger.token),
  ];
  const seen = async (page: ReturnType<typeof browser>) => {
    const { body } = await page.call<Page<"sessions", Session>>("GET", "/v3/sessions?limit=1000");
    expect(body.total_count).toBe(body.sessions.length);
    return body.sessions;
  };
  expect((await seen(userPage)).map(({ token_id, current }) => [token_id, current])).toEqual([[user.id, true]]);
  const ofOwner = await seen(ownerPage);
  expect(ofOwner.find(({ current }) => current)?.token_id).toBe(owner.id);
  expect(ofOwner.map(({ token_id }) => token_id)).toEqual(expect.arrayContaining([owner.id, user.id]));
  expect(ofOwner.map(({ token_id }) => token_id)).not.toContain(stranger.id);
  expect(ofOwner[0]).toMatchObject({ from: expect.stringMatching(/^203\.0\.113\./), user_agent: expect.any(String) });
  const strangerId = (await current(strangerPage)).id;
  const [hidden, unknown] = [strangerId, "019a8c00-0000-7000-8000-000000000009"];
  const answers = await Promise.all([hidden, unknown].map((id) => ownerPage.call("DELETE", `/v3/sessions/${id}`)));
  expect(answers.map(({ status, text }) => [status, text.replaceAll(/[0-9a-f-]{36}/g, "")])).toEqual(
    answers.map(() => [404, answers[0]?.text.replaceAll(/[0-9a-f-]{36}/g, "")]),
  );
  expect((await userPage.call("DELETE", `/v3/sessions/${(await current(ownerPage)).id}`)).status).toBe(404);
  expect((await ownerPage.call("DELETE", `/v3/sessions/${(await current(userPage)).id}`)).status).toBe(200);
});

test("signing in again in the same browser ends its former session", async () => {
  const { token } = await newToken({ level: "user" });
  const first = await newBrowser(token);
  const second = browser(cookieOf(await signIn({ token }, { Cookie: first.cookie })));
  expect((await first.call("GET", "/v3/sites")).status).toBe(401);
  expect((await second.call<Page<"sessions", Session>>("GET", "/v3/sessions")).body.sessions).toHaveLength(1);
});

test("a token has at most 32 sessions: one more ends the one that was used least recently", async () => {
  const { token } = await newToken();
  const pages = [];
  for (let i = 0; i < 33; i++) pages.push(await newBrowser(token));
  expect((await pages[0]?.call("GET", "/v3/sites"))?.status).toBe(401);
  expect((await pages[1]?.call("GET", "/v3/sites"))?.status).toBe(200);
});

test("an old cookie is renewed by any call, and calls that run beside it are served", async () => {
  const { token } = await newToken();
  const page = await newBrowser(token);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
  const answers = await Promise.all(Array.from({ length: 10 }, () => page.call("GET", "/v3/sites")));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const cookies = answers.map(cookieOf).filter((cookie) => cookie !== "");
  expect(cookies).toHaveLength(1);
  const renewed = browser(cookies[0] ?? "");
  expect((await renewed.call("GET", "/v3/sites")).status).toBe(200);
  vi.setSystemTime(Date.now() + 60_000);
  expect((await page.call("GET", "/v3/sites")).status).toBe(401);
  expect((await renewed.call("GET", "/v3/sites")).headers.getSetCookie()).toEqual([]);
});

test.each([
  [{}, ""],
  [{ token: "x", code: "y" }, ""],
  [{ token: 5 }, "/token"],
  [{ code: "x", replace: "yes" }, "/replace"],
  [{ token: "x".repeat(1_001) }, "/token"],
  [{ tokn: "x" }, "/tokn"],
])("a sign-in with %j is refused", async (by, pointer) => {
  const refused = await signIn(by);
  expect([refused.status, refused.errors[0]?.details?.["pointer"]]).toEqual([400, pointer]);
});

test("wrong tokens and codes at sign-in are refused alike, counted with other wrong tokens, and soon have to wait", async () => {
  const address = newAddress();
  const wrong = [{ token: "nonsense" }, { token: `bb_${"0".repeat(71)}` }, { code: "nonsense" }, { code: "__proto__" }];
  for (const by of wrong) {
    const refused = await signIn(by, address);
    expect([refused.status, refused.errors[0]?.code, refused.headers.getSetCookie()]).toEqual([
      401,
      "unauthorized",
      [],
    ]);
  }
  expect((await busbar.as("wrong").get("/v3/sites", { headers: address })).status).toBe(401);
  const limited = await signIn({ token: "nonsense" }, address);
  expect([limited.status, limited.errors[0]?.code]).toEqual([429, "too_many_wrong_tokens"]);
  expect((await signIn({ token: busbar.adminToken }, address)).status).toBe(200);
});

test("a code signs in once, within ten minutes, as the token that made it", async () => {
  const { token, id } = await newToken({ level: "user" });
  const newCode = async () =>
    (await busbar.as(token).post<{ code: string; expires_at: string }>("/v3/sessions/codes", undefined)).body;
  const { code, expires_at } = await newCode();
  expect(code).toMatch(/^[\w-]{43}$/);
  expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(590_000);
  const signed = await signIn({ code });
  expect(signed.body.session).toMatchObject({ token_id: id, level: "user" });
  expect((await signIn({ code })).status).toBe(401);
  const late = await newCode();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 600_000 });
  expect((await signIn({ code: late.code })).status).toBe(401);
});

test("a code replaces the session of another token only when the person agrees, and stays valid until then", async () => {
  const [own, other] = [await newToken({ level: "user" }), await newToken({ name: "Somebody else" })];
  const codeOf = async (token: string) =>
    (await busbar.as(token).post<{ code: string }>("/v3/sessions/codes", undefined)).body.code;
  const page = await newBrowser(own.token);
  const cookie = { Cookie: page.cookie };
  const code = await codeOf(other.token);
  for (const by of [{ code }, { code, replace: false }]) {
    const refused = await signIn(by, cookie);
    expect([refused.status, refused.errors[0]?.code, refused.headers.getSetCookie()]).toEqual([409, "conflict", []]);
    expect(refused.errors[0]?.details).toEqual({ pointer: "/replace", token_name: "Somebody else", level: "owner" });
  }
  expect((await current(page)).token_id).toBe(own.id);
  // Of two calls at once one has the code.
  const answers = await Promise.all([signIn({ code, replace: true }, cookie), signIn({ code, replace: true }, cookie)]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  expect(answers.find(({ status }) => status === 200)?.body.session.token_id).toBe(other.id);
  expect((await page.call("GET", "/v3/sites")).status).toBe(401);
  // A session that has ended is none, and a code of the same token or a token itself needs no word.
  expect((await signIn({ code: await codeOf(other.token) }, cookie)).status).toBe(200);
  const again = { Cookie: (await newBrowser(own.token)).cookie };
  const same = await signIn({ code: await codeOf(own.token) }, again);
  expect(same.status).toBe(200);
  expect((await signIn({ token: other.token }, { Cookie: cookieOf(same) })).status).toBe(200);
});

test("a code of a token that was revoked since does not sign in", async () => {
  const { token, id } = await newToken();
  const { code } = (await busbar.as(token).post<{ code: string }>("/v3/sessions/codes", undefined)).body;
  await busbar.admin.delete(`/v3/tokens/${id}`);
  expect((await signIn({ code })).status).toBe(401);
});

test("a session makes no codes, and belongs to no call with a token", async () => {
  const page = await newBrowser();
  expect((await page.call("POST", "/v3/sessions/codes")).status).toBe(403);
  expect((await busbar.admin.get("/v3/sessions/current")).status).toBe(404);
  expect((await busbar.admin.delete("/v3/sessions/current")).status).toBe(404);
});
