// People who sign in by a real OpenID provider in a process of its own, to a gateway behind a name of the local network; and what
// others might try on the way.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "#client/page.ts";
import type { Account, AuditEntry, ListedSession, Session as SessionResource } from "#client/resources.ts";
import {
  createProviderVisitor,
  type IdentityProviderProcess,
  startIdentityProvider,
} from "../support/identity-provider.ts";
import { createMovableClocks } from "../support/movable-clocks.ts";
import { type Answer, type TestServer, useServer } from "../support/server.ts";

const ADDRESS = "http://gateway.lan";
const OWN_PAGE = { "Sec-Fetch-Site": "same-origin" };
const PATH = "/v3/provider_sign_ins";
const SITE = "01900000-0000-7000-8000-000000000001";

const clocks = createMovableClocks();
const busbar = useServer(["--http-trust-proxy", "127.0.0.1", "--http-wrong-token-limit", "5"], {
  clocks,
  provoked: /a sign-in by the provider failed/,
});
let provider: IdentityProviderProcess;
let site: string;
beforeAll(async () => {
  provider = await startIdentityProvider(ADDRESS);
  site = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "North", timezone: "UTC" })).body.site
    .id;
  await use("admins=owner", "operators=user", `keepers=installer@${site}`, `ghosts=owner@${SITE}`);
});
afterAll(() => provider.stop());

/** Starts again with these rules. */
async function use(...rules: readonly string[]): Promise<void> {
  await busbar.restart([...provider.flags, "--oidc-groups", rules.join(",")], provider.env);
}

let people = 0;
/** Somebody new at the provider. */
async function newPerson(groups: readonly string[], more: object = {}) {
  const id = `person${++people}`;
  const mail = `${id}@example.org`;
  const claims = { name: `Anna ${people}`, email: mail, email_verified: true, ...more };
  const say = (to: readonly string[]) => provider.person(id, { ...claims, groups: to });
  await say(groups);
  return { id, mail, name: claims.name, say };
}

/** A browser: its address, and the cookies that Busbar gave it. */
function newBrowser(address = `203.0.113.${++people}`) {
  const cookies = new Map<string, string>();
  async function call<Body = unknown>(
    method: string,
    path: string,
    json?: unknown,
    headers = {},
  ): Promise<Answer<Body>> {
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const all = { ...OWN_PAGE, "X-Forwarded-For": address, ...(Cookie !== "" && { Cookie }), ...headers };
    const answer = await busbar.anonymous.call<Body>(method, path, { json, headers: all });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    return answer;
  }
  const begin = async () => {
    const answer = await call<{ url: string }>("POST", PATH);
    expect([answer.status, answer.errors]).toEqual([200, []]);
    return answer;
  };
  const finish = (back: URL | string) => {
    const parameters = typeof back === "string" ? back : back.search.slice(1);
    return call<{ session: SessionResource }>("POST", `${PATH}/finish`, { parameters });
  };
  const visit = async (id: string) => await createProviderVisitor().signIn((await begin()).body.url, id);
  const signIn = async (id: string) => await finish(await visit(id));
  return { cookies, call, begin, visit, finish, signIn };
}

const refusal = ({ status, errors }: Answer<unknown>) => [status, errors[0]?.code, errors[0]?.details?.["reason"]];
const accountOf = async (mail: string) =>
  (await busbar.admin.get<Page<"accounts", Account>>("/v3/accounts?limit=1000")).body.accounts.find(
    (one) => one.mail === mail,
  );
const sessionsOf = async (id: string | undefined) =>
  (await busbar.admin.get<Page<"sessions", ListedSession>>("/v3/sessions?limit=1000")).body.sessions.filter(
    ({ token_id }) => token_id === id,
  ).length;

test("the page hears which provider there is, without asking that provider", async () => {
  const { call } = newBrowser();
  expect((await call("GET", `${PATH}/provider`)).body).toEqual({
    provider: { name: "Example Works", address: ADDRESS },
  });
});

