import { afterEach, expect, test, vi } from "vitest";
import type { Page } from "#client/page.ts";
import type { AuditEntry } from "#client/resources.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--http-wrong-token-limit", "5"]);

afterEach(() => {
  vi.useRealTimers();
});

test("past the limit wrong tokens are 429 with whole seconds to wait, and a right token still passes", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  const wrong = busbar.as("wrong");
  for (let i = 0; i < 5; i++) expect((await wrong.get("/v3/sites")).status).toBe(401);
  const limited = await wrong.get("/v3/sites");
  expect([limited.status, limited.errors[0]?.code]).toEqual([429, "too_many_wrong_tokens"]);
  expect(limited.headers.get("retry-after")).toBe("60");
  expect((await busbar.admin.get("/v3/sites")).status).toBe(200);
  vi.setSystemTime(Date.now() + 59_001);
  expect((await wrong.get("/v3/sites")).headers.get("retry-after")).toBe("1");
  vi.setSystemTime(Date.now() + 1_000);
  expect((await wrong.get("/v3/sites")).status).toBe(401);
});

test("calls without a token do not count, and public operations stay open", async () => {
  for (let i = 0; i < 10; i++) expect((await busbar.anonymous.get("/v3/sites")).status).toBe(401);
  for (let i = 0; i < 10; i++) await busbar.as("wrong").get("/v3/sites");
  expect((await busbar.as("wrong").get("/healthz")).status).toBe(200);
});

test("guessing fills the audit log no faster than the limit", async () => {
  const before = (await busbar.admin.get<Page<"entries", AuditEntry>>("/v3/audit?limit=0")).body.total_count;
  for (let i = 0; i < 30; i++) await busbar.as("wrong").get("/v3/sites");
  const after = (await busbar.admin.get<Page<"entries", AuditEntry>>("/v3/audit?limit=0")).body.total_count;
  expect(after - before).toBeLessThanOrEqual(5);
});
