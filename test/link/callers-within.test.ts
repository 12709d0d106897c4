// A caller within the program, as a rule will be one: it performs operations without HTTP, on the gateway and in the cloud.
import { expect, test } from "vitest";
import type { AccessLevel } from "#core/access/level.ts";
import { AppError } from "#core/app-error.ts";
import type { Input } from "#service/operation/perform.ts";
import { commandManifest, upload } from "../support/command-site.ts";
import { eventually, isLinked, useLinkedPair } from "../support/linked-pair.ts";
import type { TestServer } from "../support/server.ts";

const pair = useLinkedPair();
const { cloud, gateway } = pair;

/** A rule of the site, with a level of its own. */
function rule(server: TestServer, level: AccessLevel, sites: "all" | readonly string[] = [pair.site.siteId]) {
  const caller = {
    tokenId: `rule-${level}`,
    tokenName: "night rule",
    level,
    sites: sites === "all" ? sites : new Set(sites),
  };
  return async <Answer = Record<string, unknown>>(name: string, input: Input = {}): Promise<Answer> =>
    (await server.perform(
      { caller, operation: name, requestId: "run-1", remoteAddress: "rule" },
      name,
      input,
    )) as Answer;
}

async function refusalOf(call: Promise<unknown>): Promise<string> {
  return await call.then(
    () => "done",
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );
}

async function auditOf({ admin }: TestServer, action: string) {
  const { body } = await admin.get<{ entries: readonly { actor: { name: string }; outcome: string }[] }>(
    `/v3/audit?action.in=${action}&limit=1000`,
  );
  return body.entries.filter(({ actor }) => actor?.name === "night rule").map(({ outcome }) => outcome);
}

async function known(name: string): Promise<string> {
  const id = await pair.site.device(name);
  await eventually(async () => expect((await cloud.admin.get(`/v3/devices/${id}`)).status).toBe(200));
  return id;
}

test("it performs ten operations on the gateway, and each is what it would be over HTTP", async () => {
  const device_id = await pair.site.device("ruled");
  const connection = await pair.site.connect(device_id);
  connection.onCommand((command) => command.completed({ done: true }));
  const own = rule(gateway, "owner");
  const http = gateway.as(await gateway.token({ level: "owner", site_ids: [pair.site.siteId] }));
  const params = { device_id };
  const limits = { query: { limit: "5" } };
  expect(await own("listSites")).toEqual(expect.objectContaining({ total_count: 1 }));
  // A device that has just connected may change between two calls.
  await eventually(async () => {
    expect(await own("listDevices", limits)).toEqual((await http.get("/v3/devices?limit=5")).body);
  });
  expect(await own("updateDevice", { params, body: { name: "Ruled" } })).toMatchObject({ device: { name: "Ruled" } });
  expect(await own("getDevice", { params })).toMatchObject({ device: { id: device_id, name: "Ruled" } });
  const ran = await own<{ execution: { id: string; state: string } }>("executeCommand", {
    params,
    body: { name: "start" },
  });
  expect(ran.execution.state).toBe("SUCCESS");
  const key = { "idempotency-key": "run-1 of the night rule".replaceAll(" ", "-") };
  const once = { params, body: { name: "stop" }, headers: key };
  const [first, again] = [await own("createCommandExecution", once), await own("createCommandExecution", once)];
  expect(again).toEqual(first);
  expect(await own("listCommandExecutions", { params })).toMatchObject({ total_count: 2 });
  expect(await own("getConfiguration", { params })).toEqual(
    (await http.get(`/v3/devices/${device_id}/configuration`)).body,
  );
  expect(await own("listDeviceAlerts", { params })).toEqual((await http.get(`/v3/devices/${device_id}/alerts`)).body);
  expect(await own("updateSite", { params: { site_id: pair.site.siteId }, body: { name: "By night" } })).toMatchObject({
    site: { name: "By night" },
  });
  expect(await auditOf(gateway, "updateDevice")).toEqual(["OK"]);
  expect(await auditOf(gateway, "executeCommand")).toEqual(["OK"]);
});

test("a level that is too low and a site that it does not have are refused and in the audit log", async () => {
  const device_id = await known("guarded");
  const params = { device_id };
  expect(await refusalOf(rule(gateway, "user")("updateDevice", { params, body: { name: "x" } }))).toBe("forbidden");
  const elsewhere = rule(gateway, "owner", ["another-site"]);
  expect(await refusalOf(elsewhere("getDevice", { params }))).toBe("not_found");
  expect(await refusalOf(elsewhere("executeCommand", { params, body: { name: "start" } }))).toBe("not_found");
  expect((await auditOf(gateway, "updateDevice")).filter((outcome) => outcome === "REFUSED")).toHaveLength(1);
  expect(await auditOf(gateway, "getDevice")).toEqual(["REFUSED"]);
});

test.each<readonly [string, string, Input]>([
  ["invalid_body", "updateDevice", { body: { nmae: "x" } }],
  ["invalid_body", "executeCommand", { body: { name: 7 } }],
  ["invalid_query", "listCommandExecutions", { query: { limit: "-1" } }],
  ["invalid_query", "listCommandExecutions", { query: { lmit: "1" } }],
  ["invalid_request", "getDevice", { params: { device_id: "" } }],
  ["invalid_request", "getDevice", { params: { device_id: "x", site_id: "y" } }],
  ["not_available", "noSuchOperation", {}],
  ["not_available", "createSession", { body: { token: "t" } }],
])("mistakes get the refusal of HTTP: %s by %s with %j", async (code, name, input) => {
  const params = { device_id: await pair.site.device("plain") };
  expect(await refusalOf(rule(gateway, "owner")(name, { params, ...input }))).toBe(code);
});

test("in the cloud the gateway that owns the site does it, and what waits is answered as pending", async () => {
  const device_id = await known("carried");
  const params = { device_id };
  const own = rule(cloud, "installer", "all");
  expect(await own("updateDevice", { params, body: { name: "From above" } })).toMatchObject({
    device: { name: "From above" },
  });
  expect((await gateway.admin.get<{ device: object }>(`/v3/devices/${device_id}`)).body.device).toMatchObject({
    name: "From above",
  });
  expect(await refusalOf(own("generateConfig", { params, body: { protocol: "MQTT" } }))).toBe("owned_by_gateway");
  const blueprint_id = await upload(cloud, commandManifest("another"));
  expect(await own("assignBlueprint", { params, body: { blueprint_id } })).toMatchObject({ device: { id: device_id } });
  pair.line.cut();
  await isLinked(gateway, false);
  await eventually(async () => {
    const { body } = await cloud.admin.get<{ gateways: { connected: boolean }[] }>("/v3/gateways");
    expect(body.gateways[0]?.connected).toBe(false);
  });
  expect(await own("updateDevice", { params, body: { name: "Later" } })).toMatchObject({
    device: { name: "From above" },
    pending_change: { operation: "updateDevice", state: "PENDING" },
  });
  expect(await refusalOf(own("deleteDevice", { params }))).toBe("gateway_unreachable");
  pair.line.heal();
  await eventually(async () => {
    const { body } = await gateway.admin.get<{ device: { name: string } }>(`/v3/devices/${device_id}`);
    expect(body.device.name).toBe("Later");
  });
});
