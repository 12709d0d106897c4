import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  CLIENT_SECRET,
  createProviderVisitor,
  type IdentityProviderProcess,
  startIdentityProvider,
} from "../../../test/support/identity-provider.ts";
import { LYING_CLIENT, type LyingProvider, startLyingProvider } from "../../../test/support/lying-provider.ts";
import { createIdentityProvider, type ProviderSettings } from "./create-identity-provider.ts";

const ADDRESS = "http://gateway.lan:8080";
const SECRETS = { state: "the-state", nonce: "the-nonce", verifier: "v".repeat(43) };

let real: IdentityProviderProcess;
let liar: LyingProvider;
beforeAll(async () => {
  [real, liar] = await Promise.all([startIdentityProvider(ADDRESS), startLyingProvider()]);
});
afterAll(async () => {
  await Promise.all([real.stop(), liar.stop()]);
});
beforeEach(() => {
  liar.behave();
  liar.nonce = SECRETS.nonce;
});

function provider(settings: Partial<ProviderSettings> = {}) {
  return createIdentityProvider({
    ...{ issuer: liar.issuer, clientId: LYING_CLIENT.id, clientSecret: LYING_CLIENT.secret, scopes: "openid groups" },
    ...{ redirectUri: `${ADDRESS}/sign-in/return`, acrValues: [], timeoutMs: 30_000, now: Date.now, ...settings },
  });
}

const ofReal = () =>
  provider({ issuer: real.issuer, clientSecret: CLIENT_SECRET, scopes: "openid profile email groups" });

const back = (parameters: Readonly<Record<string, string>> = {}) =>
  new URLSearchParams({ code: "the-code", state: SECRETS.state, iss: liar.issuer, ...parameters });

async function urlOf(from: ReturnType<typeof provider>, secrets = SECRETS): Promise<URL> {
  const begun = await from.authorizationUrl(secrets);
  if ("error" in begun) throw new Error(begun.error);
  return new URL(begun.url);
}

test("a real provider signs a person in: code with PKCE, and the claims of token and person", async () => {
  await real.person("ada", { name: "Ada", email: "ada@example.org", email_verified: true, groups: ["ops"] });
  const url = await urlOf(ofReal());
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    response_type: "code",
    redirect_uri: `${ADDRESS}/sign-in/return`,
    code_challenge_method: "S256",
    state: SECRETS.state,
    nonce: SECRETS.nonce,
  });
  expect(url.href).not.toContain(SECRETS.verifier);
  const returned = await createProviderVisitor().signIn(url.href, "ada");
  expect(`${returned.origin}${returned.pathname}`).toBe(`${ADDRESS}/sign-in/return`);
  const finished = await ofReal().finish(returned.searchParams, SECRETS);
  expect(finished).toMatchObject({
    issuer: real.issuer,
    claims: { sub: "ada", name: "Ada", email: "ada@example.org", email_verified: true, groups: ["ops"] },
  });
  // The code was used: whoever has seen it gets nothing for it.
  expect(await ofReal().finish(returned.searchParams, SECRETS)).toEqual({
    kind: "refused",
    error: "the provider answered invalid_grant",
  });
});

test("at a real provider, a code is worth nothing without its verifier, and with another nonce", async () => {
  await real.person("eve", { name: "Eve" });
  for (const secrets of [
    { ...SECRETS, verifier: "w".repeat(43) },
    { ...SECRETS, nonce: "another" },
  ]) {
    const returned = await createProviderVisitor().signIn((await urlOf(ofReal())).href, "eve");
    expect(await ofReal().finish(returned.searchParams, secrets)).toMatchObject({ kind: "refused" });
  }
});

test("a real provider that does not know the client, or the address to come back to, sends nobody back", async () => {
  for (const settings of [{ clientId: "somebody" }, { redirectUri: "http://evil.lan/sign-in/return" }]) {
    const url = await urlOf(provider({ issuer: real.issuer, ...settings }));
    await expect(createProviderVisitor().signIn(url.href, "ada")).rejects.toThrow("the provider answered 400");
  }
});

