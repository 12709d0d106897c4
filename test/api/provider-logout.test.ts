// Who signs out at a real OpenID provider, in a process of its own, is signed out here, too; and what others might send in its place.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "#client/page.ts";
import type { Account, AuditEntry, ListedSession } from "#client/resources.ts";
import { freePort } from "../support/free-port.ts";
import {
  createProviderVisitor,
  type IdentityProviderProcess,
  startIdentityProvider,
} from "../support/identity-provider.ts";
import { LYING_CLIENT, startLyingProvider } from "../support/lying-provider.ts";
import { PATIENT } from "../support/patient.ts";
import { type Answer, useServer } from "../support/server.ts";

const ADDRESS = "http://gateway.lan";
const PATH = "/v3/provider_sign_ins";
const port = await freePort();
const busbar = useServer(["--port", `${port}`, "--http-trust-proxy", "127.0.0.1", "--http-wrong-token-limit", "5"], {
  provoked: /a sign-in by the provider failed/,
});
let provider: IdentityProviderProcess;
beforeAll(async () => {
  provider = await startIdentityProvider(ADDRESS, `http://127.0.0.1:${port}${PATH}/logout`);
  await busbar.restart([...provider.flags, "--oidc-groups", "*=owner"], provider.env);
});
afterAll(() => provider.stop());

let last = 0;
async function newPerson(): Promise<string> {
  const id = `person${++last}`;
  await provider.person(id, { name: id, email: `${id}@example.org`, email_verified: true, groups: [] });
  return id;
}

/** Of somebody who is signed in at the provider and here, in one browser. */
async function newBrowser(id: string) {
  const atProvider = createProviderVisitor();
  const cookies = new Map<string, string>();
  async function call<Body = unknown>(method: string, path: string, json?: unknown): Promise<Answer<Body>> {
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { "Sec-Fetch-Site": "same-origin", ...(Cookie !== "" && { Cookie }) };
    const answer = await busbar.anonymous.call<Body>(method, path, { ...(json !== undefined && { json }), headers });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    return answer;
  }
  const { url } = (await call<{ url: string }>("POST", PATH)).body;
  const back = await atProvider.signIn(url, id);
  expect((await call("POST", `${PATH}/finish`, { parameters: back.search.slice(1) })).status).toBe(200);
  const signOutThere = async () => {
    const out = await call<{ url: string }>("GET", `${PATH}/sign_out`);
    await atProvider.signOut(out.body.url);
  };
  return { call, signOutThere, status: async () => (await call("GET", "/v3/sites")).status };
}

const accountOf = async (id: string) =>
  (await busbar.admin.get<Page<"accounts", Account>>("/v3/accounts?limit=1000")).body.accounts.find(
    ({ mail }) => mail === `${id}@example.org`,
  );
const sessionsOf = async (id: string) => {
  const account = await accountOf(id);
  const { sessions } = (await busbar.admin.get<Page<"sessions", ListedSession>>("/v3/sessions?limit=1000")).body;
  return sessions.filter(({ token_id }) => token_id === account?.id).length;
};
/** From an address of its own: wrong ones are counted. */
const tell = (form: string, address = `203.0.113.${++last}`) =>
  busbar.anonymous.call("POST", `${PATH}/logout`, {
    bytes: form,
    headers: { "Content-Type": "application/x-www-form-urlencoded", "X-Forwarded-For": address },
  });
const formOf = (token: string) => `${new URLSearchParams({ logout_token: token })}`;

test("who signs out at the provider is signed out of just that browser's session here; tokens stay, and the log says why", async () => {
  const id = await newPerson();
  const [first, second] = [await newBrowser(id), await newBrowser(id)];
  const other = await newBrowser(await newPerson());
  const made = await first.call<{ token: string }>("POST", "/v3/tokens", { name: "script", level: "readonly" });
  await first.signOutThere();
  await expect.poll(first.status, PATIENT).toBe(401);
  expect([await second.status(), await other.status(), await sessionsOf(id)]).toEqual([200, 200, 1]);
  expect((await busbar.as(made.body.token).get("/v3/sites")).status).toBe(200);
  const { entries } = (await busbar.admin.get<Page<"entries", AuditEntry>>("/v3/audit?limit=1000")).body;
  const ended = entries.filter(({ action }) => action === "endSessionsByProvider");
  expect(ended.map(({ actor, details }) => [actor?.name, details])).toEqual([[id, { account: id, by: "provider" }]]);
  expect((await accountOf(id))?.suspended_at).toBeNull();
});

