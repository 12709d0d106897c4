// An operator asks for a second factor from a level on: whoever has that level anywhere does not get in without one.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Account, Session } from "#client/resources.ts";
import { appCode } from "../support/authenticator-app.ts";
import { type Answer, useServer } from "../support/server.ts";

const busbar = useServer([
  "--http-wrong-token-limit",
  "50",
  "--http-trust-proxy",
  "127.0.0.1",
  "--sessions-second-factor",
  "owner",
]);
const PASSWORD = "four plain small words";
const STEP_MS = 30_000;

interface SignedIn {
  readonly session: Session | null;
  readonly second_factor: Step | null;
}
interface Step {
  readonly step: string;
  readonly enrolment: { readonly secret: string; readonly uri: string } | null;
}
interface Finished {
  readonly session: Session;
  readonly recovery_codes: readonly string[] | null;
}

let last = 0;
let time = Date.now();
beforeEach(() => {
  time = Math.floor(time / STEP_MS) * STEP_MS + 10 * STEP_MS;
  vi.useFakeTimers({ toFake: ["Date"], now: time });
});
afterEach(() => {
  time = Date.now();
  vi.useRealTimers();
});
const pass = (steps: number) => vi.setSystemTime(Date.now() + steps * STEP_MS);

const post = <Body = unknown>(path: string, body: object) => {
  const headers = { "Sec-Fetch-Site": "same-origin", "X-Forwarded-For": `203.0.113.${(++last % 250) + 1}` };
  return busbar.anonymous.post<Body>(path, body, { headers });
};
const begin = (mail: string, password = PASSWORD) => post<SignedIn>("/v3/sessions", { mail, password });
const finish = (step: string, code: string) => post<Finished>("/v3/sessions/second_factor", { step, code });
const cookieOf = ({ headers }: Answer<unknown>) => (headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
const pointerOf = ({ errors }: Answer<unknown>) => errors[0]?.details?.["pointer"];

async function newPerson(more: object = {}) {
  const body = { name: "Anna", mail: `anna${++last}@example.org`, level: "owner", password: PASSWORD, ...more };
  return (await busbar.admin.post<{ account: Account }>("/v3/accounts", body)).body.account;
}

/** The first step of a person who has no app yet. */
async function enrolling(mail: string) {
  const { second_factor } = (await begin(mail)).body;
  expect(second_factor?.enrolment?.secret).toMatch(/^[A-Z2-7]{32}$/);
  return { step: second_factor?.step ?? "", secret: second_factor?.enrolment?.secret ?? "" };
}

test("who has no app sets one up with the sign-in, and is asked for its codes from then on", async () => {
  const anna = await newPerson();
  const first = await begin(anna.mail);
  expect([first.status, first.body.session, first.headers.getSetCookie()]).toEqual([200, null, []]);
  const { step = "", enrolment } = first.body.second_factor ?? {};
  expect(new URL(enrolment?.uri ?? "").searchParams.get("secret")).toBe(enrolment?.secret);
  const wrong = await finish(step, appCode(enrolment?.secret ?? "", 5));
  expect([wrong.status, pointerOf(wrong), wrong.headers.getSetCookie()]).toEqual([401, "/code", []]);
  const done = await finish(step, appCode(enrolment?.secret ?? ""));
  expect([done.status, done.body.session.account_id]).toEqual([200, anna.id]);
  expect(new Set(done.body.recovery_codes).size).toBe(10);
  const { sign_ins } = (
    await busbar.anonymous.get<{ sign_ins: { by: string }[] }>("/v3/account/sign_ins", {
      headers: { Cookie: cookieOf(done), "Sec-Fetch-Site": "same-origin" },
    })
  ).body;
  expect(sign_ins[0]?.by).toBe("password and app");

  pass(1);
  const next = await begin(anna.mail);
  expect([next.body.session, next.body.second_factor?.enrolment]).toEqual([null, null]);
  const again = await finish(next.body.second_factor?.step ?? "", appCode(enrolment?.secret ?? ""));
  expect([again.status, again.body.recovery_codes]).toEqual([200, null]);
});

test("it is asked of whoever has the level at some site, and of nobody below it", async () => {
  const { site } = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "North" })).body;
  const here = { level: "user", site_levels: [{ site_id: site.id, level: "owner" }] };
  for (const [more, isAsked] of [
    [{ level: "user" }, false],
    [{ level: "vendor" }, true],
    [here, true],
  ] as const) {
    const { session, second_factor } = (await begin((await newPerson(more)).mail)).body;
    expect([session === null, second_factor !== null]).toEqual([isAsked, isAsked]);
  }
});

