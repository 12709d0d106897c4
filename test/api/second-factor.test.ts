// The second factor of a person: enrolled, asked for, lost, and attacked.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Page } from "#client/page.ts";
import type { Account, AuditEntry, Session } from "#client/resources.ts";
import { appCode } from "../support/authenticator-app.ts";
import { type Answer, type CallOptions, useServer } from "../support/server.ts";

const busbar = useServer(["--http-wrong-token-limit", "20", "--http-trust-proxy", "127.0.0.1"]);
const PASSWORD = "four plain small words";
const OWN_PAGE = { "Sec-Fetch-Site": "same-origin" };
const STEP_MS = 30_000;

let last = 0;
let time = Date.now();
const newAddress = () => ({ "X-Forwarded-For": `203.0.${Math.floor(++last / 250)}.${(last % 250) + 1}` });
const cookieOf = ({ headers }: Answer<unknown>) => (headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
const pointerOf = ({ errors }: Answer<unknown>) => (errors[0]?.details as { pointer?: string } | undefined)?.pointer;

// A code works once: time passes from one to the next.
beforeEach(() => {
  time = Math.floor(time / STEP_MS) * STEP_MS + 10 * STEP_MS;
  vi.useFakeTimers({ toFake: ["Date"], now: time });
});
afterEach(() => {
  time = Date.now();
  vi.useRealTimers();
});
const pass = (steps: number) => vi.setSystemTime(Date.now() + steps * STEP_MS);

interface SignedIn {
  readonly session: Session | null;
  readonly second_factor: { readonly step: string; readonly expires_at: string } | null;
}

const post = <Body = unknown>(path: string, body: object, headers: object = newAddress()) =>
  busbar.anonymous.post<Body>(path, body, { headers: { ...OWN_PAGE, ...headers } });
const password = (mail: string, headers?: object) =>
  post<SignedIn>("/v3/sessions", { mail, password: PASSWORD }, headers);
const second = (step: string, code: string, headers?: object) =>
  post<{ session: Session }>("/v3/sessions/second_factor", { step, code }, headers);

function browser(cookie: string) {
  const call = <Body = unknown>(method: string, path: string, json?: unknown) => {
    const options: CallOptions = { headers: { ...OWN_PAGE, Cookie: cookie, ...newAddress() } };
    return busbar.anonymous.call<Body>(method, path, { ...options, ...(json !== undefined && { json }) });
  };
  return { call, status: async () => (await call("GET", "/v3/sites")).status };
}

async function newPerson(more: object = {}) {
  const body = { name: "Anna", mail: `anna${++last}@example.org`, level: "user", password: PASSWORD, ...more };
  const { account } = (await busbar.admin.post<{ account: Account }>("/v3/accounts", body)).body;
  return { ...account, page: browser(cookieOf(await password(account.mail))) };
}

/** A person with an app. The code that confirmed it is used, so time has passed. */
async function enrolled(more: object = {}) {
  const anna = await newPerson(more);
  const offer = await anna.page.call<{ secret: string; uri: string }>("POST", "/v3/account/second_factor", {
    current_password: PASSWORD,
  });
  const { secret } = offer.body;
  const done = await anna.page.call<{ recovery_codes: string[] }>("POST", "/v3/account/second_factor/confirm", {
    code: appCode(secret),
  });
  pass(1);
  const begin = async () => (await password(anna.mail)).body.second_factor?.step ?? "";
  return { ...anna, secret, uri: offer.body.uri, codes: done.body.recovery_codes, begin };
}

const stateOf = async (page: { call: ReturnType<typeof browser>["call"] }) =>
  (await page.call<{ second_factor: { recovery_codes_left: number } | null }>("GET", "/v3/account/second_factor")).body
    .second_factor;

test("a person enrols an app, and the next sign-in asks for a code in a second step", async () => {
  const anna = await newPerson();
  expect(await stateOf(anna.page)).toBeNull();
  const offer = await anna.page.call<{ secret: string; uri: string }>("POST", "/v3/account/second_factor", {
    current_password: PASSWORD,
  });
  expect(offer.body.secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(new URL(offer.body.uri).searchParams.get("secret")).toBe(offer.body.secret);
  // Not confirmed yet: the password alone is enough.
  expect((await password(anna.mail)).body.second_factor).toBeNull();
  const { body } = await anna.page.call<{ recovery_codes: string[] }>("POST", "/v3/account/second_factor/confirm", {
    code: appCode(offer.body.secret),
  });
  expect(new Set(body.recovery_codes).size).toBe(10);
  expect(await stateOf(anna.page)).toMatchObject({ recovery_codes_left: 10 });
  expect(await anna.page.status()).toBe(200);

  const first = await password(anna.mail);
  expect([first.status, first.body.session, first.headers.getSetCookie()]).toEqual([200, null, []]);
  pass(1);
  const done = await second(first.body.second_factor?.step ?? "", appCode(offer.body.secret));
  expect(done.body.session).toMatchObject({ account_id: anna.id });
  const page = browser(cookieOf(done));
  expect(await page.status()).toBe(200);
  const { sign_ins } = (await page.call<Page<"sign_ins", { by: string }>>("GET", "/v3/account/sign_ins")).body;
  expect(sign_ins[0]?.by).toBe("password and app");
  const { account } = (await busbar.admin.get<{ account: Account }>(`/v3/accounts/${anna.id}`)).body;
  expect(account.has_second_factor).toBe(true);
});

test("enrolling takes the password and a right code, and a second app takes the place of none", async () => {
  const anna = await newPerson();
  const offer = (current_password: string) =>
    anna.page.call<{ secret: string }>("POST", "/v3/account/second_factor", { current_password });
  const confirm = (code: string) => anna.page.call("POST", "/v3/account/second_factor/confirm", { code });
  expect((await confirm("123456")).status).toBe(409);
  const wrong = await offer("wrong wrong wrong");
  expect([wrong.status, pointerOf(wrong)]).toEqual([400, "/current_password"]);
  const abandoned = (await offer(PASSWORD)).body.secret;
  const { secret } = (await offer(PASSWORD)).body;
  expect(secret).not.toBe(abandoned);
  const stale = await confirm(appCode(abandoned));
  expect([stale.status, pointerOf(stale)]).toEqual([400, "/code"]);
  expect((await confirm(appCode(secret))).status).toBe(200);
  expect([(await confirm(appCode(secret, 1))).status, (await offer(PASSWORD)).status]).toEqual([409, 409]);
});

test("codes of the half minute before and after are accepted, and no older or later ones", async () => {
  for (const [off, status] of [
    [-2, 401],
    [-1, 200],
    [0, 200],
    [1, 200],
    [2, 401],
  ] as const) {
    const anna = await enrolled();
    pass(5);
    expect([off, (await second(await anna.begin(), appCode(anna.secret, off))).status]).toEqual([off, status]);
  }
});

test("a code works once, also in another sign-in, and neither does an earlier one afterwards", async () => {
  const anna = await enrolled();
  pass(5);
  const steps = await Promise.all(Array.from({ length: 6 }, () => anna.begin()));
  const [here, ...others] = steps;
  expect((await second(here ?? "", appCode(anna.secret))).status).toBe(200);
  expect((await second(here ?? "", appCode(anna.secret, 1))).status).toBe(401);
  for (const off of [0, -1]) {
    const replayed = await second(others.pop() ?? "", appCode(anna.secret, off));
    expect([replayed.status, pointerOf(replayed)]).toEqual([401, "/code"]);
  }
  expect((await second(others.pop() ?? "", appCode(anna.secret, 1))).status).toBe(200);
});

test("the code that confirmed the app does not sign in", async () => {
  const anna = await enrolled();
  pass(-1);
  expect((await second(await anna.begin(), appCode(anna.secret))).status).toBe(401);
});

test("of many sign-ins at once with one code, one gets in", async () => {
  const anna = await enrolled();
  const steps = await Promise.all(Array.from({ length: 4 }, () => anna.begin()));
  const code = appCode(anna.secret);
  const answers = await Promise.all(steps.map((step) => second(step, code)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
});

test("steps of two sign-ins cannot be mixed: the code has to be that of the person of the step", async () => {
  const [anna, ben] = [await enrolled(), await enrolled({ name: "Ben" })];
  const [annas, bens] = [await anna.begin(), await ben.begin()];
  expect((await second(annas, appCode(ben.secret))).status).toBe(401);
  expect((await second(bens, appCode(anna.secret))).status).toBe(401);
  expect((await second(annas, ben.codes[0] ?? "")).status).toBe(401);
  const done = await second(bens, appCode(ben.secret));
  expect(done.body.session.account_id).toBe(ben.id);
  // A wrong code does not use the step up.
  expect((await second(annas, appCode(anna.secret))).body.session.account_id).toBe(anna.id);
});

test("a step is nobody's without its text, ends after ten minutes, and works once", async () => {
  const anna = await enrolled();
  const step = await anna.begin();
  for (const guess of ["guess", `${step}x`, step.slice(1), "constructor"]) {
    const refused = await second(guess, appCode(anna.secret));
    expect([refused.status, pointerOf(refused)]).toEqual([401, "/step"]);
  }
  pass(20);
  const late = await second(step, appCode(anna.secret));
  expect([late.status, pointerOf(late)]).toEqual([401, "/step"]);
  const next = await anna.begin();
  expect((await second(next, appCode(anna.secret))).status).toBe(200);
  pass(1);
  expect(pointerOf(await second(next, appCode(anna.secret)))).toBe("/step");
});

test.each([
  ["a suspension", (id: string) => busbar.admin.patch(`/v3/accounts/${id}`, { suspended: true })],
  ["a new password", (id: string) => busbar.admin.patch(`/v3/accounts/${id}`, { password: "quite another one" })],
  ["a deletion", (id: string) => busbar.admin.delete(`/v3/accounts/${id}`)],
  ["a reset of the second factor", (id: string) => busbar.admin.delete(`/v3/accounts/${id}/second_factor`)],
])("%s ends a sign-in that waits for its code", async (_, end) => {
  const anna = await enrolled();
  const step = await anna.begin();
  expect((await end(anna.id)).status).toBe(200);
  const refused = await second(step, appCode(anna.secret));
  expect([refused.status, pointerOf(refused)]).toEqual([401, "/step"]);
});

test("codes are guessed five times in a quarter of an hour, from however many addresses and steps; recovery codes still work", async () => {
  const anna = await enrolled();
  const right = appCode(anna.secret);
  const wrong = Array.from({ length: 8 }, (_, turn) =>
    String((Number(right) + 10 + turn) % 1_000_000).padStart(6, "0"),
  );
  const statuses: number[] = [];
  for (const code of wrong) statuses.push((await second(await anna.begin(), code)).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
  const locked = await second(await anna.begin(), appCode(anna.secret));
  expect([locked.status, locked.errors[0]?.code]).toEqual([429, "too_many_sign_ins"]);
  expect((await second(await anna.begin(), anna.codes[0] ?? "")).status).toBe(200);
  pass(30);
  expect((await second(await anna.begin(), appCode(anna.secret))).status).toBe(200);
});

test("of many guesses at once no more are looked at", async () => {
  const anna = await enrolled();
  const step = await anna.begin();
  const right = Number(appCode(anna.secret));
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, turn) => second(step, String((right + 10 + turn) % 1_000_000).padStart(6, "0"))),
  );
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
});

test("wrong codes and steps count for their address, too", async () => {
  const here = newAddress();
  const statuses: number[] = [];
  for (let turn = 0; turn < 22; turn++) statuses.push((await second(`guess${turn}`, "123456", here)).status);
  expect(statuses.filter((status) => status === 401)).toHaveLength(20);
  expect(statuses.at(-1)).toBe(429);
});

test("each recovery code works once, however it is typed; new ones end the others", async () => {
  const anna = await enrolled();
  const [one = "", two = "", three = ""] = anna.codes;
  const done = await second(await anna.begin(), ` ${one.toLowerCase().replaceAll("-", " ")} `);
  expect(done.status).toBe(200);
  expect((await second(await anna.begin(), one)).status).toBe(401);
  expect(await stateOf(anna.page)).toMatchObject({ recovery_codes_left: 9 });
  const replace = (code: string) =>
    anna.page.call<{ recovery_codes: string[] }>("POST", "/v3/account/second_factor/recovery_codes", {
      current_password: PASSWORD,
      code,
    });
  const refused = await replace("ABCD-EFGH-2345-QRST");
  expect([refused.status, pointerOf(refused)]).toEqual([400, "/code"]);
  const fresh = (await replace(two)).body.recovery_codes;
  expect(await stateOf(anna.page)).toMatchObject({ recovery_codes_left: 10 });
  expect((await second(await anna.begin(), three)).status).toBe(401);
  expect((await second(await anna.begin(), fresh[0] ?? "")).status).toBe(200);
});

test("switching it off takes the password and a code, and then the password alone signs in", async () => {
  const anna = await enrolled();
  const remove = (current_password: string, code: string) =>
    anna.page.call("POST", "/v3/account/second_factor/remove", { current_password, code });
  expect(pointerOf(await remove("wrong wrong wrong", appCode(anna.secret)))).toBe("/current_password");
  expect(pointerOf(await remove(PASSWORD, "000000"))).toBe("/code");
  expect(await anna.page.status()).toBe(200);
  expect((await remove(PASSWORD, appCode(anna.secret))).status).toBe(200);
  expect((await password(anna.mail)).body.session).toMatchObject({ account_id: anna.id });
  expect((await remove(PASSWORD, appCode(anna.secret, 1))).status).toBe(404);
  // Neither the former app nor its recovery codes are worth anything for the next one.
  const offer = await anna.page.call<{ secret: string }>("POST", "/v3/account/second_factor", {
    current_password: PASSWORD,
  });
  pass(1);
  await anna.page.call("POST", "/v3/account/second_factor/confirm", { code: appCode(offer.body.secret) });
  pass(1);
  for (const old of [appCode(anna.secret), anna.codes[3] ?? ""])
    expect((await second(await anna.begin(), old)).status).toBe(401);
});

test("a link to a new password does not replace the second factor", async () => {
  const anna = await enrolled();
  const { code } = (await busbar.admin.post<{ code: string }>(`/v3/accounts/${anna.id}/invitation`, undefined)).body;
  const accepted = await post<SignedIn>("/v3/invitations/accept", { code, password: "quite another one" });
  expect([accepted.status, accepted.body.session, accepted.headers.getSetCookie()]).toEqual([200, null, []]);
  expect(await anna.page.status()).toBe(401);
  expect((await second(accepted.body.second_factor?.step ?? "", appCode(anna.secret))).status).toBe(200);
});

test("a second sign-in of the browser ends its former session, and only once the code was right", async () => {
  const [anna, ben] = [await enrolled(), await newPerson({ name: "Ben" })];
  const former = cookieOf(await password(ben.mail));
  const step = (await password(anna.mail, { ...newAddress(), Cookie: former })).body.second_factor?.step ?? "";
  expect(await browser(former).status()).toBe(200);
  const done = await second(step, appCode(anna.secret), { ...newAddress(), Cookie: former });
  expect([await browser(former).status(), await browser(cookieOf(done)).status()]).toEqual([401, 200]);
});

test("who is above a person resets the second factor; an equal and a token of the same level cannot", async () => {
  const anna = await enrolled({ level: "owner" });
  const equal = await newPerson({ name: "Ben", level: "owner" });
  const path = `/v3/accounts/${anna.id}/second_factor`;
  expect((await equal.page.call("DELETE", path)).status).toBe(403);
  expect((await anna.page.call("DELETE", path)).status).toBe(403);
  expect((await busbar.as(await busbar.token({ level: "owner" })).delete(path)).status).toBe(403);
  expect((await busbar.as(await busbar.token({ level: "installer" })).delete(path)).status).toBe(200);
  expect((await password(anna.mail)).body.session).toMatchObject({ account_id: anna.id });
  expect((await busbar.admin.delete(path)).status).toBe(404);
  const { body } = await busbar.admin.get<Page<"entries", AuditEntry>>("/v3/audit?limit=50&outcome.in=OK");
  const entry = body.entries.find(({ action }) => action === "resetSecondFactor");
  expect([entry?.target.token_id, entry?.details]).toEqual([anna.id, { account: "Anna" }]);
});

test("an oversize code or step is refused for its length, and other pages cannot finish a sign-in", async () => {
  const anna = await enrolled();
  const step = await anna.begin();
  for (const [given, code] of [
    [step, "1".repeat(41)],
    [step, "1".repeat(900_000)],
    ["x".repeat(201), "123456"],
    [step, ""],
  ] as const)
    expect((await second(given, code)).status).toBe(400);
  const foreign = await second(step, appCode(anna.secret), { "Sec-Fetch-Site": "cross-site" });
  expect(foreign.status).toBe(403);
  expect((await second(step, appCode(anna.secret))).status).toBe(200);
});

test("a token has no second factor", async () => {
  const token = busbar.as(await busbar.token({ level: "vendor" }));
  expect((await token.get("/v3/account/second_factor")).status).toBe(404);
  expect((await token.post("/v3/account/second_factor", { current_password: PASSWORD })).status).toBe(404);
});

test("no secret, recovery code or step is in the records, in the audit log or in the log", async () => {
  const anna = await enrolled();
  const step = await anna.begin();
  await second(step, "999999");
  const secrets = [anna.secret, step, ...anna.codes, ...anna.codes.map((code) => code.replaceAll("-", ""))];
  const { text } = await busbar.admin.get("/v3/audit?limit=1000");
  const files = ["records.db", "records.db-wal"].map((name) => readFileSync(join(busbar.data, name)));
  for (const secret of secrets) {
    expect(text.includes(secret) || busbar.log.includes(secret)).toBe(false);
    for (const file of files) expect(file.includes(secret)).toBe(false);
  }
});