test("a form that is none, or has no token or two, ends nothing, and wrong tokens are counted", async () => {
  const browser = await newBrowser(await newPerson());
  for (const form of ["", "logout_token=", "logout_token=a&logout_token=b", "x".repeat(20_001), formOf("a.b.c")])
    expect([form.slice(0, 30), (await tell(form)).status]).toEqual([form.slice(0, 30), 400]);
  const statuses: number[] = [];
  for (let turn = 0; turn < 7; turn++) statuses.push((await tell(formOf("a.b.c"), "198.51.100.7")).status);
  expect(statuses).toEqual([400, 400, 400, 400, 400, 429, 429]);
  expect(await browser.status()).toBe(200);
});

test("a token of another provider, and one for an account that does not sign in by it, end nothing", async () => {
  const liar = await startLyingProvider();
  const id = await newPerson();
  const browser = await newBrowser(id);
  // Signed by somebody else, though it names our provider and our person.
  const forged = liar.logoutToken({ iss: provider.issuer, aud: "busbar", sub: id, sid: undefined });
  expect((await tell(formOf(forged))).status).toBe(400);
  expect((await tell(formOf(liar.logoutToken({ sub: id })))).status).toBe(400);
  expect(await browser.status()).toBe(200);
  await liar.stop();
});

test("what a provider says ends all sessions of a person, or those of one session there, whichever it names", async () => {
  const liar = await startLyingProvider();
  const flags = ["--oidc-issuer", liar.issuer, "--oidc-client-id", LYING_CLIENT.id, "--oidc-address", ADDRESS];
  await busbar.restart([...flags, "--oidc-groups", "*=user"], { BUSBAR_OIDC_CLIENT_SECRET: LYING_CLIENT.secret });
  /** The status of the calls of one who is signed in, in the session of that name there. */
  async function signedIn(sub: string, sid: string | undefined) {
    liar.claims = { sub, sid };
    liar.person = { sub, email: `${sub}@example.org` };
    const headers = { "Sec-Fetch-Site": "same-origin", "X-Forwarded-For": `203.0.113.${++last}` };
    const begun = await busbar.anonymous.call<{ url: string }>("POST", PATH, { headers });
    const asked = new URL(begun.body.url).searchParams;
    liar.nonce = asked.get("nonce") ?? "";
    const back = new URLSearchParams({ code: "c", state: asked.get("state") ?? "", iss: liar.issuer });
    const Cookie = (begun.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
    const done = await busbar.anonymous.post(
      `${PATH}/finish`,
      { parameters: `${back}` },
      { headers: { ...headers, Cookie } },
    );
    const own = (done.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
    return async () => (await busbar.anonymous.get("/v3/sites", { headers: { ...headers, Cookie: own } })).status;
  }
  const all = [
    await signedIn("ada", "s1"),
    await signedIn("ada", "s2"),
    await signedIn("ada", undefined),
    await signedIn("bob", "s3"),
  ];
  const statuses = async () => (await Promise.all(all.map((status) => status()))).join(" ");
  expect(await statuses()).toBe("200 200 200 200");
  for (const [claims, expected] of [
    [{ sub: "nobody" }, "200 200 200 200"],
    [{ sub: "ada", sid: "s3" }, "200 200 401 200"],
    [{ sub: undefined, sid: "s4" }, "200 200 401 200"],
    [{ sub: undefined, sid: "s1" }, "401 200 401 200"],
    [{ sub: "ada", sid: undefined }, "401 401 401 200"],
    [{ sub: "bob", sid: "s3" }, "401 401 401 401"],
  ] as const) {
    expect((await tell(formOf(liar.logoutToken(claims)))).status).toBe(200);
    expect([claims, await statuses()]).toEqual([claims, expected]);
  }
  // The provider does not give its keys: nothing is believed.
  liar.answer = { keys: (response) => void response.writeHead(500).end() };
  await busbar.restart([...flags, "--oidc-groups", "*=user"], { BUSBAR_OIDC_CLIENT_SECRET: LYING_CLIENT.secret });
  expect((await tell(formOf(liar.logoutToken()))).status).toBe(503);
  await liar.stop();
});

test("without a provider nothing is taken", async () => {
  await busbar.restart();
  const answer = await tell(formOf("a.b.c"));
  expect([answer.status, answer.errors[0]?.code]).toEqual([409, "not_available"]);
});
