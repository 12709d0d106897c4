// People move the account that they have here to a real OpenID provider, and back; and what others might try on the way.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "#client/page.ts";
import type { Account, AuditEntry, ListedSession, Session as SessionResource } from "#client/resources.ts";
import { appCode } from "../support/authenticator-app.ts";
import {
  createProviderVisitor,
  type IdentityProviderProcess,
  startIdentityProvider,
} from "../support/identity-provider.ts";
import { type Answer, useServer } from "../support/server.ts";

const ADDRESS = "http://gateway.lan";
const LINK = "/v3/account/provider";
const SIGN_IN = "/v3/provider_sign_ins";
const PASSWORD = "four plain small words";

const busbar = useServer(["--http-trust-proxy", "127.0.0.1", "--http-wrong-token-limit", "50"], {
  provoked: /a sign-in by the provider failed/,
});
let provider: IdentityProviderProcess;
beforeAll(async () => {
  provider = await startIdentityProvider(ADDRESS);
  const rules = ["--oidc-groups", "operators=user,admins=owner", "--no-oidc-new-people"];
  await busbar.restart([...provider.flags, ...rules], provider.env);
});
afterAll(() => provider.stop());

let people = 0;

/** A browser: its address, and the cookies that Busbar gave it. */
function newBrowser() {
  const cookies = new Map<string, string>();
  const address = `203.0.113.${++people}`;
  async function call<Body = unknown>(method: string, path: string, json?: unknown, more = {}): Promise<Answer<Body>> {
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const from = { "Sec-Fetch-Site": "same-origin", "X-Forwarded-For": address };
    const headers = { ...from, ...(Cookie !== "" && { Cookie }), ...more };
    const answer = await busbar.anonymous.call<Body>(method, path, { json, headers });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    return answer;
  }
  const status = async () => (await call("GET", "/v3/sites")).status;
  const enter = (mail: string, password = PASSWORD) =>
    call<{ session: SessionResource }>("POST", "/v3/sessions", { mail, password });
  const begin = (proof: object = { current_password: PASSWORD }) =>
    call<{ url: string }>("POST", `${LINK}/begin`, proof);
  const visit = async (id: string) => await createProviderVisitor().signIn((await begin()).body.url, id);
  const finish = (back: URL) => call<{ session: SessionResource }>("POST", LINK, { parameters: back.search.slice(1) });
  const link = async (id: string) => await finish(await visit(id));
  const unlink = (proof: object = { current_password: PASSWORD }) =>
    call<{ session: SessionResource }>("POST", `${LINK}/remove`, proof);
  const signIn = async (id: string) => {
    const { url } = (await call<{ url: string }>("POST", SIGN_IN)).body;
    const back = await createProviderVisitor().signIn(url, id);
    return await call<{ session: SessionResource }>("POST", `${SIGN_IN}/finish`, { parameters: back.search.slice(1) });
  };
  return { call, status, enter, begin, visit, finish, link, unlink, signIn };
}

/** Somebody at the provider. */
async function atProvider(groups: readonly string[] = ["operators"], more: object = {}) {
  const id = `subject${++people}`;
  const say = (to: readonly string[]) =>
    provider.person(id, { name: "Anna", email: `${id}@works.example`, email_verified: true, ...more, groups: to });
  await say(groups);
  return { id, say };
}

/** Somebody who has an account and is signed in here. */
async function here(more: object = {}) {
  const input = { name: "Anna", mail: `anna${++people}@example.org`, level: "installer", password: PASSWORD, ...more };
  const { account } = (await busbar.admin.post<{ account: Account }>("/v3/accounts", input)).body;
  const browser = newBrowser();
  expect((await browser.enter(account.mail)).status).toBe(200);
  const read = async () => (await busbar.admin.get<{ account: Account }>(`/v3/accounts/${account.id}`)).body.account;
  const sessions = async () =>
    (await busbar.admin.get<Page<"sessions", ListedSession>>("/v3/sessions?limit=1000")).body.sessions.filter(
      ({ token_id }) => token_id === account.id,
    ).length;
  return { ...account, browser, read, sessions };
}