test("a person of a group signs in, has an account with what the group gives, and the log names person and way", async () => {
  const anna = await newPerson(["operators", "chess"]);
  const browser = newBrowser();
  const answer = await browser.signIn(anna.id);
  expect([answer.status, answer.errors]).toEqual([200, []]);
  const { session } = answer.body;
  expect(session).toMatchObject({ token_name: anna.name, level: "user", site_ids: null, account_id: session.token_id });
  expect(Date.parse(session.expires_at) - Date.parse(session.created_at)).toBe(43_200_000);
  const account = await accountOf(anna.mail);
  expect(account).toMatchObject({ name: anna.name, provider: provider.issuer, has_password: false, level: "user" });
  expect((await browser.call("GET", "/v3/sites")).status).toBe(200);
  const { entries } = (await busbar.admin.get<Page<"entries", AuditEntry>>("/v3/audit?limit=1000")).body;
  const own = entries.filter(({ actor }) => actor?.name === anna.name);
  expect(own.map(({ action, door, details }) => [action, door, details["by"]])).toEqual([
    ["createSession", "page", "provider"],
    ["createAccount", "page", "provider"],
  ]);
  const signIns = (await browser.call<{ sign_ins: object[] }>("GET", "/v3/account/sign_ins")).body.sign_ins;
  expect(signIns).toMatchObject([{ by: "provider" }]);
});

test("the browser is sent with a fixed address to come back to, whatever the call says where it came from", async () => {
  const browser = newBrowser();
  const headers = { Host: "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https" };
  const { url } = (await browser.call<{ url: string }>("POST", PATH, undefined, headers)).body;
  expect(new URL(url).origin).toBe(provider.issuer);
  expect(new URL(url).searchParams.get("redirect_uri")).toBe(`${ADDRESS}/sign-in/return`);
  const cookie = (await browser.begin()).headers.getSetCookie()[0] ?? "";
  expect(cookie).toMatch(
    /^busbar-[0-9a-f]+-provider=[\w-]{43}; Max-Age=(?:600|599); Path=\/; HttpOnly; SameSite=Strict$/,
  );
  const [, secret = ""] = /=([\w-]{43});/.exec(cookie) ?? [];
  expect(url).not.toContain(secret);
});

test("a sign-in that another browser began is nobody's: neither the victim's nor the attacker's", async () => {
  const mallory = await newPerson(["operators"]);
  const [attacker, victim] = [newBrowser(), newBrowser()];
  const back = await attacker.visit(mallory.id);
  await victim.begin();
  expect(refusal(await victim.finish(back))).toEqual([401, "unauthorized", undefined]);
  expect(refusal(await newBrowser().finish(back))).toEqual([401, "unauthorized", undefined]);
  expect([...victim.cookies.keys()].filter((name) => !name.endsWith("-provider"))).toEqual([]);
  // It was not used up by the others.
  expect((await attacker.finish(back)).status).toBe(200);
});

test("without its state, with a wrong one, with two, or a second time there is no sign-in", async () => {
  const anna = await newPerson(["operators"]);
  const browser = newBrowser();
  const back = await browser.visit(anna.id);
  const without = new URL(back);
  without.searchParams.delete("state");
  const wrong = new URL(back);
  wrong.searchParams.set("state", "A".repeat(43));
  for (const parameters of [without, wrong, `${back.search.slice(1)}&state=other`])
    expect(refusal(await browser.finish(parameters))).toEqual([401, "unauthorized", undefined]);
  expect((await browser.finish(back)).status).toBe(200);
  expect(refusal(await browser.finish(back))).toEqual([401, "unauthorized", undefined]);
  expect(await sessionsOf((await accountOf(anna.mail))?.id)).toBe(1);
});

test("a sign-in is open for ten minutes", async () => {
  const anna = await newPerson(["operators"]);
  const browser = newBrowser();
  const back = await browser.visit(anna.id);
  clocks.advance(600_000);
  expect(refusal(await browser.finish(back))).toEqual([401, "unauthorized", undefined]);
});

