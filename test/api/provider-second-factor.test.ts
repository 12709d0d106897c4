// People of a provider have no password here. Who has to have a second factor is asked for it nevertheless, unless the provider says that it
// has asked for one; and they look after their own one without a password.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Session } from "#client/resources.ts";
import { appCode } from "../support/authenticator-app.ts";
import { LYING_CLIENT, type LyingProvider, startLyingProvider } from "../support/lying-provider.ts";
import { createMovableClocks } from "../support/movable-clocks.ts";
import { type Answer, useServer } from "../support/server.ts";

const PATH = "/v3/provider_sign_ins";
const STEP_MS = 30_000;
const clocks = createMovableClocks();
const busbar = useServer(["--http-trust-proxy", "127.0.0.1", "--http-wrong-token-limit", "50"], { clocks });
let liar: LyingProvider;
beforeAll(async () => {
  liar = await startLyingProvider();
});
afterAll(() => liar.stop());

async function use(...flags: readonly string[]): Promise<void> {
  liar.behave();
  const oidc = [
    "--oidc-issuer",
    liar.issuer,
    "--oidc-client-id",
    LYING_CLIENT.id,
    "--oidc-address",
    "http://gateway.lan",
  ];
  const env = { BUSBAR_OIDC_CLIENT_SECRET: LYING_CLIENT.secret };
  await busbar.restart([...oidc, "--oidc-groups", "ops=user", ...flags], env);
}

interface SignedIn {
  readonly session: Session | null;
  readonly second_factor: { step: string; enrolment: { secret: string } | null } | null;
}
interface Finished {
  readonly session: Session;
  readonly recovery_codes: readonly string[] | null;
}

let last = 0;
function newBrowser() {
  const cookies = new Map<string, string>();
  const address = `203.0.113.${++last}`;
  async function call<Body = unknown>(method: string, path: string, json?: unknown): Promise<Answer<Body>> {
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { "Sec-Fetch-Site": "same-origin", "X-Forwarded-For": address, ...(Cookie !== "" && { Cookie }) };
    const answer = await busbar.anonymous.call<Body>(method, path, { ...(json !== undefined && { json }), headers });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    return answer;
  }
  /** As the person that the provider says now. */
  async function signIn(): Promise<Answer<SignedIn>> {
    const { url } = (await call<{ url: string }>("POST", PATH)).body;
    const asked = new URL(url).searchParams;
    liar.nonce = asked.get("nonce") ?? "";
    const back = new URLSearchParams({ code: "the-code", state: asked.get("state") ?? "", iss: liar.issuer });
    return await call<SignedIn>("POST", `${PATH}/finish`, { parameters: `${back}` });
  }
  const finish = (step: string, code: string) => call<Finished>("POST", "/v3/sessions/second_factor", { step, code });
  return { call, signIn, finish };
}
let passed = 0;
function pass(ms: number): void {
  clocks.advance(ms);
  passed += ms;
}
const codeAt = (secret: string) => appCode(secret, passed / STEP_MS);
const person = (sub: string) => {
  liar.claims = { ...liar.claims, sub };
  liar.person = { sub, name: sub, email: `${sub}@example.org`, ...liar.person };
};

test("a person of a provider who has to have a second factor sets an app up with the sign-in, and is asked from then on", async () => {
  await use("--sessions-second-factor", "user");
  person("anna");
  const browser = newBrowser();
  const first = await browser.signIn();
  expect([first.status, first.body.session]).toEqual([200, null]);
  expect((await browser.call("GET", "/v3/sites")).status).toBe(401);
  const { step = "", enrolment } = first.body.second_factor ?? {};
  const secret = enrolment?.secret ?? "";
  expect((await browser.finish(step, "000000")).status).toBe(401);
  const done = await browser.finish(step, codeAt(secret));
  expect([done.status, done.body.recovery_codes?.length]).toEqual([200, 10]);
  const { created_at, expires_at } = done.body.session;
  expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(43_200_000);
  const { sign_ins } = (await browser.call<{ sign_ins: { by: string }[] }>("GET", "/v3/account/sign_ins")).body;
  expect(sign_ins.map(({ by }) => by)).toEqual(["provider and app"]);

  pass(STEP_MS);
  const next = (await browser.signIn()).body;
  expect([next.session, next.second_factor?.enrolment]).toEqual([null, null]);
  // The step is of this person: another one's code does nothing.
  expect((await browser.finish(next.second_factor?.step ?? "", codeAt("A".repeat(32)))).status).toBe(401);
  expect((await browser.finish(next.second_factor?.step ?? "", codeAt(secret))).status).toBe(200);
});

