import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import type { Page } from "#client/page.ts";
import type { Site, Token } from "#client/resources.ts";
import { ADMIN_TOKEN_ID } from "#core/access/token-record.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer();

interface Created {
  readonly id: string;
  readonly token: string;
}

const create = async (grant: object) =>
  (await busbar.admin.post<Created>("/v3/tokens", { name: "test", level: "readonly", ...grant })).body;
const newSite = async (name: string) => (await busbar.admin.post<{ site: Site }>("/v3/sites", { name })).body.site.id;
const find = async (id: string) =>
  (await busbar.admin.get<Page<"tokens", Token>>("/v3/tokens?limit=1000")).body.tokens.find((token) => token.id === id);

afterEach(() => {
  vi.useRealTimers();
});

test("a created token opens what its level allows", async () => {
  const { token } = await create({});
  expect((await busbar.as(token).get("/v3/sites")).status).toBe(200);
  expect((await busbar.as(token).post("/v3/sites", { name: "A" })).status).toBe(403);
});

test("a token is bb_ and 71 letters and digits, and its text is nowhere but in the answer", async () => {
  const { id, token } = await create({ name: "shown once" });
  expect(token).toMatch(/^bb_[0-9A-Za-z]{71}$/);
  const list = await busbar.admin.get("/v3/tokens?limit=1000");
  expect(list.text).toContain(id);
  expect(list.text).not.toContain(token);
  for (const file of ["records.db", "records.db-wal"]) {
    const stored = readFileSync(join(busbar.data, file));
    expect(stored.includes(token)).toBe(false);
    expect(stored.includes(token.slice(25, 68))).toBe(false);
  }
});

test("a listed token shows name, level, sites, expiry, last use and revocation", async () => {
  const site = await newSite("Listed");
  const { id } = await create({ name: "phone", level: "user", site_ids: [site], expires_in: "30d" });
  const token = await find(id);
  expect(token).toMatchObject({ name: "phone", level: "user", site_ids: [site], last_used_at: null, revoked_at: null });
  expect(Date.parse(token?.expires_at ?? "") - Date.parse(token?.created_at ?? "")).toBe(30 * 86_400_000);
});

test("without site_ids a token sees all sites, also later ones", async () => {
  const { id, token } = await create({});
  expect((await find(id))?.site_ids).toBeNull();
  const later = await newSite("Later");
  expect((await busbar.as(token).get(`/v3/sites/${later}`)).status).toBe(200);
});

test("the last use is shown at once and kept over a restart", async () => {
  const { id, token } = await create({});
  const before = Date.now();
  await busbar.as(token).get("/v3/sites");
  const shown = (await find(id))?.last_used_at ?? "";
  expect(Date.parse(shown)).toBeGreaterThanOrEqual(before);
  await busbar.restart();
  expect((await find(id))?.last_used_at).toBe(shown);
});

test("a token ends at its expiry, to the millisecond", async () => {
  const { token, id } = await create({ expires_in: 60 });
  const end = Date.parse((await find(id))?.expires_at ?? "");
  vi.useFakeTimers({ toFake: ["Date"], now: end - 1 });
  expect((await busbar.as(token).get("/v3/sites")).status).toBe(200);
  vi.setSystemTime(end);
  const refused = await busbar.as(token).get("/v3/sites");
  expect(refused.status).toBe(401);
  expect(refused.errors[0]?.message).toContain("expired");
});

test.each(["0s", "-1h", "soon", "101y", 0, -5, 1e12, "", null])("expires_in %j", async (given) => {
  const made = await busbar.admin.post("/v3/tokens", { name: "A", level: "readonly", expires_in: given });
  // Empty and null mean not given; everything else here is no lifetime.
  expect(made.status).toBe(given === "" || given === null ? 200 : 400);
});

test("a revoked token is refused by the very next call, and says so", async () => {
  const { id, token } = await create({});
  expect((await busbar.as(token).get("/v3/sites")).status).toBe(200);
  expect((await busbar.admin.delete(`/v3/tokens/${id}`)).body).toEqual({});
  const refused = await busbar.as(token).get("/v3/sites");
  expect([refused.status, refused.errors[0]?.code]).toEqual([401, "unauthorized"]);
  expect((await find(id))?.revoked_at).toMatch(/Z$/);
  await busbar.restart();
  expect((await busbar.as(token).get("/v3/sites")).status).toBe(401);
});

test("no call that starts after the revocation was answered gets through, whatever else runs", async () => {
  const { id, token } = await create({});
  let revoked = false;
  const calls = Array.from({ length: 200 }, async (_, i) => {
    if (i === 60) {
      await busbar.admin.delete(`/v3/tokens/${id}`);
      revoked = true;
      return undefined;
    }
    if (i > 60) await new Promise((resolve) => setImmediate(resolve));
    const startedAfter = revoked;
    const { status } = await busbar.as(token).get("/v3/sites");
    return startedAfter ? status : undefined;
  });
  const after = (await Promise.all(calls)).filter((status) => status !== undefined);
  after.push((await busbar.as(token).get("/v3/sites")).status);
  expect(new Set(after)).toEqual(new Set([401]));
});

test("revoking twice is the same as once", async () => {
  const { id } = await create({});
  await busbar.admin.delete(`/v3/tokens/${id}`);
  const first = (await find(id))?.revoked_at;
  expect((await busbar.admin.delete(`/v3/tokens/${id}`)).status).toBe(200);
  expect((await find(id))?.revoked_at).toBe(first);
});

