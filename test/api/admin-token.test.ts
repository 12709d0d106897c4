import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useServer } from "../support/server.ts";

const busbar = useServer([], { env: {} });
const file = () => join(busbar.data, "admin.token");
const stored = () => readFileSync(file(), "utf8").trim();

test("the first start writes an admin token that only the owner can read, and it opens everything", async () => {
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  expect(stored()).toMatch(/^bb_[0-9A-Za-z]{71}$/);
  const { body } = await busbar.as(stored()).get<{ site: { authorized_role: string } }>("/v3/site");
  expect(body.site.authorized_role).toBe("SYSTEM");
});

test("a restart keeps the token", async () => {
  const before = stored();
  await busbar.restart();
  expect(stored()).toBe(before);
  expect((await busbar.as(before).get("/v3/sites")).status).toBe(200);
});

test("a replaced file replaces the token, and the former one is void with its sessions", async () => {
  const former = stored();
  const page = { headers: { "Sec-Fetch-Site": "same-origin", Cookie: "" } };
  const signed = await busbar.anonymous.post("/v3/sessions", { token: former }, page);
  page.headers.Cookie = signed.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  expect((await busbar.anonymous.get("/v3/sites", page)).status).toBe(200);
  writeFileSync(file(), "a-text-of-at-least-thirty-two-characters\n");
  await busbar.restart();
  expect((await busbar.as("a-text-of-at-least-thirty-two-characters").get("/v3/sites")).status).toBe(200);
  expect((await busbar.as(former).get("/v3/sites")).status).toBe(401);
  expect((await busbar.anonymous.get("/v3/sites", page)).status).toBe(401);
});
