// Links by which people choose their password.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import type { Page } from "#client/page.ts";
import type { Account, AuditEntry, Session } from "#client/resources.ts";
import { type Answer, useServer } from "../support/server.ts";

const busbar = useServer(["--http-wrong-token-limit", "5", "--http-trust-proxy", "127.0.0.1"]);
const PASSWORD = "four plain small words";
const OWN_PAGE = { "Sec-Fetch-Site": "same-origin" };
let last = 0;
const newAddress = () => ({ "X-Forwarded-For": `203.0.113.${++last}` });

afterEach(() => {
  vi.useRealTimers();
});

async function newPerson(more: object = {}): Promise<Account> {
  const body = { name: "Anna", mail: `anna${++last}@example.org`, level: "user", ...more };
  return (await busbar.admin.post<{ account: Account }>("/v3/accounts", body)).body.account;
}

const invite = async (id: string) =>
  (await busbar.admin.post<{ code: string; expires_at: string }>(`/v3/accounts/${id}/invitation`, undefined)).body;
const accept = async (code: string, password = PASSWORD, headers: object = newAddress()) =>
  await busbar.anonymous.post<{ session: Session }>(
    "/v3/invitations/accept",
    { code, password },
    { headers: { ...OWN_PAGE, ...headers } },
  );
const cookieOf = ({ headers }: Answer<unknown>) => (headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
const status = async (cookie: string) =>
  (await busbar.anonymous.get("/v3/sites", { headers: { ...OWN_PAGE, Cookie: cookie } })).status;

test("a person who is invited chooses a password and is signed in; the link works once", async () => {
  const anna = await newPerson();
  const { code, expires_at } = await invite(anna.id);
  expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(6 * 86_400_000);
  const done = await accept(code);
  expect(done.body.session).toMatchObject({ account_id: anna.id, level: "user" });
  expect(await status(cookieOf(done))).toBe(200);
  expect((await accept(code, "quite another one")).status).toBe(401);
  const by = { mail: anna.mail, password: PASSWORD };
  const again = await busbar.anonymous.post("/v3/sessions", by, { headers: { ...OWN_PAGE, ...newAddress() } });
  expect(again.status).toBe(200);
});

test("a person who forgot the password gets a link, and the sessions from before end with it", async () => {
  const anna = await newPerson();
  const before = cookieOf(await accept((await invite(anna.id)).code));
  const after = cookieOf(await accept((await invite(anna.id)).code, "quite another one"));
  expect([await status(before), await status(after)]).toEqual([401, 200]);
});

test("a bad password uses no link up, and the own mail address is one", async () => {
  const anna = await newPerson();
  const { code } = await invite(anna.id);
  for (const bad of ["short", "password123", anna.mail, "x".repeat(257)]) {
    const refused = await accept(code, bad);
    expect([refused.status, refused.errors[0]?.details]).toEqual([400, { pointer: "/password" }]);
  }
  expect((await accept(code)).status).toBe(200);
});

test("a link ends after 7 days, with another link, and with the suspension", async () => {
  const [late, twice, away] = [await newPerson(), await newPerson(), await newPerson()];
  const first = await invite(twice.id);
  const codes = [(await invite(late.id)).code, first.code, (await invite(away.id)).code];
  const second = await invite(twice.id);
  await busbar.admin.patch(`/v3/accounts/${away.id}`, { suspended: true });
  expect((await busbar.admin.post(`/v3/accounts/${away.id}/invitation`, undefined)).status).toBe(409);
  await busbar.admin.patch(`/v3/accounts/${away.id}`, { suspended: false });
  expect((await accept(second.code)).status).toBe(200);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 7 * 86_400_000 });
  for (const code of codes) expect((await accept(code)).status).toBe(401);
});

test("guesses count as wrong tokens of their address, and other pages accept nothing", async () => {
  const { code } = await invite((await newPerson()).id);
  expect((await accept(code, PASSWORD, { ...newAddress(), "Sec-Fetch-Site": "cross-site" })).status).toBe(403);
  const here = newAddress();
  const statuses: number[] = [];
  for (let guess = 0; guess < 7; guess++) statuses.push((await accept(`guess${guess}`, PASSWORD, here)).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  expect((await accept(code)).status).toBe(200);
});

test("of many who use a link at once, one gets in", async () => {
  const { code } = await invite((await newPerson()).id);
  const answers = await Promise.all(Array.from({ length: 4 }, (_, turn) => accept(code, `four plain words ${turn}`)));
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 401, 401, 401]);
});

test("the code is nowhere but in the answer, and the audit log says who invited and who came", async () => {
  const anna = await newPerson({ name: "Invited" });
  const { code } = await invite(anna.id);
  for (const file of ["records.db", "records.db-wal"]) {
    expect(readFileSync(join(busbar.data, file)).includes(code)).toBe(false);
  }
  await accept(code);
  const list = await busbar.admin.get<Page<"entries", AuditEntry>>("/v3/audit?limit=10&outcome.in=OK");
  expect(list.text).not.toContain(code);
  expect(busbar.log).not.toContain(code);
  const seen = list.body.entries.map(({ action, actor }) => `${action} ${actor?.name}`);
  expect(seen).toEqual(
    expect.arrayContaining(["createInvitation admin", "acceptInvitation Invited", "createSession Invited"]),
  );
});