test("a link to a password leads to an app, too", async () => {
  const anna = await newPerson({ password: undefined });
  const path = `/v3/accounts/${anna.id}/invitation`;
  const { code } = (await busbar.admin.post<{ code: string }>(path, undefined)).body;
  const accepted = await post<SignedIn>("/v3/invitations/accept", { code, password: PASSWORD });
  expect([accepted.body.session, accepted.headers.getSetCookie()]).toEqual([null, []]);
  const { step = "", enrolment } = accepted.body.second_factor ?? {};
  expect((await finish(step, appCode(enrolment?.secret ?? ""))).status).toBe(200);
});

test("a step that sets an app up works once, for the newest secret, and ends with the password and with its time", async () => {
  const anna = await newPerson();
  const old = await enrolling(anna.mail);
  const { step, secret } = await enrolling(anna.mail);
  expect((await finish(step, appCode(old.secret))).status).toBe(401);
  const many = await Promise.all([1, 2, 3].map(() => finish(step, appCode(secret))));
  expect(many.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  // The other step is of a person who has an app now, and sets up no second one.
  expect((await finish(old.step, appCode(old.secret))).status).toBe(401);

  const ben = await newPerson();
  const late = await enrolling(ben.mail);
  pass(20);
  expect(pointerOf(await finish(late.step, appCode(late.secret)))).toBe("/step");
  const stale = await enrolling(ben.mail);
  await busbar.admin.patch(`/v3/accounts/${ben.id}`, { password: "other plain small words" });
  expect(pointerOf(await finish(stale.step, appCode(stale.secret)))).toBe("/step");
});

test("codes are guessed no more often than those of an app that is there", async () => {
  const anna = await newPerson();
  const { step, secret } = await enrolling(anna.mail);
  const statuses: number[] = [];
  for (let guess = 0; guess < 6; guess++) statuses.push((await finish(step, appCode(secret, 10 + guess))).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  expect((await finish(step, appCode(secret))).status).toBe(429);
});

test("who switches the app off, or whose app is reset, sets one up at the next sign-in", async () => {
  const anna = await newPerson();
  const { step, secret } = await enrolling(anna.mail);
  const done = await finish(step, appCode(secret));
  pass(1);
  const waiting = (await begin(anna.mail)).body.second_factor?.step ?? "";
  const headers = { Cookie: cookieOf(done), "Sec-Fetch-Site": "same-origin" };
  const proof = { current_password: PASSWORD, code: appCode(secret) };
  expect((await busbar.anonymous.post("/v3/account/second_factor/remove", proof, { headers })).status).toBe(200);
  pass(1);
  // What waited for a code of the former app is over, whatever it is given.
  expect(pointerOf(await finish(waiting, appCode(secret)))).toBe("/step");
  const next = await enrolling(anna.mail);
  expect(next.secret).not.toBe(secret);
  expect((await finish(next.step, appCode(next.secret))).status).toBe(200);
  expect((await busbar.admin.delete(`/v3/accounts/${anna.id}/second_factor`)).status).toBe(200);
  await enrolling(anna.mail);
});

test("no secret of an app that is set up is in the log or in the audit log, which says who did it", async () => {
  const anna = await newPerson({ name: "Enrolled Anna" });
  const { step, secret } = await enrolling(anna.mail);
  const { recovery_codes } = (await finish(step, appCode(secret))).body;
  const { entries } = (
    await busbar.admin.get<{ entries: { action: string; actor: { name: string } | null }[] }>("/v3/audit?limit=1000")
  ).body;
  const own = entries.filter(({ actor }) => actor?.name === anna.name).map(({ action }) => action);
  expect(own).toEqual(["createSession", "confirmSecondFactor"]);
  for (const text of [secret, step, ...(recovery_codes ?? [])]) {
    expect(JSON.stringify(entries)).not.toContain(text);
    expect(busbar.log).not.toContain(text);
  }
});