test("who comes back from another provider, or without saying from where, is not signed in", async () => {
  const anna = await newPerson(["operators"]);
  for (const iss of ["https://evil.example", undefined]) {
    const browser = newBrowser();
    const back = await browser.visit(anna.id);
    if (iss === undefined) back.searchParams.delete("iss");
    else back.searchParams.set("iss", iss);
    expect(refusal(await browser.finish(back))).toEqual([403, "forbidden", "refused"]);
  }
  expect(await accountOf(anna.mail)).toBeUndefined();
});

test("a code of somebody else's sign-in, put into one's own, signs nobody in", async () => {
  const [anna, mallory] = [await newPerson(["admins"]), await newPerson(["operators"])];
  const [hers, own] = [newBrowser(), newBrowser()];
  const stolen = (await hers.visit(anna.id)).searchParams.get("code") ?? "";
  const back = await own.visit(mallory.id);
  back.searchParams.set("code", stolen);
  expect(refusal(await own.finish(back))).toEqual([403, "forbidden", "refused"]);
  expect(await accountOf(anna.mail)).toBeUndefined();
});

test("a person who says no at the provider is not signed in, and reads why", async () => {
  const browser = newBrowser();
  const { url } = (await browser.begin()).body;
  const state = new URL(url).searchParams.get("state") ?? "";
  const answer = await browser.finish(
    `${new URLSearchParams({ error: "access_denied", state, iss: provider.issuer })}`,
  );
  expect(refusal(answer)).toEqual([403, "forbidden", "declined"]);
});

test("groups are read again at each sign-in: what a person has becomes more or less, at once and everywhere", async () => {
  const anna = await newPerson(["operators"]);
  const first = newBrowser();
  await first.signIn(anna.id);
  const access = async () => {
    const { level, site_ids, site_levels } = (
      await first.call<{ session: SessionResource }>("GET", "/v3/sessions/current")
    ).body.session;
    return [level, site_ids, site_levels];
  };
  expect(await access()).toEqual(["user", null, []]);
  await anna.say(["admins"]);
  expect(await access()).toEqual(["user", null, []]);
  await newBrowser().signIn(anna.id);
  expect(await access()).toEqual(["owner", null, []]);
  const made = await first.call<{ token: string }>("POST", "/v3/tokens", { name: "script", level: "owner" });
  expect(made.status).toBe(200);
  await anna.say(["operators", "keepers"]);
  await newBrowser().signIn(anna.id);
  expect(await access()).toEqual(["user", null, [{ site_id: site, level: "installer" }]]);
  expect((await busbar.as(made.body.token).get("/v3/sites")).status).toBe(401);
  await anna.say(["keepers"]);
  await newBrowser().signIn(anna.id);
  expect(await access()).toEqual(["installer", [site], []]);
  expect(await sessionsOf((await accountOf(anna.mail))?.id)).toBe(4);
});

test("who is in no group that counts does not get in; sessions and tokens from before end, and come not back", async () => {
  const anna = await newPerson(["admins"]);
  const browser = newBrowser();
  await browser.signIn(anna.id);
  const made = await browser.call<{ token: string }>("POST", "/v3/tokens", { name: "script", level: "readonly" });
  await anna.say(["chess"]);
  expect(refusal(await newBrowser().signIn(anna.id))).toEqual([403, "forbidden", "groups"]);
  const account = await accountOf(anna.mail);
  expect(account).toMatchObject({ level: "readonly", suspended_at: null });
  // In one change: a crash in between would leave somebody suspended whom nobody suspended.
  const { entries } = (await busbar.admin.get<Page<"entries", AuditEntry>>("/v3/audit?limit=1000")).body;
  const changes = entries.filter(({ actor, action }) => actor?.name === anna.name && action === "updateAccount");
  expect(changes.map(({ details }) => details)).toEqual([
    { account: anna.name, level: "readonly", site_levels: {}, sessions_and_tokens: "ended" },
  ]);
  expect(await sessionsOf(account?.id)).toBe(0);
  expect((await browser.call("GET", "/v3/sites")).status).toBe(401);
  expect((await busbar.as(made.body.token).get("/v3/sites")).status).toBe(401);
  await anna.say(["operators"]);
  const answer = await browser.signIn(anna.id);
  expect(answer.body.session).toMatchObject({ account_id: account?.id, level: "user" });
  expect((await busbar.as(made.body.token).get("/v3/sites")).status).toBe(401);
});

