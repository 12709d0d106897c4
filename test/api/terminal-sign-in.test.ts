// Programs in terminals that people let in with their browser, and how strangers might abuse that.
import { expect, test } from "vitest";
import type { Page } from "#client/page.ts";
import type { Account, AuditEntry, Token } from "#client/resources.ts";
import { createMovableClocks } from "../support/movable-clocks.ts";
import { type Answer, useServer } from "../support/server.ts";

const clocks = createMovableClocks();
const busbar = useServer(["--http-wrong-token-limit", "5", "--http-trust-proxy", "127.0.0.1"], { clocks });
const PASSWORD = "four plain small words";
const OWN_PAGE = { "Sec-Fetch-Site": "same-origin" };
const PATH = "/v3/terminal_sign_ins";

let last = 0;
const newAddress = () => ({ "X-Forwarded-For": `203.0.113.${++last}` });

interface Begun {
  readonly device_code: string;
  readonly user_code: string;
  readonly interval: number;
}
interface Polled {
  readonly state: string;
  readonly token: string | null;
}

async function begin(body: object = {}, headers = newAddress()): Promise<Begun> {
  const answer = await busbar.anonymous.post<Begun>(PATH, { program: "busbar on laptop", ...body }, { headers });
  expect([answer.status, answer.errors]).toEqual([200, []]);
  return answer.body;
}

const poll = (device_code: string, headers = newAddress()) =>
  busbar.anonymous.post<Polled>(`${PATH}/token`, { device_code }, { headers });
const stateOf = async ({ device_code }: Begun) => {
  clocks.advance(6_000);
  return (await poll(device_code)).body.state;
};

async function newPerson(more: object = {}) {
  const body = { name: "Anna", mail: `anna${++last}@example.org`, level: "user", password: PASSWORD, ...more };
  const { account } = (await busbar.admin.post<{ account: Account }>("/v3/accounts", body)).body;
  const home = newAddress();
  const by = { mail: account.mail, password: PASSWORD };
  const signedIn = await busbar.anonymous.post("/v3/sessions", by, { headers: { ...OWN_PAGE, ...home } });
  const cookie = (signedIn.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
  const call = <Body = unknown>(
    method: string,
    path: string,
    json?: unknown,
    headers: Readonly<Record<string, string>> = OWN_PAGE,
  ) => busbar.anonymous.call<Body>(method, path, { json, headers: { ...home, Cookie: cookie, ...headers } });
  const approve = (code: string, body: object = { level: "user" }) => call("POST", `${PATH}/${code}/approve`, body);
  return { account, home, cookie, call, approve };
}

const told = ({ status, errors }: Answer<unknown>) => [status, errors[0]?.code];

test("a person sees what asks and from where, lets it in, and it has a token of that person which both can end", async () => {
  const anna = await newPerson();
  const begun = await begin({ level: "owner" }, anna.home);
  expect(begun).toMatchObject({ user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/), interval: 5 });
  expect(await stateOf(begun)).toBe("PENDING");
  const typed = begun.user_code.toLowerCase().replace("-", " ");
  expect((await anna.call("GET", `${PATH}/${encodeURIComponent(typed)}`)).body).toMatchObject({
    program: "busbar on laptop",
    level: "owner",
    from: anna.home["X-Forwarded-For"],
    is_same_address: true,
  });
  expect((await anna.approve(begun.user_code, { level: "readonly", expires_in: "1d" })).status).toBe(200);
  clocks.advance(6_000);
  const { state, token } = (await poll(begun.device_code)).body;
  expect(state).toBe("APPROVED");
  const program = busbar.as(token ?? "");
  expect((await program.get<{ token: object }>("/v3/tokens/current")).body.token).toMatchObject({
    name: "Anna: busbar on laptop",
    level: "readonly",
  });
  const own = async () => (await anna.call<Page<"tokens", Token>>("GET", "/v3/account/tokens")).body.tokens;
  const [listed] = await own();
  expect(listed).toMatchObject({ name: "busbar on laptop", account_id: anna.account.id, level: "readonly" });
  const left = Date.parse(listed?.expires_at ?? "") - Date.parse(listed?.created_at ?? "");
  expect(left).toBe(86_400_000);
  const audit = await busbar.admin.get<Page<"entries", AuditEntry>>("/v3/audit?limit=1&action.in=createToken");
  expect(audit.body.entries[0]).toMatchObject({ door: "page", actor: { account_id: anna.account.id, name: "Anna" } });
  expect((await program.delete(`/v3/account/tokens/${listed?.id}`)).status).toBe(200);
  expect((await program.get("/v3/sites")).status).toBe(401);
  expect(await own()).toEqual([]);
});

