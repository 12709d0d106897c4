// Sign-in of people by mail address and password, and what ends it.
import { expect, test } from "vitest";
import type { Page } from "#client/page.ts";
import type { Account, AuditEntry, ListedSession, Session, Token } from "#client/resources.ts";
import { type Answer, type CallOptions, useServer } from "../support/server.ts";

const busbar = useServer(["--http-wrong-token-limit", "5", "--http-trust-proxy", "127.0.0.1"]);
const PASSWORD = "four plain small words";
const OWN_PAGE = { "Sec-Fetch-Site": "same-origin" };

let last = 0;
const newAddress = () => ({ "X-Forwarded-For": `203.0.113.${++last}` });
const cookieOf = ({ headers }: Answer<unknown>) => (headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";

async function signIn(by: object, headers: Readonly<Record<string, string>> = newAddress()) {
  return await busbar.anonymous.post<{ session: Session }>("/v3/sessions", by, {
    headers: { ...OWN_PAGE, ...headers },
  });
}

/** Calls of a browser that has signed in. */
function browser(cookie: string) {
  const call = <Body = unknown>(method: string, path: string, { headers, ...rest }: CallOptions = {}) =>
    busbar.anonymous.call<Body>(method, path, { ...rest, headers: { ...OWN_PAGE, Cookie: cookie, ...headers } });
  return { cookie, call, status: async () => (await call("GET", "/v3/sites")).status };
}

async function newPerson(more: object = {}) {
  const body = { name: "Anna", mail: `anna${++last}@example.org`, level: "user", password: PASSWORD, ...more };
  const { account } = (await busbar.admin.post<{ account: Account }>("/v3/accounts", body)).body;
  const enter = async (headers = newAddress()) =>
    browser(cookieOf(await signIn({ mail: account.mail, password: PASSWORD }, headers)));
  const change = (what: object) => busbar.admin.patch(`/v3/accounts/${account.id}`, what);
  return { ...account, enter, change };
}

/** An answer without what differs between any two. */
const seen = ({ status, errors, headers }: Answer<unknown>) => ({
  ...{ status, errors },
  headers: [...headers.keys()].filter((name) => name !== "date"),
});

test("a person signs in with mail address and password, and acts by name with own level and sites", async () => {
  const anna = await newPerson();
  const answer = await signIn({ mail: anna.mail.toUpperCase(), password: PASSWORD });
  expect(answer.body.session).toMatchObject({ token_id: anna.id, account_id: anna.id, token_name: "Anna" });
  const page = browser(cookieOf(answer));
  expect(await page.status()).toBe(200);
  expect((await page.call("GET", "/v3/accounts")).status).toBe(403);
  const { account } = (await page.call<{ account: Account }>("GET", "/v3/account")).body;
  expect(account).toMatchObject({ id: anna.id, name: "Anna", last_used_at: expect.any(String) });
});

test("an unknown address, a wrong password, a person without one and a suspended one get the same answer", async () => {
  const [anna, bare, away] = [await newPerson(), await newPerson({ password: null }), await newPerson()];
  await away.change({ suspended: true });
  const answers = [
    await signIn({ mail: anna.mail, password: "wrong wrong wrong" }),
    await signIn({ mail: "nobody@example.org", password: PASSWORD }),
    await signIn({ mail: "constructor", password: PASSWORD }),
    await signIn({ mail: bare.mail, password: PASSWORD }),
    await signIn({ mail: away.mail, password: PASSWORD }),
  ];
  const [first, ...others] = answers.map(seen);
  expect(first).toMatchObject({ status: 401, errors: [{ code: "unauthorized" }] });
  for (const other of others) expect(other).toEqual(first);
});

test("after five wrong passwords from an address, its sixth is not looked at; others sign in", async () => {
  const anna = await newPerson();
  const here = newAddress();
  for (let guess = 0; guess < 5; guess++) {
    expect((await signIn({ mail: anna.mail, password: `wrong guess ${guess}` }, here)).status).toBe(401);
  }
  const refused = await signIn({ mail: anna.mail, password: PASSWORD }, here);
  expect([refused.status, refused.errors[0]?.code]).toEqual([429, "too_many_sign_ins"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await signIn({ mail: anna.mail, password: PASSWORD })).status).toBe(200);
});

test("an oversize password or mail address is refused for its length", async () => {
  const anna = await newPerson();
  for (const length of [257, 900_000]) {
    const refused = await signIn({ mail: anna.mail, password: "x".repeat(length) });
    expect([refused.status, refused.errors[0]?.code]).toEqual([400, "invalid_body"]);
    expect(refused.text).not.toContain("xxxx");
  }
  expect((await signIn({ mail: "x".repeat(255), password: PASSWORD })).status).toBe(400);
});

test.each([
  {},
  { mail: "anna@example.org" },
  { password: PASSWORD },
  { mail: "anna@example.org", password: PASSWORD, token: "bb_x" },
  { mail: "anna@example.org", password: PASSWORD, code: "x" },
  { password: PASSWORD, token: "bb_x" },
])("%j is no way to sign in", async (by) => {
  expect((await signIn(by)).status).toBe(400);
});

test("another page cannot sign anybody in", async () => {
  const anna = await newPerson();
  for (const headers of [
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
    { Origin: "https://x.example" },
  ]) {
    const by = { mail: anna.mail, password: PASSWORD };
    const refused = await busbar.anonymous.post("/v3/sessions", by, { headers });
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([403, []]);
  }
});

test("a cookie that somebody prepared is not adopted, and the browser's former session ends", async () => {
  const anna = await newPerson();
  const first = await anna.enter();
  const name = first.cookie.split("=")[0] ?? "";
  const prepared = `${name}=bs_${"0".repeat(71)}`;
  const by = { mail: anna.mail, password: PASSWORD };
  const second = browser(cookieOf(await signIn(by, { ...newAddress(), Cookie: prepared })));
  expect(second.cookie).not.toBe(prepared);
  const third = browser(cookieOf(await signIn(by, { ...newAddress(), Cookie: first.cookie })));
  expect([await first.status(), await second.status(), await third.status()]).toEqual([401, 200, 200]);
});

test("a suspension ends sessions and streams at once, and a person who may come back signs in anew", async () => {
  const anna = await newPerson();
  const page = await anna.enter();
  const stop = new AbortController();
  const stream = await fetch(`${busbar.url}/v3/events`, {
    headers: { ...OWN_PAGE, Cookie: page.cookie },
    signal: stop.signal,
  });
  const ended = stream.text();
  expect((await anna.change({ suspended: true })).status).toBe(200);
  expect(await page.status()).toBe(401);
  await ended;
  await anna.change({ suspended: false });
  expect(await page.status()).toBe(401);
  expect(await (await anna.enter()).status()).toBe(200);
});

test.each([
  ["a deletion", async (id: string) => busbar.admin.delete(`/v3/accounts/${id}`)],
  ["a new password", async (id: string) => busbar.admin.patch(`/v3/accounts/${id}`, { password: "quite another one" })],
])("%s ends the person's sessions", async (_, end) => {
  const anna = await newPerson();
  const [one, other] = [await anna.enter(), await anna.enter()];
  expect((await end(anna.id)).status).toBe(200);
  expect([await one.status(), await other.status()]).toEqual([401, 401]);
  expect((await signIn({ mail: anna.mail, password: PASSWORD })).status).toBe(401);
});

test("a change of level or sites holds for the sessions that are open", async () => {
  const anna = await newPerson({ level: "owner" });
  const page = await anna.enter();
  expect((await page.call("GET", "/v3/accounts")).status).toBe(200);
  await anna.change({ level: "readonly" });
  expect((await page.call("GET", "/v3/accounts")).status).toBe(403);
  const { id } = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Only" })).body.site;
  await anna.change({ site_ids: [id] });
  const { sites } = (await page.call<{ sites: readonly { id: string }[] }>("GET", "/v3/sites")).body;
  expect(sites.map((site) => site.id)).toEqual([id]);
});

test("people see their own sessions and end them, and not those of others", async () => {
  const [anna, ben] = [await newPerson(), await newPerson()];
  const [desk, phone, other] = [await anna.enter(), await anna.enter(), await ben.enter()];
  const list = async (page: typeof desk) =>
    (await page.call<Page<"sessions", ListedSession>>("GET", "/v3/sessions")).body.sessions;
  const sessions = await list(desk);
  expect(sessions.map(({ token_name, current }) => [token_name, current])).toEqual([
    ["Anna", true],
    ["Anna", false],
  ]);
  const [bens] = await list(other);
  expect((await desk.call("DELETE", `/v3/sessions/${bens?.id}`)).status).toBe(404);
  expect((await desk.call("DELETE", `/v3/sessions/${sessions[1]?.id}`)).status).toBe(200);
  expect([await desk.status(), await phone.status(), await other.status()]).toEqual([200, 401, 200]);
  expect((await desk.call("DELETE", "/v3/sessions")).status).toBe(200);
  expect([await desk.status(), await other.status()]).toEqual([401, 200]);
});

test("people change their own name, language and time format, and nothing else of themselves", async () => {
  const anna = await newPerson();
  const page = await anna.enter();
  const change = (json: object) => page.call<{ account: Account }>("PATCH", "/v3/account", { json });
  const { account } = (await change({ name: "Anna A", language: "de", time_format: "12h" })).body;
  expect(account).toMatchObject({ name: "Anna A", language: "de", time_format: "12h", level: "user" });
  for (const json of [
    { level: "owner" },
    { site_ids: null },
    { mail: "x@example.org" },
    { suspended: false },
    { password: "x" },
  ]) {
    expect((await change(json)).status).toBe(400);
  }
  const { session } = (await page.call<{ session: Session }>("GET", "/v3/sessions/current")).body;
  expect(session.token_name).toBe("Anna A");
});

test("a person changes the password with the current one; other browsers are out, this one stays", async () => {
  const anna = await newPerson();
  const [desk, phone] = [await anna.enter(), await anna.enter()];
  const change = (current_password: string, new_password: string) =>
    desk.call("POST", "/v3/account/password", { json: { current_password, new_password }, headers: newAddress() });
  const wrong = await change("not the current one", "quite another one");
  expect([wrong.status, wrong.errors[0]?.details]).toEqual([400, { pointer: "/current_password" }]);
  for (const bad of ["short", "password123", anna.mail, "x".repeat(257)]) {
    const refused = await change(PASSWORD, bad);
    expect([refused.status, refused.errors[0]?.details]).toEqual([400, { pointer: "/new_password" }]);
  }
  expect([await desk.status(), await phone.status()]).toEqual([200, 200]);
  const done = await change(PASSWORD, "quite another one");
  expect(done.status).toBe(200);
  expect([await desk.status(), await phone.status()]).toEqual([401, 401]);
  expect(await browser(cookieOf(done)).status()).toBe(200);
  expect((await signIn({ mail: anna.mail, password: PASSWORD })).status).toBe(401);
  expect((await signIn({ mail: anna.mail, password: "quite another one" })).status).toBe(200);
});

test("whoever has a session guesses the current password no faster than at sign-in", async () => {
  const anna = await newPerson();
  const page = await anna.enter();
  const headers = newAddress();
  const statuses: number[] = [];
  for (let guess = 0; guess < 7; guess++) {
    const json = { current_password: `wrong guess ${guess}`, new_password: "quite another one" };
    statuses.push((await page.call("POST", "/v3/account/password", { json, headers })).status);
  }
  expect(statuses).toEqual([400, 400, 400, 400, 400, 429, 429]);
});

test("a token has no account, also not one of the same level", async () => {
  const token = busbar.as(await busbar.token({ level: "vendor" }));
  for (const refused of [await token.get("/v3/account"), await token.patch("/v3/account", { name: "x" })]) {
    expect(refused.status).toBe(404);
  }
});

test("sign-ins are listed with address and way, and the audit log names the person", async () => {
  const anna = await newPerson();
  const ben = await newPerson({ name: "Ben" });
  await ben.enter();
  await anna.enter({ "X-Forwarded-For": "198.51.100.1" });
  const page = await anna.enter({ "X-Forwarded-For": "198.51.100.2" });
  await page.call("PATCH", "/v3/account", { json: { language: "de" } });
  const { sign_ins } = (await page.call<Page<"sign_ins", { by: string; from: string }>>("GET", "/v3/account/sign_ins"))
    .body;
  expect(sign_ins.map(({ by, from }) => `${by} ${from}`)).toEqual(["password 198.51.100.2", "password 198.51.100.1"]);
  const { body } = await busbar.admin.get<Page<"entries", AuditEntry>>("/v3/audit?limit=20");
  const entry = body.entries.find(({ action }) => action === "updateOwnAccount");
  expect(entry?.actor).toMatchObject({ token_id: anna.id, name: "Anna" });
});

test("no password is in the log or in the audit log, wrong ones neither", async () => {
  const { text } = await busbar.admin.get("/v3/audit?limit=1000");
  for (const secret of ["four plain", "wrong guess", "quite another", "wrong wrong"]) {
    expect(text).not.toContain(secret);
    expect(busbar.log).not.toContain(secret);
  }
});

test("a token that a person makes is that person's: it names the person, and ends with the suspension", async () => {
  const anna = await newPerson({ level: "owner" });
  const page = await anna.enter();
  const make = async (json: object) =>
    (await page.call<{ id: string; token: string }>("POST", "/v3/tokens", { json })).body;
  const own = await make({ name: "laptop", level: "owner" });
  const theirs = await make({ name: "wall", level: "readonly", of_installation: true });
  const program = busbar.as(own.token);
  // What a person's token makes is that person's, too.
  const made = await program.post<{ id: string; token: string }>("/v3/tokens", { name: "script", level: "user" });
  expect((await page.call("POST", "/v3/tokens", { json: { name: "more", level: "installer" } })).status).toBe(403);
  const { tokens } = (await busbar.admin.get<Page<"tokens", Token>>("/v3/tokens?limit=1000")).body;
  const owners = new Map(tokens.map(({ id, account_id }) => [id, account_id]));
  expect([owners.get(own.id), owners.get(theirs.id), owners.get(made.body.id)]).toEqual([anna.id, null, anna.id]);
  const { body } = await busbar.admin.get<Page<"entries", AuditEntry>>("/v3/audit?limit=10&action.in=createToken");
  expect(body.entries.map(({ actor }) => actor?.name)).toContain("Anna: laptop");
  await anna.change({ suspended: true });
  const statuses = [own.token, made.body.token, theirs.token].map(
    async (text) => (await busbar.as(text).get("/v3/sites")).status,
  );
  expect(await Promise.all(statuses)).toEqual([401, 401, 200]);
});

test("a lower level ends those of the person's tokens that are for more", async () => {
  const anna = await newPerson({ level: "owner" });
  const page = await anna.enter();
  const make = async (level: string) =>
    busbar.as((await page.call<{ token: string }>("POST", "/v3/tokens", { json: { name: level, level } })).body.token);
  const [owner, user] = [await make("owner"), await make("user")];
  await anna.change({ level: "user" });
  expect([(await owner.get("/v3/sites")).status, (await user.get("/v3/sites")).status]).toEqual([401, 200]);
});