test("what the signed token says of two factors is believed; what comes beside it, or says something else, is not", async () => {
  await use("--sessions-second-factor", "readonly", "--oidc-second-factor", "amr=mfa,acr=gold");
  for (const [claims, more, isAsked] of [
    [{ amr: ["pwd", "mfa"] }, {}, false],
    [{ acr: "gold" }, {}, false],
    [{ amr: ["pwd"], acr: "silver" }, {}, true],
    [{ amr: "mfa" }, {}, true],
    [{}, { amr: ["mfa"], acr: "gold" }, true],
    [{ acr: "mfa", amr: ["gold"] }, {}, true],
  ] as const) {
    liar.behave();
    liar.claims = claims;
    liar.person = more;
    person(`ben${++last}`);
    const { session, second_factor } = (await newBrowser().signIn()).body;
    expect([claims, more, session === null, second_factor !== null]).toEqual([claims, more, isAsked, isAsked]);
  }
  const { url } = (await newBrowser().call<{ url: string }>("POST", PATH)).body;
  expect(new URL(url).searchParams.get("acr_values")).toBe("gold");
});

test("a person of a provider adds an app without a password right after a sign-in, and not later; then it is asked for", async () => {
  await use();
  person("clara");
  const browser = newBrowser();
  expect((await browser.signIn()).body.second_factor).toBeNull();
  const offer = () => browser.call<{ secret: string }>("POST", "/v3/account/second_factor", {});
  pass(600_000);
  const late = await offer();
  expect([late.status, late.errors[0]?.details?.["reason"]]).toEqual([403, "sign_in_again"]);
  await browser.signIn();
  const { secret } = (await offer()).body;
  const confirmed = await browser.call("POST", "/v3/account/second_factor/confirm", { code: codeAt(secret) });
  expect(confirmed.status).toBe(200);

  pass(STEP_MS);
  const next = (await browser.signIn()).body;
  expect(next.session).toBeNull();
  await browser.finish(next.second_factor?.step ?? "", codeAt(secret));
  const remove = () => browser.call("POST", "/v3/account/second_factor/remove", { code: codeAt(secret) });
  pass(600_000);
  expect((await remove()).status).toBe(403);
  const again = (await browser.signIn()).body;
  await browser.finish(again.second_factor?.step ?? "", codeAt(secret));
  pass(STEP_MS);
  expect((await remove()).status).toBe(200);
  expect((await browser.signIn()).body.second_factor).toBeNull();
});

test("an account from here does nothing to its second factor without the password, however fresh the session is", async () => {
  await use();
  const own = { name: "Dora", mail: "dora@example.org", level: "user", password: "four plain small words" };
  await busbar.admin.post("/v3/accounts", own);
  const browser = newBrowser();
  await browser.call("POST", "/v3/sessions", { mail: own.mail, password: own.password });
  const answer = await browser.call("POST", "/v3/account/second_factor", {});
  expect([answer.status, answer.errors[0]?.details?.["pointer"]]).toEqual([400, "/current_password"]);
});

test("the provider ends a sign-in that waits for a code", async () => {
  await use("--sessions-second-factor", "user");
  liar.claims = { sid: "s1" };
  person("emil");
  const browser = newBrowser();
  const { step = "", enrolment } = (await browser.signIn()).body.second_factor ?? {};
  const iat = Math.floor((Date.now() + passed) / 1_000);
  const token = liar.logoutToken({ sub: "emil", sid: "s1", iat, exp: iat + 60 });
  const form = `${new URLSearchParams({ logout_token: token })}`;
  expect((await busbar.anonymous.call("POST", `${PATH}/logout`, { bytes: form })).status).toBe(200);
  const finished = await browser.finish(step, codeAt(enrolment?.secret ?? ""));
  expect([finished.status, finished.errors[0]?.details?.["pointer"]]).toEqual([401, "/step"]);
});