test("a real provider's page for signing out is known, and leads back to the sign-in", async () => {
  const url = new URL((await ofReal().endSessionUrl()) ?? "");
  expect(url.origin).toBe(real.issuer);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: "busbar",
    post_logout_redirect_uri: `${ADDRESS}/sign-in`,
  });
});

test("what the ID token says counts more than what is said about the person besides", async () => {
  liar.claims = { groups: ["from the token"] };
  liar.person = { groups: ["from the answer"], name: "Ada" };
  expect(await provider().finish(back(), SECRETS)).toMatchObject({
    issuer: liar.issuer,
    claims: { sub: "ada", name: "Ada", groups: ["from the token"] },
  });
  expect(Object.fromEntries(liar.form)).toEqual({
    grant_type: "authorization_code",
    code: "the-code",
    code_verifier: SECRETS.verifier,
    redirect_uri: `${ADDRESS}/sign-in/return`,
  });
});

test.each([
  [["client_secret_post", "private_key_jwt"], LYING_CLIENT.secret],
  [["client_secret_basic", "client_secret_post"], null],
  [undefined, null],
])("a provider that takes the client's secret by %j gets it in the form: %s", async (ways, secret) => {
  liar.metadata = { token_endpoint_auth_methods_supported: ways };
  expect(await provider().finish(back(), SECRETS)).toHaveProperty("claims");
  expect(liar.form.get("client_secret")).toBe(secret);
});

const LIES: readonly (readonly [string, Partial<LyingProvider>])[] = [
  ["of another issuer", { claims: { iss: "https://evil.example" } }],
  ["for another client", { claims: { aud: "somebody" } }],
  ["for several clients, and not made for this one", { claims: { aud: ["busbar", "somebody"], azp: "somebody" } }],
  ["with another nonce", { claims: { nonce: "another" } }],
  ["without a nonce", { claims: { nonce: undefined } }],
  ["that has expired", { claims: { exp: Math.floor(Date.now() / 1_000) - 3_600 } }],
  ["without an end", { claims: { exp: undefined } }],
  ["that is not valid yet", { claims: { nbf: Math.floor(Date.now() / 1_000) + 3_600 } }],
  ["without a subject", { claims: { sub: undefined } }],
  ["that nobody signed", { signedBy: "none" }],
  [
    "that nobody signed, as the provider allows",
    { signedBy: "none", metadata: { id_token_signing_alg_values_supported: ["none", "RS256"] } },
  ],
  ["signed by the client's secret", { signedBy: "secret" }],
  [
    "signed by the client's secret, as the provider allows",
    { signedBy: "secret", metadata: { id_token_signing_alg_values_supported: ["HS256", "RS256"] } },
  ],
  ["signed by another key", { signedBy: "other key" }],
  ["signed by a key that the provider does not have", { header: { kid: "second" } }],
  ["about somebody else than the answer about the person", { person: { sub: "eve" } }],
];

test.each(LIES)("an ID token %s signs nobody in", async (_, lie) => {
  Object.assign(liar, lie);
  expect(await provider().finish(back(), SECRETS)).toEqual({ kind: "refused", error: expect.any(String) });
});

test.each([
  ["another state", { state: "another" }],
  ["the issuer of another provider", { iss: "https://evil.example" }],
])("who comes back with %s gets no token: the code is not even sent", async (_, parameters) => {
  const before = liar.asked.token;
  expect(await provider().finish(back(parameters), SECRETS)).toMatchObject({ kind: "refused" });
  expect(liar.asked.token).toBe(before);
});

