// Settings that are changed while Busbar runs.
import { expect, test } from "vitest";
import type { Page } from "#client/page.ts";
import type { AuditEntry, SystemSetting } from "#client/resources.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { ADMIN_TOKEN, useServer } from "../support/server.ts";

const busbar = useServer(["--telemetry-retention", "5y", "--lua-allow", "meter=10.0.0.5:502"]);
const path = (name: string) => `/v3/system/settings/${name}`;
const put = (name: string, value: string) =>
  busbar.admin.call<{ setting: SystemSetting }>("PUT", path(name), { json: { value } });

async function setting(name: string): Promise<SystemSetting | undefined> {
  const { body } = await busbar.admin.get<{ settings: readonly SystemSetting[] }>("/v3/system/settings");
  return body.settings.find((one) => one.name === name);
}

async function installationDefault(): Promise<string> {
  const { body } = await busbar.admin.get<{ sites: readonly { id: string }[] }>("/v3/sites");
  const answer = await busbar.admin.get<{ retention: { installation_default: string } }>(
    `/v3/sites/${body.sites[0]?.id}/retention`,
  );
  return answer.body.retention.installation_default;
}

test("a changed setting holds at once, after a restart, and until it is reset", async () => {
  expect(await setting("telemetry.retention")).toMatchObject({ value: "5y", configured: "5y", changed: false });
  expect((await put("telemetry.retention", "30d")).body.setting).toMatchObject({ value: "30d", changed: true });
  expect(await installationDefault()).toBe("30d");
  await busbar.restart();
  expect(await installationDefault()).toBe("30d");
  expect(
    (await busbar.admin.delete<{ setting: SystemSetting }>(path("telemetry.retention"))).body.setting,
  ).toMatchObject({
    value: "5y",
    changed: false,
  });
  expect(await installationDefault()).toBe("5y");
});

test("a change is in the audit log, with both values", async () => {
  await put("logs.retention", "14d");
  const { body } = await busbar.admin.get<Page<"entries", AuditEntry>>("/v3/audit?limit=1");
  expect(body.entries[0]).toMatchObject({
    action: "putSetting",
    details: { setting: "logs.retention", from: "30d", to: "14d" },
  });
});

test.each([
  ["telemetry.retention", "soon", 400, "telemetry.retention must be a duration of at least 1h"],
  ["lua.allow", "10.0.0.5:502,???", 400, 'lua.allow has "???"'],
  ["http.tls", "site", 404, "these are: audit.retention"],
])("%s cannot become %j", async (name, value, status, message) => {
  const { status: got, errors } = await put(name, value);
  expect([got, errors[0]?.message]).toEqual([status, expect.stringContaining(message)]);
});

test("only the admin token changes settings", async () => {
  const vendor = busbar.as(await busbar.token({ level: "vendor" }));
  expect((await vendor.call("PUT", path("lua.allow"), { json: { value: "public" } })).status).toBe(403);
  expect((await vendor.get("/v3/system/settings")).status).toBe(403);
});

test("the command line lists, sets and resets", async () => {
  const env = { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: ADMIN_TOKEN };
  const run = async (...words: readonly string[]) => await runBusbar(["setting", ...words], { env });
  expect((await run("set", "lua.allow", "battery=10.0.0.6:502,public")).out).toContain(
    "lua.allow is battery=10.0.0.6:502,public now",
  );
  const { out } = await run("list");
  expect(out).toMatch(/lua\.allow +battery=10\.0\.0\.6:502,public +meter=10\.0\.0\.5:502/);
  expect((await run("reset", "lua.allow")).out).toContain("lua.allow is meter=10.0.0.5:502 now");
});