test("a rule for a site that does not exist lets nobody in, and no group gives more than the rules say", async () => {
  const [ghost, system] = [await newPerson(["ghosts"]), await newPerson(["system", "owner", "*"])];
  for (const one of [ghost, system])
    expect(refusal(await newBrowser().signIn(one.id))).toEqual([403, "forbidden", "groups"]);
  expect(await accountOf(ghost.mail)).toBeUndefined();
});

test("an account that is there already is not taken over by its mail address", async () => {
  const anna = await newPerson(["admins"]);
  const own = { name: "Anna", mail: anna.mail.toUpperCase(), level: "owner", password: "four plain small words" };
  const { account } = (await busbar.admin.post<{ account: Account }>("/v3/accounts", own)).body;
  expect(refusal(await newBrowser().signIn(anna.id))).toEqual([409, "conflict", "mail_taken"]);
  expect((await busbar.admin.get<{ account: Account }>(`/v3/accounts/${account.id}`)).body.account.provider).toBeNull();
  expect(await sessionsOf(account.id)).toBe(0);
});

test.each([{ email: undefined }, { email_verified: false }])("nobody gets an account by %j", async (more) => {
  const anna = await newPerson(["admins"], more);
  expect(refusal(await newBrowser().signIn(anna.id))).toEqual([403, "forbidden", "mail"]);
});

test("a person of the provider has no password and no link to one, and nobody else says what that person may do", async () => {
  const anna = await newPerson(["operators"]);
  await newBrowser().signIn(anna.id);
  const { id } = (await accountOf(anna.mail)) ?? {};
  const path = `/v3/accounts/${id}`;
  const changes = [
    { level: "owner" },
    { site_ids: [site] },
    { site_levels: [] },
    { password: "four plain small words" },
  ];
  for (const change of changes) expect(refusal(await busbar.admin.patch(path, change))[1]).toBe("conflict");
  expect(refusal(await busbar.admin.post(`${path}/invitation`, undefined))[1]).toBe("conflict");
  expect((await busbar.admin.patch(path, { name: "Anne", language: "de" })).status).toBe(200);
});

test("a suspended person stays out, whatever the provider says, and is let in again here", async () => {
  const anna = await newPerson(["admins"]);
  await newBrowser().signIn(anna.id);
  const { id } = (await accountOf(anna.mail)) ?? {};
  await busbar.admin.patch(`/v3/accounts/${id}`, { suspended: true });
  await anna.say(["operators"]);
  expect(refusal(await newBrowser().signIn(anna.id))).toEqual([403, "forbidden", "suspended"]);
  expect(await accountOf(anna.mail)).toMatchObject({ level: "owner" });
  await busbar.admin.patch(`/v3/accounts/${id}`, { suspended: false });
  expect((await newBrowser().signIn(anna.id)).body.session).toMatchObject({ account_id: id, level: "user" });
});

test("of many sign-ins of a new person at once there is one account", async () => {
  const anna = await newPerson(["operators"]);
  const browsers = [1, 2, 3, 4].map(() => newBrowser());
  const backs = await Promise.all(browsers.map(({ visit }) => visit(anna.id)));
  const answers = await Promise.all(browsers.map(({ finish }, index) => finish(backs[index] ?? "")));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(new Set(answers.map(({ body }) => body.session.account_id)).size).toBe(1);
});

test("a second sign-in of a browser ends its first session", async () => {
  const anna = await newPerson(["operators"]);
  const browser = newBrowser();
  await browser.signIn(anna.id);
  await browser.signIn(anna.id);
  expect(await sessionsOf((await accountOf(anna.mail))?.id)).toBe(1);
});

