import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { CommunicationConfig, Device, Site } from "#client/resources.ts";
import { luaManifest, manifest } from "../support/blueprints.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

type Provisioned = { readonly device_id: string };
type ConfigAnswer = { readonly config: CommunicationConfig };

let first: string;
let blueprint: string;
let lua: string;
const read = async (id: string, query = "") =>
  (await busbar.admin.get<{ device: Device }>(`/v3/devices/${id}${query}`)).body.device;
const standalone = async (body: object) =>
  (await busbar.admin.post<Provisioned>("/v3/provisioning/standalone", { name: "Device", ...body })).body.device_id;

beforeAll(async () => {
  first = (await busbar.admin.get<{ site: Site }>("/v3/site")).body.site.id;
  const upload = async (bytes: string) =>
    (await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes })).body.blueprint
      .id;
  blueprint = await upload(manifest("Provisioned"));
  lua = await upload(luaManifest("Scripted"));
});

test.each([[{}], [{ site_id: null }], [{ site_id: "", slug: "", blueprint_id: null }]])(
  "with one site a device %j goes there",
  async (body) => {
    expect((await read(await standalone(body))).site_id).toBe(first);
  },
);

test("a Lua device needs a blueprint", async () => {
  const refused = await busbar.admin.post("/v3/provisioning/lua_device", { name: "Script" });
  expect(refused.errors[0]).toMatchObject({ code: "invalid_body", details: { pointer: "/blueprint_id" } });
});

test("a Lua device takes only a blueprint of runtime lua, when it is made and later", async () => {
  const body = { name: "Script", site_id: first, blueprint_id: blueprint };
  const refused = await busbar.admin.post("/v3/provisioning/lua_device", body);
  expect([refused.status, refused.errors[0]]).toMatchObject([
    400,
    {
      code: "invalid_body",
      message: "blueprint Provisioned is of runtime embedded; a device of type LUA runs one of runtime lua",
      details: { pointer: "/blueprint_id" },
    },
  ]);
  const made = await busbar.admin.post<Provisioned>("/v3/provisioning/lua_device", { ...body, blueprint_id: lua });
  const assign = `/v3/devices/${made.body.device_id}/assign_blueprint`;
  expect((await busbar.admin.post(assign, { blueprint_id: blueprint })).errors[0]?.code).toBe("invalid_body");
  expect((await busbar.admin.post(assign, { blueprint_id: lua })).status).toBe(200);
});

test("a Lua device runs on its runtime and takes over its site", async () => {
  const { body: made } = await busbar.admin.post<{ site: Site }>("/v3/sites", { name: "Second" });
  const runtime = await standalone({ name: "Runtime", slug: "runtime", site_id: made.site.id });
  const body = { name: "Script", runtime_id: "runtime", blueprint_id: lua };
  const { device_id } = (await busbar.admin.post<Provisioned>("/v3/provisioning/lua_device", body)).body;
  const device = await read(device_id, "?expand=communication");
  expect(device).toMatchObject({ type: "LUA", site_id: made.site.id, parent_id: runtime });
  expect(device.communication).toEqual({ type: "UCM_LUA", upstream_id: runtime });
});

test("a child device hangs on its parent and takes over its site", async () => {
  const parent = await standalone({ name: "Parent", site_id: first });
  const body = { name: "Cell 1", parent_id: parent, child_type: "cell" };
  const { device_id } = (await busbar.admin.post<Provisioned>("/v3/provisioning/child_device", body)).body;
  expect(await read(device_id)).toMatchObject({ type: "CHILD", parent_id: parent, child_type: "cell", site_id: first });
});

test("with several sites the site must be named", async () => {
  const refused = await busbar.admin.post("/v3/provisioning/standalone", { name: "Where" });
  expect(refused.errors[0]).toMatchObject({ code: "invalid_body", details: { pointer: "/site_id" } });
});