test("who comes back without the issuer, with two states or without a code gets no token", async () => {
  const before = liar.asked.token;
  for (const parameters of [
    `code=c&state=${SECRETS.state}`,
    `code=c&state=${SECRETS.state}&state=other&iss=${liar.issuer}`,
    `state=${SECRETS.state}&iss=${liar.issuer}`,
    `code=c&iss=${liar.issuer}`,
    "",
  ])
    expect(await provider().finish(new URLSearchParams(parameters), SECRETS)).toMatchObject({ kind: "refused" });
  expect(liar.asked.token).toBe(before);
});

test("a provider that says no is quoted in the words of the standard only", async () => {
  const no = (error: string) =>
    provider().finish(
      new URLSearchParams({ error, error_description: "<b>", state: SECRETS.state, iss: liar.issuer }),
      SECRETS,
    );
  expect(await no("access_denied")).toEqual({ kind: "declined", error: "the provider answered access_denied" });
  expect(await no("<b>evil</b>")).toEqual({ kind: "declined", error: "the provider answered an error" });
});

const json = (response: ServerResponse, body: unknown, status = 200) =>
  void response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));

/** Goes on for as long as somebody reads. */
function pour(response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "application/json" });
  const piece = Buffer.alloc(64 * 1024, " ");
  const more = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on("drain", more);
  more();
}

test.each(["metadata", "token", "keys", "person"] as const)("an answer without end is broken off: %s", async (part) => {
  liar.answer = { [part]: pour };
  expect(await provider().finish(back(), SECRETS)).toEqual({
    kind: "unreachable",
    error: "an answer has more than 1 MiB",
  });
});

test.each(["metadata", "token", "keys", "person"] as const)("no answer at all ends the wait: %s", async (part) => {
  liar.answer = { [part]: () => {} };
  expect(await provider({ timeoutMs: 100 }).finish(back(), SECRETS)).toEqual({
    kind: "unreachable",
    error: "operation timed out",
  });
});

test.each<[string, (response: ServerResponse) => void]>([
  ["an error", (response) => json(response, { error: "server_error" }, 500)],
  ["a page", (response) => void response.writeHead(200, { "Content-Type": "text/html" }).end("<html>")],
  ["a redirect", (response) => void response.writeHead(302, { Location: "http://169.254.169.254/" }).end()],
  ["a list", (response) => json(response, [])],
  ["no JSON", (response) => void response.writeHead(200, { "Content-Type": "application/json" }).end("{")],
])("a provider that answers %s about itself signs nobody in", async (_, answer) => {
  liar.answer = { metadata: answer };
  expect(await provider().authorizationUrl(SECRETS)).toHaveProperty("error");
});

test("a provider that calls itself by another name, or sends people elsewhere than HTTP, is not believed", async () => {
  for (const metadata of [
    { issuer: "https://evil.example" },
    { authorization_endpoint: "javascript:alert(1)" },
    { authorization_endpoint: undefined },
  ]) {
    liar.metadata = metadata;
    expect(await provider().authorizationUrl(SECRETS)).toHaveProperty("error");
  }
});

test("the client is refused: that is not the person's mistake", async () => {
  liar.answer = { token: (response) => json(response, { error: "invalid_client" }, 400) };
  expect(await provider().finish(back(), SECRETS)).toEqual({
    kind: "unreachable",
    error: "the provider answered invalid_client",
  });
});

test("all that begin at once ask once; after a failure the next question waits a little, and then all is well", async () => {
  let now = 0;
  const one = provider({ now: () => now });
  liar.answer = { metadata: (response) => json(response, {}, 503) };
  const before = liar.asked.metadata;
  const begin = () => one.authorizationUrl(SECRETS);
  for (const begun of await Promise.all([begin(), begin(), begin()])) expect(begun).toHaveProperty("error");
  liar.behave();
  expect(await begin()).toHaveProperty("error");
  expect(liar.asked.metadata).toBe(before + 1);
  now += 2_001;
  for (const begun of await Promise.all([begin(), begin()])) expect(begun).toHaveProperty("url");
  now += 3_000_000;
  expect(await begin()).toHaveProperty("url");
  expect(liar.asked.metadata).toBe(before + 2);
  now += 3_600_001;
  expect(await begin()).toHaveProperty("url");
  expect(liar.asked.metadata).toBe(before + 3);
});

