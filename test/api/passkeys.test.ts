// Passkeys: added, used in place of a password, and attacked.
import { afterEach, expect, test, vi } from "vitest";
import type { Page } from "#client/page.ts";
import type { Account, AuditEntry, Passkey, Session } from "#client/resources.ts";
import { appCode } from "../support/authenticator-app.ts";
import { type Answer, useServer } from "../support/server.ts";
import { newSoftKey, type SoftKey } from "../support/soft-authenticator.ts";

const busbar = useServer(["--http-wrong-token-limit", "50", "--http-trust-proxy", "127.0.0.1"]);
const PASSWORD = "four plain small words";
const ORIGIN = "https://busbar.example.org";
const AT_NAME = { "X-Forwarded-Proto": "https", "X-Forwarded-Host": "busbar.example.org" };

let last = 0;
afterEach(() => {
  vi.useRealTimers();
});
const own = () => ({
  "Sec-Fetch-Site": "same-origin",
  ...AT_NAME,
  "X-Forwarded-For": `203.0.113.${(++last % 250) + 1}`,
});
const cookieOf = ({ headers }: Answer<unknown>) => (headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
const pointerOf = ({ errors }: Answer<unknown>) => (errors[0]?.details as { pointer?: string } | undefined)?.pointer;

interface Offer {
  readonly challenge: string;
  readonly host: string;
  readonly known_ids: readonly string[];
}

function browser(cookie: string) {
  return <Body = unknown>(method: string, path: string, json?: unknown, more: object = {}) =>
    busbar.anonymous.call<Body>(method, path, {
      headers: { ...own(), Cookie: cookie, ...more },
      ...(json !== undefined && { json }),
    });
}

async function newPerson(more: object = {}) {
  const body = { name: "Anna", mail: `anna${++last}@example.org`, level: "user", password: PASSWORD, ...more };
  const { account } = (await busbar.admin.post<{ account: Account }>("/v3/accounts", body)).body;
  const by = { mail: account.mail, password: PASSWORD };
  const call = browser(cookieOf(await busbar.anonymous.post("/v3/sessions", by, { headers: own() })));
  const offer = async (code?: string) =>
    await call<Offer>("POST", "/v3/account/passkeys/options", {
      current_password: PASSWORD,
      ...(code !== undefined && { code }),
    });
  const add = async (key: SoftKey, challenge: string, lies = {}) => {
    const { signature: _, ...said } = key.answer("webauthn.create", challenge, lies);
    const json = { id: key.id, name: "Phone", public_key: key.publicKey, ...said };
    return await call<{ passkey: Passkey }>("POST", "/v3/account/passkeys", json);
  };
  const withKey = async (kind?: "ec" | "ed25519" | "rsa") => {
    const key = newSoftKey(ORIGIN, kind);
    expect((await add(key, (await offer()).body.challenge)).status).toBe(200);
    return key;
  };
  return { ...account, call, offer, add, withKey };
}

const challenge = async () =>
  (await busbar.anonymous.post<Offer>("/v3/sessions/passkey/options", undefined, { headers: own() })).body.challenge;
const enter = async (id: string, said: object, headers: object = {}) =>
  await busbar.anonymous.post<{ session: Session }>(
    "/v3/sessions/passkey",
    { id, ...said },
    { headers: { ...own(), ...headers } },
  );
const signIn = async (key: SoftKey, lies = {}) =>
  await enter(key.id, key.answer("webauthn.get", await challenge(), lies));

test.each(["ec", "ed25519", "rsa"] as const)(
  "a person adds a passkey (%s) and signs in with it alone",
  async (kind) => {
    const anna = await newPerson();
    const key = await anna.withKey(kind);
    const done = await signIn(key);
    expect(done.body.session).toMatchObject({ account_id: anna.id });
    const call = browser(cookieOf(done));
    expect((await call("GET", "/v3/sites")).status).toBe(200);
    const { passkeys } = (await call<{ passkeys: Passkey[] }>("GET", "/v3/account/passkeys")).body;
    expect(passkeys).toMatchObject([
      { id: key.id, name: "Phone", host: "busbar.example.org", last_used_at: expect.any(String) },
    ]);
    const { sign_ins } = (await call<Page<"sign_ins", { by: string }>>("GET", "/v3/account/sign_ins")).body;
    expect(sign_ins[0]?.by).toBe("passkey");
  },
);

test("a passkey is named and deleted by its person alone, and a deleted one signs nobody in", async () => {
  const [anna, ben] = [await newPerson(), await newPerson({ name: "Ben" })];
  const key = await anna.withKey();
  const path = `/v3/account/passkeys/${key.id}`;
  for (const refused of [await ben.call("PATCH", path, { name: "Mine" }), await ben.call("DELETE", path)])
    expect(refused.status).toBe(404);
  const renamed = await anna.call<{ passkey: Passkey }>("PATCH", path, { name: "Laptop" });
  expect(renamed.body.passkey.name).toBe("Laptop");
  expect((await anna.offer()).body.known_ids).toEqual([key.id]);
  expect((await anna.call("DELETE", path)).status).toBe(200);
  expect((await signIn(key)).status).toBe(401);
});

test("adding one takes the password, and the code of a person with a second factor; signing in asks for neither", async () => {
  const anna = await newPerson();
  const wrong = await anna.call("POST", "/v3/account/passkeys/options", { current_password: "wrong wrong wrong" });
  expect([wrong.status, pointerOf(wrong)]).toEqual([400, "/current_password"]);
  const { secret } = (
    await anna.call<{ secret: string }>("POST", "/v3/account/second_factor", { current_password: PASSWORD })
  ).body;
  await anna.call("POST", "/v3/account/second_factor/confirm", { code: appCode(secret) });
  expect(pointerOf(await anna.offer())).toBe("/code");
  expect(pointerOf(await anna.offer("000000"))).toBe("/code");
  const key = newSoftKey(ORIGIN);
  const offered = await anna.offer(appCode(secret, 1));
  expect((await anna.add(key, offered.body.challenge)).status).toBe(200);
  expect((await signIn(key)).status).toBe(200);
});

test.each([
  ["another page", { origin: "https://evil.example" }],
  ["another port of this host", { origin: `${ORIGIN}:8443` }],
  ["the same name without TLS", { origin: "http://busbar.example.org" }],
  ["another host", { host: "evil.example" }],
  ["a page in a frame of another", { crossOrigin: true }],
  ["a device that nobody proved to who they are", { flags: 0b001 }],
  ["a device that nobody touched", { flags: 0b100 }],
])("the answer of %s neither adds a passkey nor signs in", async (_, lies) => {
  const anna = await newPerson();
  const refused = await anna.add(newSoftKey(ORIGIN), (await anna.offer()).body.challenge, lies);
  expect([refused.status, pointerOf(refused)]).toEqual([400, "/client_data"]);
  expect((await signIn(await anna.withKey(), lies)).status).toBe(401);
});

test("a page that was reached by another name signs nobody in, though it says that name itself", async () => {
  const anna = await newPerson();
  const key = await anna.withKey();
  const there = { "X-Forwarded-Host": "evil.example" };
  const offered = await busbar.anonymous.post<Offer>("/v3/sessions/passkey/options", undefined, {
    headers: { ...own(), ...there },
  });
  const said = key.answer("webauthn.get", offered.body.challenge, {
    ...{ origin: "https://evil.example", host: "evil.example" },
  });
  expect((await enter(key.id, said, there)).status).toBe(401);
});

test("a challenge is used once, for what it was given for, by whom it was given to, and for five minutes", async () => {
  const [anna, ben] = [await newPerson(), await newPerson({ name: "Ben" })];
  const key = await anna.withKey();
  const said = key.answer("webauthn.get", await challenge());
  const answers = await Promise.all([1, 2, 3].map(() => enter(key.id, said)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  const registration = (await anna.offer()).body.challenge;
  expect((await enter(key.id, key.answer("webauthn.get", registration))).status).toBe(401);
  const stolen = newSoftKey(ORIGIN);
  expect((await ben.add(stolen, registration)).status).toBe(400);
  expect((await ben.add(stolen, await challenge())).status).toBe(400);
  expect((await anna.add(stolen, registration)).status).toBe(200);
  expect((await anna.add(newSoftKey(ORIGIN), registration)).status).toBe(400);
  const late = await challenge();
  const lateOffer = (await anna.offer()).body.challenge;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 300_000 });
  expect((await enter(key.id, key.answer("webauthn.get", late))).status).toBe(401);
  expect((await anna.add(newSoftKey(ORIGIN), lateOffer)).status).toBe(400);
});

test("a challenge that was not given here is refused, whatever it looks like", async () => {
  const anna = await newPerson();
  const key = await anna.withKey();
  const real = Buffer.from(await challenge(), "base64url");
  const changed = Buffer.from(real);
  changed[20] = (changed[20] ?? 0) ^ 1;
  for (const made of [
    "",
    "AQ",
    changed.toString("base64url"),
    real.subarray(0, 40).toString("base64url"),
    "*".repeat(40),
  ])
    expect((await enter(key.id, key.answer("webauthn.get", made))).status).toBe(401);
});

test("the key of another person, a changed answer and another kind of answer are refused", async () => {
  const [anna, ben] = [await newPerson(), await newPerson({ name: "Ben" })];
  const [annas, bens] = [await anna.withKey(), await ben.withKey()];
  expect((await enter(annas.id, bens.answer("webauthn.get", await challenge()))).status).toBe(401);
  const said = annas.answer("webauthn.get", await challenge());
  const other = annas.answer("webauthn.get", await challenge(), { count: 9 });
  expect((await enter(annas.id, { ...said, authenticator_data: other.authenticator_data })).status).toBe(401);
  expect((await enter(annas.id, { ...said, signature: other.signature })).status).toBe(401);
  expect((await enter(annas.id, annas.answer("webauthn.create", await challenge()))).status).toBe(401);
  expect((await enter("bm9ib2R5", said)).status).toBe(401);
  expect((await enter(annas.id, said)).status).toBe(200);
});

test("a key whose count does not rise was copied, and signs nobody in", async () => {
  const anna = await newPerson();
  const key = await anna.withKey();
  const statuses: number[] = [];
  for (const count of [5, 6, 6, 5, 0, 7]) statuses.push((await signIn(key, { count })).status);
  expect(statuses).toEqual([200, 200, 401, 401, 401, 200]);
});

test("a suspended person's passkey is answered like an unknown one", async () => {
  const anna = await newPerson();
  const key = await anna.withKey();
  await busbar.admin.patch(`/v3/accounts/${anna.id}`, { suspended: true });
  const [refused, unknown] = [await signIn(key), await signIn(newSoftKey(ORIGIN))];
  expect([refused.status, refused.errors]).toEqual([401, unknown.errors]);
});

test("keys of other kinds and oversize answers are refused, and there are at most 20 of a person", async () => {
  const anna = await newPerson();
  const key = newSoftKey(ORIGIN);
  const { signature: _, ...said } = key.answer("webauthn.create", (await anna.offer()).body.challenge);
  const add = (more: object) =>
    anna.call("POST", "/v3/account/passkeys", { id: key.id, name: "x", public_key: key.publicKey, ...said, ...more });
  for (const bad of [
    { public_key: "AQID" },
    { public_key: "A".repeat(1_401) },
    { id: "A".repeat(1_401) },
    { client_data: "A".repeat(2_801) },
    { client_data: Buffer.from("null").toString("base64url") },
    { client_data: Buffer.from('{"type":1,"challenge":[],"origin":{}}').toString("base64url") },
    { authenticator_data: "AQ" },
    { authenticator_data: "*" },
    { name: "" },
    { name: "x".repeat(101) },
  ])
    expect((await add(bad)).status).toBe(400);
  expect((await add({ name: "x".repeat(100) })).status).toBe(200);
  for (let more = 0; more < 19; more++) await anna.withKey();
  expect((await anna.add(newSoftKey(ORIGIN), (await anna.offer()).body.challenge)).status).toBe(409);
});

test.each([
  { "X-Forwarded-Proto": "http" },
  { "X-Forwarded-Host": "203.0.113.5" },
  { "X-Forwarded-Host": "[2001:db8::1]" },
])("at %j there are no passkeys, and the answer says why", async (there) => {
  const { mail } = await newPerson();
  const headers = { ...own(), ...there };
  const signedIn = await busbar.anonymous.post("/v3/sessions", { mail, password: PASSWORD }, { headers });
  const call = browser(cookieOf(signedIn));
  const offered = await call("POST", "/v3/account/passkeys/options", { current_password: PASSWORD }, there);
  expect([offered.status, offered.errors[0]?.code]).toEqual([409, "not_available"]);
  const asked = await busbar.anonymous.post("/v3/sessions/passkey/options", undefined, {
    headers: { ...own(), ...there },
  });
  expect([asked.status, asked.errors[0]?.message]).toEqual([409, expect.stringContaining("over HTTPS")]);
});

test("the audit log says who added, named and deleted a passkey, and guesses count for their address", async () => {
  const anna = await newPerson();
  const key = await anna.withKey();
  await anna.call("PATCH", `/v3/account/passkeys/${key.id}`, { name: "Laptop" });
  await anna.call("DELETE", `/v3/account/passkeys/${key.id}`);
  const { body } = await busbar.admin.get<Page<"entries", AuditEntry>>(
    "/v3/audit?limit=20&outcome.in=OK&order=AT_DESC",
  );
  const seen = body.entries.filter(({ target }) => target.token_id === anna.id).map(({ action }) => action);
  expect(seen.slice(0, 3)).toEqual(["deletePasskey", "renamePasskey", "addPasskey"]);
  const here = { "X-Forwarded-For": "198.51.100.77" };
  const statuses: number[] = [];
  for (let guess = 0; guess < 52; guess++)
    statuses.push(
      (await enter("bm9ib2R5", { client_data: "AQ", authenticator_data: "AQ", signature: "AQ" }, here)).status,
    );
  expect([statuses.filter((status) => status === 401).length, statuses.at(-1)]).toEqual([50, 429]);
});