test("a parent of another site than the named one is a conflict", async () => {
  const parent = await standalone({ name: "Here", site_id: first });
  const { body: made } = await busbar.admin.post<{ site: Site }>("/v3/sites", { name: "Third" });
  const body = { name: "Child", parent_id: parent, child_type: "x", site_id: made.site.id };
  expect((await busbar.admin.post("/v3/provisioning/child_device", body)).errors[0]?.code).toBe("conflict");
});

test.each([
  ["site", { site_id: "019a8c00-0000-7000-8000-0000000000aa" }],
  ["blueprint", { blueprint_id: "019a8c00-0000-7000-8000-0000000000aa" }],
])("an unknown %s is 404", async (_, body) => {
  const refused = await busbar.admin.post("/v3/provisioning/standalone", { name: "A", site_id: first, ...body });
  expect([refused.status, refused.errors[0]?.code]).toEqual([404, "not_found"]);
});

test("generate_config gives everything a device needs to connect", async () => {
  const id = await standalone({ site_id: first });
  const { body } = await busbar.admin.post<ConfigAnswer>(`/v3/devices/${id}/generate_config`, { protocol: "MQTT" });
  const { hardware_id } = body.config;
  expect(body.config).toEqual({
    mqtt_host: "127.0.0.1",
    mqtt_port: busbar.mqttPort,
    mqtt_protocol: "MQTT",
    mqtt_credentials: { username: hardware_id, password: expect.stringMatching(/^[\w-]{43}$/) },
    hardware_id: expect.stringMatching(/^V[0-9A-F]{32}$/),
    channel_id: expect.stringMatching(/^\w+$/),
    time_sync_protocol: "HTTP",
    time_sync_host: "127.0.0.1",
    time_sync_port: busbar.port,
  });
  expect((await read(id, "?expand=communication")).communication).toMatchObject({
    type: "MQTT_V1_PLAINTEXT",
    hardware_id,
    channel_id: body.config.channel_id,
  });
});

test("each time the secret is a new one, the hardware id stays, and only a hash is stored", async () => {
  const id = await standalone({ site_id: first });
  const generate = async () =>
    (await busbar.admin.post<ConfigAnswer>(`/v3/devices/${id}/generate_config`, { protocol: "MQTT" })).body.config;
  const [one, two] = [await generate(), await generate()];
  expect(two.hardware_id).toBe(one.hardware_id);
  const secrets = [one, two].map((config) => config.mqtt_credentials["password"] ?? "");
  expect(secrets[0]).not.toBe(secrets[1]);
  for (const file of ["records.db", "records.db-wal"]) {
    const stored = readFileSync(join(busbar.data, file));
    expect(stored.includes(one.hardware_id) || file === "records.db").toBe(true);
    for (const secret of secrets) expect(stored.includes(secret)).toBe(false);
  }
  const audit = await busbar.admin.get("/v3/audit?action.in=generateConfig");
  for (const secret of secrets) {
    expect(audit.text).not.toContain(secret);
    expect(busbar.log).not.toContain(secret);
  }
});

test("MQTTS is not available here, and the refusal changes nothing", async () => {
  const id = await standalone({ site_id: first });
  const refused = await busbar.admin.post(`/v3/devices/${id}/generate_config`, { protocol: "MQTTS" });
  expect([refused.status, refused.errors[0]?.code]).toEqual([409, "not_available"]);
  expect((await read(id, "?expand=communication")).communication).toBeNull();
});

test("a device that does not sign in by itself has no credentials", async () => {
  const body = { name: "Script 2", site_id: first, blueprint_id: lua };
  const { device_id } = (await busbar.admin.post<Provisioned>("/v3/provisioning/lua_device", body)).body;
  const refused = await busbar.admin.post(`/v3/devices/${device_id}/generate_config`, { protocol: "MQTT" });
  expect([refused.status, refused.errors[0]?.code]).toEqual([409, "conflict"]);
});

test("the protocol must be named", async () => {
  const id = await standalone({ site_id: first });
  expect((await busbar.admin.post(`/v3/devices/${id}/generate_config`, {})).status).toBe(400);
  expect((await busbar.admin.post(`/v3/devices/${id}/generate_config`, { protocol: "HTTP" })).status).toBe(400);
});