test("a token is handed over once, also to many calls at once, and a code is decided once", async () => {
  const anna = await newPerson();
  const begun = await begin();
  const answers = await Promise.all([1, 2, 3].map(() => anna.approve(begun.user_code)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
  clocks.advance(6_000);
  const polls = await Promise.all([1, 2, 3, 4].map(() => poll(begun.device_code)));
  expect(polls.filter(({ body }) => body.token !== null)).toHaveLength(1);
  expect(await stateOf(begun)).toBe("EXPIRED");
  expect((await anna.call("GET", `${PATH}/${begun.user_code}`)).status).toBe(404);
});

test("a refused program hears so; one that nobody decided about has expired after ten minutes, for both sides", async () => {
  const anna = await newPerson();
  const refused = await begin();
  await anna.call("POST", `${PATH}/${refused.user_code}/deny`);
  expect(await stateOf(refused)).toBe("DENIED");
  expect(await stateOf(refused)).toBe("EXPIRED");
  const [late, approved] = [await begin(), await begin()];
  await anna.approve(approved.user_code);
  clocks.advance(600_000);
  expect(told(await anna.approve(late.user_code))).toEqual([404, "not_found"]);
  expect([await stateOf(late), await stateOf(approved)]).toEqual(["EXPIRED", "EXPIRED"]);
});

test("nobody gives more than the own level and sites, nor more than the program asked for", async () => {
  const { site } = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Else" })).body;
  const own = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Own" })).body.site;
  const anna = await newPerson({ site_ids: [own.id] });
  const begun = await begin({ level: "user" });
  const here = { site_ids: [own.id] };
  expect(told(await anna.approve(begun.user_code, { level: "owner", ...here }))).toEqual([403, "forbidden"]);
  expect(told(await anna.approve(begun.user_code, { level: "user" }))).toEqual([403, "forbidden"]);
  expect(told(await anna.approve(begun.user_code, { level: "user", site_ids: [site.id] }))).toEqual([404, "not_found"]);
  const boss = await newPerson({ level: "vendor" });
  expect(told(await boss.approve(begun.user_code, { level: "owner" }))).toEqual([400, "invalid_body"]);
  expect(told(await boss.approve(begun.user_code, { level: "system" }))).toEqual([403, "forbidden"]);
  expect(told(await boss.approve(begun.user_code, { level: "user", expires_in: "367d" }))).toEqual([
    400,
    "invalid_body",
  ]);
  expect(await stateOf(begun)).toBe("PENDING");
  expect((await anna.approve(begun.user_code, { level: "readonly", ...here })).status).toBe(200);
});

test("who has lost the rights or the account before the program asks again gives nothing", async () => {
  for (const change of [{ level: "readonly" }, { suspended: true }]) {
    const anna = await newPerson();
    const begun = await begin();
    await anna.approve(begun.user_code);
    await busbar.admin.patch(`/v3/accounts/${anna.account.id}`, change);
    expect(await stateOf(begun)).toBe("DENIED");
  }
});

test("a page of another origin, a token and a session of a weak token let nobody in", async () => {
  const anna = await newPerson();
  const begun = await begin();
  const approve = `${PATH}/${begun.user_code}/approve`;
  for (const headers of [
    {},
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
    { Origin: "https://evil.invalid" },
  ]) {
    expect(told(await anna.call("POST", approve, { level: "user" }, headers))).toEqual([403, "foreign_origin"]);
  }
  expect(
    told(await anna.call("GET", `${PATH}/${begun.user_code}`, undefined, { "Sec-Fetch-Site": "cross-site" })),
  ).toEqual([403, "foreign_origin"]);
  const made = await busbar.admin.post<{ token: string }>("/v3/tokens", { name: "wall", level: "user" });
  expect(told(await busbar.as(made.body.token).post(approve, { level: "readonly" }))).toEqual([403, "forbidden"]);
  expect(told(await busbar.admin.post(approve, { level: "readonly" }))).toEqual([403, "forbidden"]);
  const by = { token: made.body.token };
  const signedIn = await busbar.anonymous.post("/v3/sessions", by, { headers: OWN_PAGE });
  const Cookie = (signedIn.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
  const wall = await busbar.anonymous.call("POST", approve, {
    json: { level: "readonly" },
    headers: { ...OWN_PAGE, Cookie },
  });
  expect(told(wall)).toEqual([403, "forbidden"]);
  expect(await stateOf(begun)).toBe("PENDING");
});

test("guessing the codes that people type is over after ten wrong ones; a right one in between does not count", async () => {
  const [mallory, anna] = [await newPerson(), await newPerson()];
  const begun = await begin();
  for (let guess = 0; guess < 10; guess++) {
    const letter = "BCDFGHJKLM".charAt(guess);
    expect((await mallory.call("GET", `${PATH}/${letter.repeat(8)}`)).status).toBe(404);
  }
  expect(told(await mallory.call("GET", `${PATH}/${begun.user_code}`))).toEqual([429, "too_many_sign_ins"]);
  expect(told(await mallory.approve(begun.user_code))).toEqual([429, "too_many_sign_ins"]);
  for (let look = 0; look < 12; look++) expect((await anna.call("GET", `${PATH}/${begun.user_code}`)).status).toBe(200);
});

test("a program that asks too soon is told to slow down, and guessed program codes soon have to wait", async () => {
  const begun = await begin();
  expect((await poll(begun.device_code)).body.state).toBe("PENDING");
  for (let again = 0; again < 50; again++) expect((await poll(begun.device_code)).body.state).toBe("SLOW_DOWN");
  expect(await stateOf(begun)).toBe("PENDING");
  const here = newAddress();
  const statuses: number[] = [];
  for (let guess = 0; guess < 7; guess++) statuses.push((await poll(`guess ${guess}`, here)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
  expect(await stateOf(begun)).toBe("PENDING");
});

test("one address begins ten sign-ins in ten minutes; others go on", async () => {
  const here = newAddress();
  for (let count = 0; count < 10; count++) await begin({}, here);
  const further = await busbar.anonymous.post(PATH, { program: "x" }, { headers: here });
  expect(told(further)).toEqual([429, "too_many_sign_ins"]);
  expect(Number(further.headers.get("retry-after"))).toBeGreaterThan(0);
  await begin();
});

test.each([
  ["nothing", {}],
  ["an empty name", { program: "" }],
  ["a long name", { program: "x".repeat(101) }],
  ["a line break", { program: "busbar\non laptop" }],
  ["text that turns around", { program: "busbar \u202eevil" }],
  ["an unknown level", { program: "x", level: "root" }],
  ["sites", { program: "x", site_ids: [] }],
])("%s is refused", async (_, body) => {
  expect(told(await busbar.anonymous.post(PATH, body, { headers: newAddress() }))).toEqual([400, "invalid_body"]);
});

test("a person has nobody else's tokens, and the admin token is not ended", async () => {
  const [anna, ben] = [await newPerson({ level: "owner" }), await newPerson({ level: "owner" })];
  const made = await anna.call<{ id: string }>("POST", "/v3/tokens", { name: "hers", level: "user" });
  const shared = { name: "shared", level: "user", of_installation: true };
  const installed = await anna.call<{ id: string }>("POST", "/v3/tokens", shared);
  const end = (who: typeof anna, id: string) => who.call("DELETE", `/v3/account/tokens/${id}`);
  expect((await end(ben, made.body.id)).status).toBe(404);
  expect((await end(anna, installed.body.id)).status).toBe(404);
  expect((await end(anna, anna.account.id)).status).toBe(404);
  expect((await ben.call<Page<"tokens", Token>>("GET", "/v3/account/tokens")).body.total_count).toBe(0);
  expect((await end(anna, made.body.id)).status).toBe(200);
  expect(told(await busbar.admin.delete("/v3/account/tokens/00000000-0000-7000-8000-000000000001"))).toEqual([
    409,
    "conflict",
  ]);
});