const refusal = ({ status, errors }: Answer<unknown>) => [
  status,
  errors[0]?.code,
  errors[0]?.details?.["reason"] ?? errors[0]?.details?.["pointer"],
];

test("a linked account signs in by the provider alone, and has what the groups give; all other sessions end", async () => {
  const [anna, subject] = [await here(), await atProvider()];
  const elsewhere = newBrowser();
  await elsewhere.enter(anna.mail);
  const made = (name: string, level: string) =>
    anna.browser.call<{ token: string }>("POST", "/v3/tokens", { name, level });
  const [low, high] = [(await made("low", "readonly")).body.token, (await made("high", "owner")).body.token];
  const linked = await anna.browser.link(subject.id);
  expect([linked.status, linked.errors]).toEqual([200, []]);
  expect(linked.body.session).toMatchObject({ account_id: anna.id, level: "user", site_ids: null });
  const { created_at, expires_at } = linked.body.session;
  expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(43_200_000);
  expect(await anna.read()).toMatchObject({ provider: provider.issuer, has_password: true, mail: anna.mail });
  expect([await anna.browser.status(), await elsewhere.status(), await anna.sessions()]).toEqual([200, 401, 1]);
  const statusOf = async (token: string) => (await busbar.as(token).get("/v3/sites")).status;
  expect([await statusOf(low), await statusOf(high)]).toEqual([200, 401]);
  expect(refusal(await elsewhere.enter(anna.mail))).toEqual([403, "forbidden", "linked"]);
  expect(refusal(await elsewhere.enter(anna.mail, "another password"))).toEqual([401, "unauthorized", undefined]);
  expect((await elsewhere.signIn(subject.id)).body.session).toMatchObject({ account_id: anna.id, level: "user" });
  const { entries } = (await busbar.admin.get<Page<"entries", AuditEntry>>("/v3/audit?limit=1000")).body;
  const own = entries.filter(({ action, details }) => action === "linkProvider" && details["account"] === "Anna");
  expect(own[0]?.details).toMatchObject({ provider: provider.issuer, level: "user" });
  expect(JSON.stringify(own)).not.toContain(subject.id);
});

test("without the right password, or the code of a second factor, nothing is begun", async () => {
  const anna = await here();
  expect(refusal(await anna.browser.begin({ current_password: "wrong" }))).toEqual([
    400,
    "invalid_body",
    "/current_password",
  ]);
  const { secret } = (
    await anna.browser.call<{ secret: string }>("POST", "/v3/account/second_factor", { current_password: PASSWORD })
  ).body;
  const confirmed = await anna.browser.call("POST", "/v3/account/second_factor/confirm", { code: appCode(secret) });
  expect(confirmed.status).toBe(200);
  for (const code of [undefined, "000000"]) {
    const begun = await anna.browser.begin({ current_password: PASSWORD, ...(code && { code }) });
    expect(refusal(begun)).toEqual([400, "invalid_body", "/code"]);
  }
  const next = { current_password: PASSWORD, code: appCode(secret, 1) };
  expect((await anna.browser.begin(next)).status).toBe(200);
  const asToken = await busbar.admin.post(`${LINK}/begin`, { current_password: PASSWORD });
  expect(refusal(asToken)).toEqual([404, "not_found", undefined]);
});

test("equal mail addresses link nobody: neither at a sign-in nor at a link", async () => {
  const anna = await here();
  const subject = await atProvider(["admins"], { email: anna.mail });
  expect(refusal(await newBrowser().signIn(subject.id))[1]).toBe("forbidden");
  expect(await anna.read()).toMatchObject({ provider: null });
});

