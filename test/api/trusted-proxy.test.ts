import { expect, test } from "vitest";
import type { Page } from "#client/page.ts";
import type { AuditEntry } from "#client/resources.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--http-trust-proxy", "127.0.0.1"]);

test("the address that a trusted proxy names is the client's", async () => {
  await busbar.as("x").get("/v3/sites", { headers: { "X-Forwarded-For": "203.0.113.9" } });
  const { body } = await busbar.admin.get<Page<"entries", AuditEntry>>("/v3/audit?limit=1");
  expect(body.entries[0]?.remote_address).toBe("203.0.113.9");
});

test.each(["not an address", "<script>", "203.0.113.9:80", ""])(
  "a forwarded address %j does no harm",
  async (given) => {
    const refused = await busbar.as("x").get("/v3/sites", { headers: { "X-Forwarded-For": given } });
    expect(refused.status).toBe(401);
    expect((await busbar.anonymous.get("/metrics", { headers: { "X-Forwarded-For": given || "a" } })).status).toBe(403);
  },
);