test("the admin token cannot be revoked", async () => {
  const refused = await busbar.admin.delete(`/v3/tokens/${ADMIN_TOKEN_ID}`);
  expect([refused.status, refused.errors[0]?.code]).toEqual([409, "conflict"]);
  expect((await busbar.admin.get("/v3/sites")).status).toBe(200);
});

test("an unknown token to revoke is 404", async () => {
  expect((await busbar.admin.delete("/v3/tokens/019a8c00-0000-7000-8000-000000000009")).status).toBe(404);
  expect((await busbar.admin.delete("/v3/tokens/constructor")).status).toBe(404);
});

test("nobody grants level system", async () => {
  const refused = await busbar.admin.post("/v3/tokens", { name: "A", level: "system" });
  expect([refused.status, refused.errors[0]?.code]).toEqual([403, "forbidden"]);
});

test.each([
  ["owner", ["readonly", "user", "owner"], ["installer", "vendor", "system"]],
  ["vendor", ["installer", "vendor"], ["system"]],
])("level %s grants %j and not %j", async (level, granted, refused) => {
  const { token } = await create({ level });
  for (const inner of granted) {
    expect((await busbar.as(token).post("/v3/tokens", { name: "A", level: inner })).status).toBe(200);
  }
  for (const inner of refused) {
    expect((await busbar.as(token).post("/v3/tokens", { name: "A", level: inner })).status).toBe(403);
  }
});

test("a token for some sites grants those and no others", async () => {
  const [mine, other] = [await newSite("Mine"), await newSite("Other")];
  const session = busbar.as((await create({ level: "owner", site_ids: [mine] })).token);
  const grant = (site_ids?: readonly string[]) => session.post("/v3/tokens", { name: "A", level: "user", site_ids });
  expect((await grant([mine])).status).toBe(200);
  expect((await grant()).errors[0]).toMatchObject({ code: "forbidden", details: { pointer: "/site_ids" } });
  const invisible = await grant([mine, other]);
  const unknown = await grant([mine, "019a8c00-0000-7000-8000-00000000000a"]);
  expect(invisible.errors[0]).toMatchObject({ code: "not_found", details: { pointer: "/site_ids/1" } });
  expect(unknown.text.replaceAll(/[0-9a-f-]{36}/g, "")).toBe(invisible.text.replaceAll(/[0-9a-f-]{36}/g, ""));
});

test("a token lists and revokes only tokens no stronger and for no other sites", async () => {
  const site = await newSite("Walled");
  const weak = await create({ level: "user", site_ids: [site] });
  const strong = await create({ level: "vendor", site_ids: [site] });
  const wide = await create({ level: "readonly" });
  const owner = await create({ level: "owner", site_ids: [site] });
  const session = busbar.as(owner.token);
  const { body } = await session.get<Page<"tokens", Token>>("/v3/tokens");
  expect(body.tokens.map((token) => token.id)).toEqual([weak.id, owner.id]);
  expect(body.total_count).toBe(2);
  expect((await session.delete(`/v3/tokens/${strong.id}`)).status).toBe(404);
  expect((await session.delete(`/v3/tokens/${wide.id}`)).status).toBe(404);
  expect((await session.delete(`/v3/tokens/${weak.id}`)).status).toBe(200);
});

test.each([
  [{ level: "boss" }, "/level"],
  [{ level: "Readonly" }, "/level"],
  [{ site_ids: [] }, "/site_ids"],
  [{ site_ids: ["a", "a"] }, "/site_ids"],
  [{ site_ids: [5] }, "/site_ids/0"],
  [{ site_ids: "all" }, "/site_ids"],
  [{ name: null }, "/name"],
])("a grant of %j is refused at %s", async (grant, pointer) => {
  const refused = await busbar.admin.post("/v3/tokens", { name: "A", level: "user", ...grant });
  expect(refused.status).toBe(400);
  expect(refused.errors.map((error) => error.details?.["pointer"])).toContain(pointer);
});

test("half a million wrong site ids are refused without collecting half a million problems", async () => {
  const bytes = `{"name":"A","level":"user","site_ids":[${"1,".repeat(500_000)}1]}`;
  const refused = await busbar.admin.call("POST", "/v3/tokens", { bytes });
  expect(refused.status).toBe(400);
  expect(refused.errors.length).toBeLessThanOrEqual(20);
});

test.each([
  ["none", {}],
  ["an empty one", { "X-Service-Auth-Token": "" }],
  ["another scheme", { Authorization: "Basic test-admin-token-test-admin-token-test" }],
  ["a prefix that is not set", { "X-Other-Auth-Token": "test-admin-token-test-admin-token-test" }],
  ["garbage", { "X-Service-Auth-Token": "garbage" }],
  ["a well-formed unknown one", { "X-Service-Auth-Token": `bb_${"0".repeat(71)}` }],
])("a call with %s is 401", async (_, headers) => {
  const refused = await busbar.anonymous.get("/v3/sites", { headers: headers as Record<string, string> });
  expect([refused.status, refused.errors[0]?.code]).toEqual([401, "unauthorized"]);
});

test("a token with one letter changed is refused", async () => {
  const { token } = await create({});
  for (const at of [3, 24, 25, 40, 67, 68, 73]) {
    const changed = token.slice(0, at) + (token[at] === "a" ? "b" : "a") + token.slice(at + 1);
    expect((await busbar.as(changed).get("/v3/sites")).status).toBe(401);
  }
});

test("tokens outlive a restart", async () => {
  const { token } = await create({});
  await busbar.restart();
  expect((await busbar.as(token).get("/v3/sites")).status).toBe(200);
});

test("only the owner of the data folder can read what is in it", () => {
  expect(statSync(join(busbar.data, "records.db")).mode & 0o077).toBe(0);
});