test("who is somebody else's at the provider cannot be linked, and of two at once one is", async () => {
  const [anna, ben, subject] = [await here(), await here({ name: "Ben" }), await atProvider()];
  const backs = [await anna.browser.visit(subject.id), await ben.browser.visit(subject.id)] as const;
  const both = await Promise.all([anna.browser.finish(backs[0]), ben.browser.finish(backs[1])]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  const loser = both[0].status === 409 ? anna : ben;
  expect(refusal(await loser.browser.link(subject.id))).toEqual([409, "conflict", "taken"]);
  expect(await loser.read()).toMatchObject({ provider: null, level: "installer" });
  expect(await loser.browser.status()).toBe(200);
});

test("a way back of another session links nothing: not of another person, not of another browser, not of a sign-in", async () => {
  const [anna, mallory] = [await here(), await here({ name: "Mallory" })];
  const [hers, his] = [await atProvider(), await atProvider()];
  // Mallory sends Anna the end of a link that he began, with his own subject.
  const planted = await mallory.browser.visit(his.id);
  await anna.browser.begin();
  expect(refusal(await anna.browser.finish(planted))).toEqual([403, "forbidden", "over"]);
  // Or has her sign in at the provider for his link.
  const stolen = await mallory.browser.visit(hers.id);
  expect(refusal(await anna.browser.finish(stolen))).toEqual([403, "forbidden", "over"]);
  // The same person in another browser, and after a new sign-in in the same one.
  const other = newBrowser();
  await other.enter(anna.mail);
  const back = await anna.browser.visit(hers.id);
  expect(refusal(await other.finish(back))).toEqual([403, "forbidden", "over"]);
  await anna.browser.enter(anna.mail);
  expect(refusal(await anna.browser.finish(back))).toEqual([403, "forbidden", "over"]);
  // What was begun as a sign-in is no link, and the other way round.
  const { url } = (await anna.browser.call<{ url: string }>("POST", SIGN_IN)).body;
  const ofSignIn = await createProviderVisitor().signIn(url, hers.id);
  expect(refusal(await anna.browser.finish(ofSignIn))).toEqual([403, "forbidden", "over"]);
  const ofLink = await anna.browser.visit(hers.id);
  const parameters = ofLink.search.slice(1);
  const asSignIn = await anna.browser.call("POST", `${SIGN_IN}/finish`, { parameters });
  expect(refusal(asSignIn)).toEqual([401, "unauthorized", undefined]);
  for (const one of [anna, mallory]) expect(await one.read()).toMatchObject({ provider: null });
  expect(await anna.browser.status()).toBe(200);
});

test("a way back is good once, comes from this provider, and only pages of this server bring it", async () => {
  const [anna, subject] = [await here(), await atProvider()];
  const wrong = await anna.browser.visit(subject.id);
  wrong.searchParams.set("iss", "https://evil.example");
  expect(refusal(await anna.browser.finish(wrong))).toEqual([403, "forbidden", "refused"]);
  wrong.searchParams.set("iss", provider.issuer);
  expect(refusal(await anna.browser.finish(wrong))).toEqual([403, "forbidden", "over"]);
  const back = await anna.browser.visit(subject.id);
  for (const [path, json] of [
    [LINK, { parameters: back.search.slice(1) }],
    [`${LINK}/begin`, { current_password: PASSWORD }],
    [`${LINK}/remove`, { current_password: PASSWORD }],
  ] as const) {
    const foreign = { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" };
    expect(refusal(await anna.browser.call("POST", path, json, foreign))[1]).toBe("foreign_origin");
  }
  expect((await anna.browser.finish(back)).status).toBe(200);
  expect(refusal(await anna.browser.finish(back))).toEqual([403, "forbidden", "over"]);
});

test("whose groups give nothing is not linked, and loses nothing", async () => {
  const [anna, subject] = [await here(), await atProvider(["chess"])];
  expect(refusal(await anna.browser.link(subject.id))).toEqual([403, "forbidden", "groups"]);
  expect(await anna.read()).toMatchObject({ provider: null, level: "installer" });
  expect(await anna.browser.status()).toBe(200);
});

test("a linked person gets past the provider by nothing: no new password, no link to one, no passkey", async () => {
  const [anna, subject] = [await here(), await atProvider()];
  const path = `/v3/accounts/${anna.id}`;
  const { code } = (await busbar.admin.post<{ code: string }>(`${path}/invitation`, undefined)).body;
  await anna.browser.link(subject.id);
  const next = "four other plain words";
  const accepted = await newBrowser().call("POST", "/v3/invitations/accept", { code, password: next });
  expect(accepted.status).toBe(401);
  const change = { current_password: PASSWORD, new_password: next };
  expect(refusal(await anna.browser.call("POST", "/v3/account/password", change))[1]).toBe("conflict");
  const named = { "X-Forwarded-Proto": "https", "X-Forwarded-Host": "gateway.lan" };
  const offer = anna.browser.call("POST", "/v3/account/passkeys/options", { current_password: PASSWORD }, named);
  expect((await offer).status).toBeGreaterThanOrEqual(400);
  expect(refusal(await busbar.admin.patch(path, { password: next }))[1]).toBe("conflict");
  expect(refusal(await busbar.admin.patch(path, { level: "vendor" }))[1]).toBe("conflict");
  expect(refusal(await busbar.admin.post(`${path}/invitation`, undefined))[1]).toBe("conflict");
  expect(refusal(await anna.browser.begin())[1]).toBe("conflict");
});

test("a person ends the link with the password; the level stays, and the provider signs the person in no more", async () => {
  const [anna, subject] = [await here(), await atProvider()];
  await anna.browser.link(subject.id);
  const elsewhere = newBrowser();
  await elsewhere.signIn(subject.id);
  expect(refusal(await anna.browser.unlink({ current_password: "wrong" }))[2]).toBe("/current_password");
  const unlinked = await anna.browser.unlink();
  expect(unlinked.body.session).toMatchObject({ account_id: anna.id, level: "user" });
  expect([await elsewhere.status(), await anna.browser.status(), await anna.sessions()]).toEqual([401, 200, 1]);
  expect(await anna.read()).toMatchObject({ provider: null, level: "user" });
  expect(refusal(await newBrowser().signIn(subject.id))).toEqual([403, "forbidden", "new"]);
  expect((await newBrowser().enter(anna.mail)).status).toBe(200);
  expect(refusal(await anna.browser.unlink())[1]).toBe("not_found");
  expect((await anna.browser.link(subject.id)).status).toBe(200);
});

test("somebody above ends the link of a person whose provider is gone, and nobody else does", async () => {
  const [anna, subject] = [await here(), await atProvider(["admins"])];
  await anna.browser.link(subject.id);
  const equal = await here({ level: "owner" });
  const path = `/v3/accounts/${anna.id}/provider`;
  expect((await equal.browser.call("DELETE", path)).status).toBe(403);
  expect(await anna.read()).toMatchObject({ provider: provider.issuer });
  expect((await busbar.admin.delete(path)).status).toBe(200);
  expect(await anna.browser.status()).toBe(401);
  expect((await newBrowser().enter(anna.mail)).status).toBe(200);
  expect(refusal(await busbar.admin.delete(path))[1]).toBe("not_found");
});

test("an account that the provider made has no other way to sign in, so its link stays", async () => {
  const rules = ["--oidc-groups", "operators=user,admins=owner"];
  await busbar.restart([...provider.flags, ...rules], provider.env);
  const subject = await atProvider();
  const browser = newBrowser();
  const { account_id } = (await browser.signIn(subject.id)).body.session;
  expect(refusal(await browser.unlink())[1]).toBe("conflict");
  expect(refusal(await busbar.admin.delete(`/v3/accounts/${account_id}/provider`))[1]).toBe("conflict");
  // Nor can somebody else be linked to it.
  const anna = await here();
  expect(refusal(await anna.browser.link(subject.id))).toEqual([409, "conflict", "taken"]);
});