test("only pages of this server begin and finish, and wrong returns are counted", async () => {
  const { call } = newBrowser();
  for (const site of ["cross-site", "same-site"])
    for (const [path, json] of [
      [PATH, undefined],
      [`${PATH}/finish`, { parameters: "state=x" }],
    ] as const)
      expect(refusal(await call("POST", path, json, { "Sec-Fetch-Site": site }))[1]).toBe("foreign_origin");
  const statuses: number[] = [];
  const guesser = newBrowser();
  for (let guess = 0; guess < 7; guess++) statuses.push((await guesser.finish(`state=${guess}`)).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
});

test("one address begins so many sign-ins in ten minutes, and others go on", async () => {
  const many = newBrowser();
  const statuses: number[] = [];
  for (let begun = 0; begun < 61; begun++) statuses.push((await many.call("POST", PATH)).status);
  expect(statuses).toEqual([...Array.from({ length: 60 }, () => 200), 429]);
  expect((await newBrowser().call("POST", PATH)).status).toBe(200);
});

test("parameters without end are refused before anything is done with them", async () => {
  const { call } = newBrowser();
  expect((await call("POST", `${PATH}/finish`, { parameters: "x".repeat(8_001) })).errors[0]?.code).toBe(
    "invalid_body",
  );
});

test("the way out leads to the provider's page, and back to the sign-in", async () => {
  const { url } = (await newBrowser().call<{ url: string }>("GET", `${PATH}/sign_out`)).body;
  expect(new URL(url).origin).toBe(provider.issuer);
  expect(new URL(url).searchParams.get("post_logout_redirect_uri")).toBe(`${ADDRESS}/sign-in`);
});

test("a group whose name has commas gives what its rule says, and parts of the name give nothing", async () => {
  await use('"CN=Admins,OU=Groups,DC=works=owner"', "operators=user");
  const [anna, ben] = [await newPerson(["CN=Admins,OU=Groups,DC=works"]), await newPerson(["DC=works", "CN=Admins"])];
  expect((await newBrowser().signIn(anna.id)).body.session).toMatchObject({ level: "owner" });
  expect(refusal(await newBrowser().signIn(ben.id))).toEqual([403, "forbidden", "groups"]);
});

test("without new people, only those sign in who have an account; and * is everybody", async () => {
  const anna = await newPerson([]);
  await use("*=readonly");
  expect((await newBrowser().signIn(anna.id)).body.session).toMatchObject({ level: "readonly", site_ids: null });
  await busbar.restart([...provider.flags, "--oidc-groups", "*=user", "--no-oidc-new-people"], provider.env);
  expect((await newBrowser().signIn(anna.id)).body.session).toMatchObject({ level: "user" });
  const ben = await newPerson([]);
  expect(refusal(await newBrowser().signIn(ben.id))).toEqual([403, "forbidden", "new"]);
  expect(await accountOf(ben.mail)).toBeUndefined();
});

test("a provider that is away, or that knows another secret, is said to be unreachable, and tokens still work", async () => {
  const anna = await newPerson(["operators"]);
  await busbar.restart([...provider.flags, "--oidc-groups", "*=user"], { BUSBAR_OIDC_CLIENT_SECRET: "another" });
  expect(refusal(await newBrowser().signIn(anna.id))).toEqual([503, "provider_unreachable", undefined]);
  await busbar.restart(
    [...provider.flags, "--oidc-groups", "*=user", "--oidc-issuer", "http://127.0.0.1:9"],
    provider.env,
  );
  expect(refusal(await newBrowser().call("POST", PATH))).toEqual([503, "provider_unreachable", undefined]);
  expect((await newBrowser().call("GET", `${PATH}/sign_out`)).body).toEqual({ url: null });
  expect((await busbar.admin.get("/v3/sites")).status).toBe(200);
  expectNoSecret(busbar);
});

/** Of the client, or of a sign-in. */
function expectNoSecret({ log }: Pick<TestServer, "log">): void {
  expect(log).toContain("a sign-in by the provider failed");
  for (const value of Object.values(provider.env)) expect(log).not.toContain(value);
}