test("a connection that breaks is tried once more, and no provider at all is no fault", async () => {
  let broken = 0;
  liar.answer = {
    metadata(response) {
      broken++;
      response.destroy();
    },
  };
  expect(await provider().authorizationUrl(SECRETS)).toEqual({ kind: "unreachable", error: "the connection broke" });
  expect(broken).toBe(2);
  const nobody = provider({ issuer: "http://127.0.0.1:9" });
  expect(await nobody.authorizationUrl(SECRETS)).toMatchObject({ kind: "unreachable" });
  expect(await nobody.endSessionUrl()).toBeUndefined();
});

test("a signed token says who has signed out there", async () => {
  const { readLogout } = provider();
  expect(await readLogout(liar.logoutToken({ sid: "s1" }))).toEqual({
    ...{ issuer: liar.issuer, subject: "ada", session: "s1" },
  });
  expect(await readLogout(liar.logoutToken({ sub: undefined, sid: "s2" }))).toMatchObject({ session: "s2" });
});

test.each([
  ["other key", {}],
  ["none", {}],
  ["secret", {}],
  ["key", { crit: ["exp"] }],
  ["key", { kid: "unknown" }],
  ["key", { alg: "PS256" }],
  ["key", { alg: "ES256" }],
  ["key", { alg: "EdDSA" }],
] as const)("a logout token signed by %s with the header %j ends nothing", async (signedBy, header) => {
  Object.assign(liar, { signedBy, header });
  expect(await provider().readLogout(liar.logoutToken())).toMatchObject({ kind: "refused" });
});

test("neither an ID token, nor a changed or foreign token, nor anything else is a logout token", async () => {
  const one = provider();
  const token = liar.logoutToken();
  const [head, , signature] = token.split(".");
  const body = Buffer.from(
    JSON.stringify({ ...JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()), sub: "eve" }),
  );
  for (const text of [
    `${head}.${body.toString("base64url")}.${signature}`,
    liar.logoutToken({ nonce: "n" }),
    liar.logoutToken({ events: undefined }),
    liar.logoutToken({ iss: "https://evil.example" }),
    liar.logoutToken({ aud: "other" }),
    liar.logoutToken({ iat: Math.floor(Date.now() / 1_000) - 400 }),
    ...["", "x", "a.b.c", `${token}.x`, "x".repeat(16_001), `${head}.${body.toString("base64url")}.`],
  ])
    expect(await one.readLogout(text)).toMatchObject({ kind: "refused" });
});

test("a flood of wrong logout tokens asks for the keys once in a while, and a new key is found", async () => {
  let time = Date.now();
  const one = provider({ now: () => time });
  liar.asked.keys = 0;
  liar.header = { kid: "unknown" };
  for (let turn = 0; turn < 20; turn++) await one.readLogout(liar.logoutToken());
  expect(liar.asked.keys).toBe(1);
  const away = (response: ServerResponse) => void response.writeHead(500).end();
  liar.header = { kid: "new" };
  const token = liar.logoutToken();
  time += 40_000;
  liar.answer = { keys: away };
  expect(await one.readLogout(token)).toMatchObject({ kind: "unreachable" });
  liar.answer = {};
  liar.renameKey("new");
  expect(await one.readLogout(token)).toMatchObject({ kind: "unreachable" });
  time += 40_000;
  expect(await one.readLogout(token)).toMatchObject({ subject: "ada" });
  liar.renameKey("first");
});

test("nothing of a token that is wrong by itself makes the provider be asked", async () => {
  liar.asked.metadata = 0;
  await provider().readLogout(liar.logoutToken({ iss: "https://evil.example" }));
  expect(liar.asked.metadata).toBe(0);
});
