import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Page } from "#client/page.ts";
import type { Account, AuditEntry, NewAccount, Site, Token } from "#client/resources.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer();
const PASSWORD = "four plain small words";

let people = 0;
const person = (more: Partial<NewAccount> = {}): NewAccount => ({
  ...{ name: "Anna", mail: `anna${++people}@example.org`, level: "user" },
  ...more,
});
const add = async (more: Partial<NewAccount> = {}, by = busbar.admin) =>
  await by.post<{ account: Account }>("/v3/accounts", person(more));
const added = async (more: Partial<NewAccount> = {}) => (await add(more)).body.account;
const change = async (id: string, body: object, by = busbar.admin) =>
  await by.patch<{ account: Account }>(`/v3/accounts/${id}`, body);
const newSite = async (name: string) => (await busbar.admin.post<{ site: Site }>("/v3/sites", { name })).body.site.id;
const pointers = (answer: { errors: readonly { details?: unknown }[] }) =>
  answer.errors.map(({ details }) => (details as { pointer?: string })?.pointer);

test("a person is added, read, listed, changed and deleted", async () => {
  const site = await newSite("North");
  const made = await added({ site_ids: [site], language: "de", time_format: "24h", password: PASSWORD });
  expect(made).toMatchObject({
    ...{ name: "Anna", level: "user", site_ids: [site], language: "de", time_format: "24h", has_password: true },
    ...{ suspended_at: null, last_used_at: null },
  });
  expect((await busbar.admin.get(`/v3/accounts/${made.id}`)).body).toEqual({ account: made });
  const list = async () => (await busbar.admin.get<Page<"accounts", Account>>("/v3/accounts?limit=1000")).body.accounts;
  expect((await list()).filter(({ id }) => id === made.id)).toEqual([made]);
  const changed = { ...made, name: "Anna A", level: "owner", site_ids: null, language: null };
  const { body } = await change(made.id, { name: "Anna A", level: "owner", site_ids: null, language: null });
  expect(body.account).toEqual(changed);
  expect((await busbar.admin.delete(`/v3/accounts/${made.id}`)).body).toEqual({});
  expect((await busbar.admin.get(`/v3/accounts/${made.id}`)).status).toBe(404);
  expect((await list()).some(({ id }) => id === made.id)).toBe(false);
});

test("no password is in an answer, in the records, in the audit log or in the log", async () => {
  const made = await added({ password: PASSWORD });
  const answer = await change(made.id, { password: `${PASSWORD} again` });
  expect(answer.text).not.toContain(PASSWORD);
  const { text } = await busbar.admin.get("/v3/audit?limit=1000");
  expect(text).toContain("changed");
  expect(text).not.toContain("four plain");
  expect(text).not.toContain(made.mail);
  for (const file of ["records.db", "records.db-wal"]) {
    expect(readFileSync(join(busbar.data, file)).includes("four plain")).toBe(false);
  }
  expect(busbar.log).not.toContain("four plain");
});

test.each([
  [{ mail: "nobody" }, "/mail"],
  [{ mail: `${"x".repeat(250)}@example.org` }, "/mail"],
  [{ name: " " }, "/name"],
  [{ level: "system" }, "/level"],
  [{ site_ids: ["none"] }, "/site_ids/0"],
  [{ site_ids: [] }, "/site_ids"],
  [{ language: "xx" }, "/language"],
  [{ time_format: "13h" }, "/time_format"],
  [{ password: "too short" }, "/password"],
  [{ password: "Password123" }, "/password"],
  [{ password: "x".repeat(257) }, "/password"],
  [{ hash: "x" }, "/hash"],
])("a person with %j is refused, and so is the change", async (wrong, pointer) => {
  const refused = await busbar.admin.post("/v3/accounts", { ...person(), ...wrong });
  expect([refused.status >= 400, pointers(refused)]).toEqual([true, [pointer]]);
  const before = await added();
  const kept = await change(before.id, wrong);
  expect([kept.status >= 400, pointers(kept)]).toEqual([true, [pointer]]);
  expect((await busbar.admin.get(`/v3/accounts/${before.id}`)).body).toEqual({ account: before });
});

test("the password is not the person's own name or mail address, also after a change of them", async () => {
  const made = await added({ name: "Anna Alder-Berg" });
  for (const body of [{ password: "anna alder-berg" }, { name: "Four Plain Words", password: "four plain words" }]) {
    expect(pointers(await change(made.id, body))).toEqual(["/password"]);
  }
});

test("a mail address that another person has is refused, however it is written", async () => {
  const { mail } = await added();
  const refused = await add({ mail: mail.toUpperCase() });
  expect([refused.status, pointers(refused)]).toEqual([409, ["/mail"]]);
  const other = await added();
  expect((await change(other.id, { mail })).status).toBe(409);
});

test("an owner of a site adds people for it and below, and does not see others", async () => {
  const [north, south] = [await newSite("Grants north"), await newSite("Grants south")];
  const owner = busbar.as(await busbar.token({ level: "owner", site_ids: [north] }));
  expect((await add({ site_ids: [north], level: "owner" }, owner)).status).toBe(200);
  expect((await add({ site_ids: [north], level: "installer" }, owner)).status).toBe(403);
  expect((await add({ level: "readonly" }, owner)).status).toBe(403);
  expect((await add({ site_ids: [south], level: "readonly" }, owner)).status).toBe(404);
  const below = await added({ site_ids: [north], level: "user" });
  expect((await change(below.id, { level: "installer" }, owner)).status).toBe(403);
  expect((await change(below.id, { site_ids: null }, owner)).status).toBe(403);
  expect((await change(below.id, { site_ids: [north, south] }, owner)).status).toBe(404);
  for (const more of [
    { site_ids: [north], level: "installer" },
    { site_ids: [north, south] },
    { site_ids: [south] },
    {},
  ] as const) {
    const { id } = await added(more);
    for (const refused of [
      await owner.get(`/v3/accounts/${id}`),
      await change(id, { suspended: true }, owner),
      await owner.delete(`/v3/accounts/${id}`),
    ])
      expect(refused.status).toBe(404);
  }
  const { body } = await owner.get<Page<"accounts", Account>>("/v3/accounts?limit=1000");
  expect(body.accounts.map(({ level }) => level)).toEqual(["owner", "user"]);
});

test("the access of a person is no token: nobody lists, revokes or uses it", async () => {
  const { id } = await added();
  const { body } = await busbar.admin.get<Page<"tokens", Token>>("/v3/tokens?limit=1000");
  expect(body.tokens.some((token) => token.id === id)).toBe(false);
  expect((await busbar.admin.delete(`/v3/tokens/${id}`)).status).toBe(404);
});

test("the audit log says who added, changed and deleted whom", async () => {
  const { id } = await added({ name: "Audited" });
  await change(id, { level: "owner", mail: "audited@example.org", suspended: true });
  await busbar.admin.delete(`/v3/accounts/${id}`);
  const { body } = await busbar.admin.get<Page<"entries", AuditEntry>>("/v3/audit?limit=1000&order=AT_ASC");
  const entries = body.entries.filter(({ target }) => target.token_id === id);
  expect(entries.map(({ action, details }) => ({ action, ...details }))).toEqual([
    { action: "createAccount", name: "Audited", level: "user", site_ids: null },
    { action: "updateAccount", account: "Audited", level: "owner", mail: "changed", suspended: true },
    { action: "deleteAccount", account: "Audited" },
  ]);
});
