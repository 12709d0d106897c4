// The other paths under which the ecosystem's clients look for an operation.
import { beforeAll, expect, onTestFinished, test } from "vitest";
import type { Device, Site } from "#client/resources.ts";
import { parseProfiles } from "#manifest/parse-profiles.ts";
import { STARTER_PROFILES } from "#manifest/starter-profiles.ts";
import { readZip } from "#service/blueprint/read-zip.ts";
import { manifest } from "../support/blueprints.ts";
import { connectFakeDevice, type FakeDeviceConfig } from "../support/fake-device.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

let site: string;
let other: string;
let id: string;
let blueprint_id: string;

beforeAll(async () => {
  const newSite = async (name: string) => (await busbar.admin.post<{ site: Site }>("/v3/sites", { name })).body.site.id;
  [site, other] = [await newSite("Here"), await newSite("There")];
  const bytes = manifest("Compatible");
  const uploaded = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes });
  blueprint_id = uploaded.body.blueprint.id;
  const body = { name: "Meter", site_id: site, blueprint_id };
  id = (await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", body)).body.device_id;
});

test("a device is read under its site, by id and by slug, with expand", async () => {
  const plain = await busbar.admin.get(`/v3/devices/${id}?expand=site`);
  for (const address of [id, "meter"]) {
    expect((await busbar.admin.get(`/v3/sites/${site}/devices/${address}?expand=site`)).body).toEqual(plain.body);
  }
});

test("under another site the same device is unknown", async () => {
  for (const place of [other, "019a8c00-0000-7000-8000-0000000000ee"]) {
    expect((await busbar.admin.get(`/v3/sites/${place}/devices/${id}`)).errors[0]?.code).toBe("not_found");
    expect((await busbar.admin.delete(`/v3/sites/${place}/devices/${id}`)).status).toBe(404);
  }
});

test("a list of a site's devices takes the site once more, and no other", async () => {
  const list = await busbar.admin.get<{ devices: Device[] }>(
    `/v3/sites/${site}/devices?site_id=${site}&type.in=STANDALONE&expand=&limit=`,
  );
  expect(list.body.devices.map((device) => device.id)).toEqual([id]);
  expect((await busbar.admin.get(`/v3/sites/${site}/devices?site_id=`)).status).toBe(200);
  const refused = await busbar.admin.get(`/v3/sites/${site}/devices?site_id=${other}`);
  expect(refused.errors).toMatchObject([{ code: "invalid_query", details: { parameter: "site_id" } }]);
});

test.each(["/v3/sites", "/v3/users/me/sites", "/v3/sites/users/me/sites", "/api/v3/sites/users/me/sites"])(
  "%s lists the sites, whatever name is sent along",
  async (path) => {
    const plain = await busbar.admin.get("/v3/sites");
    for (const query of ["", "?name=", "?name=undefined", "?name=Here&limit=100&offset=0"]) {
      expect((await busbar.admin.get(path + query)).body).toEqual(plain.body);
    }
  },
);

test("the only site that a token sees is changed without its id, and only by an owner", async () => {
  const [owner, user] = await Promise.all(
    ["owner", "user"].map(async (level) => busbar.as(await busbar.token({ level, site_ids: [other] }))),
  );
  const body = { name: "Renamed", timezone: "Europe/Berlin", location: null };
  expect((await owner?.patch<{ site: Site }>("/v3/site", body))?.body.site).toMatchObject({
    id: other,
    name: "Renamed",
  });
  expect((await user?.patch("/v3/site", body))?.status).toBe(403);
  expect((await busbar.admin.patch("/v3/site", body)).errors[0]?.code).toBe("conflict");
});

test("unset fields may be null or empty", async () => {
  const body = { name: "Unset", site_id: site, slug: null, blueprint_id: "" };
  const made = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", body);
  expect(made.status).toBe(200);
  const path = `/v3/devices/${made.body.device_id}`;
  const changed = await busbar.admin.patch<{ device: Device }>(path, { name: "Set", slug: "" });
  expect(changed.body.device).toMatchObject({ name: "Set", slug: "unset" });
  await busbar.admin.delete(path);
});

test("a virtual module is made under the hardware id that the caller chose, and connects by it", async () => {
  const hardware_id = "V0123456789ABCDEF0123456789ABCDEF";
  const make = (body: object) => busbar.admin.post<{ device_id: string }>("/v3/provisioning/vucm", body);
  const made = await make({ name: "Module", hardware_id, site_id: site });
  const path = `/v3/devices/${made.body.device_id}`;
  const { body } = await busbar.admin.get<{ device: Device }>(`${path}?expand=communication`);
  expect(body.device).toMatchObject({
    type: "VIRTUAL_UCM",
    communication: { type: "MQTT_V1_PLAINTEXT", hardware_id, channel_id: expect.any(String) },
  });
  // Earlier versions of the command line have another word for it.
  const earlier = await busbar.admin.get<{ device: Device }>(
    `/v3/sites/${site}${path.slice(3)}?expand=communication_info`,
  );
  expect(earlier.body.device).toEqual(body.device);
  const config = await busbar.admin.post<{ config: FakeDeviceConfig }>(`${path}/generate_config`, { protocol: "MQTT" });
  expect(config.body.config.hardware_id).toBe(hardware_id);
  const device = await connectFakeDevice(config.body.config);
  onTestFinished(() => device.close());
  expect((await make({ name: "Twin", hardware_id, site_id: other })).errors).toMatchObject([
    { code: "conflict", details: { pointer: "/hardware_id" } },
  ]);
  expect((await make({ name: "Bad", hardware_id: "a/b", site_id: site })).errors[0]?.code).toBe("invalid_body");
  const nameless = await make({ name: "Nameless", hardware_id: null, site_id: site });
  expect(nameless.status).toBe(200);
  await busbar.admin.delete(`/v3/devices/${nameless.body.device_id}`);
});

test("to clients of the ecosystem a simulated device has a type that they know", async () => {
  const body = { name: "Made up", site_id: site, blueprint_id };
  const made = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/simulated_device", body);
  const typeFor = async (header: string) => {
    const headers = { [header]: busbar.adminToken };
    const path = `/v3/devices/${made.body.device_id}`;
    const one = await busbar.anonymous.get<{ device: Device }>(path, { headers });
    const list = await busbar.anonymous.get<{ devices: Device[] }>(`/v3/devices?id.in=${made.body.device_id}`, {
      headers,
    });
    return [one.body.device.type, list.body.devices[0]?.type];
  };
  expect(await typeFor("X-Service-Auth-Token")).toEqual(["SIMULATED", "SIMULATED"]);
  expect(await typeFor("X-Enapter-Auth-Token")).toEqual(["NATIVE", "NATIVE"]);
  await busbar.admin.delete(`/v3/devices/${made.body.device_id}`);
});

test.each(["/v3/blueprints/device_profiles/download", "/v3/blueprints/download_device_profiles"])(
  "%s gives the profiles as a zip that reads back",
  async (path) => {
    const answer = await fetch(busbar.url + path, { headers: { "X-Enapter-Auth-Token": busbar.adminToken } });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/zip"]);
    const { files } = readZip(new Uint8Array(await answer.arrayBuffer()));
    const texts = new Map([...files].map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]));
    const { profiles, issues } = parseProfiles(texts);
    expect([...issues.keys()]).toEqual([]);
    expect(new Map(profiles.map((profile) => [profile.id, profile]))).toEqual(
      new Map(STARTER_PROFILES.map((profile) => [profile.id, profile])),
    );
  },
);

test("a blueprint is found by its name in any spelling and by its tag", async () => {
  const again = manifest("Compatible", "description: The second.\n");
  const newest = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", {
    bytes: again,
  });
  const find = (name: string) => busbar.admin.get<{ blueprint: { id: string } }>(`/v3/blueprints/enapter/${name}`);
  for (const name of ["Compatible/latest", "compatible/latest", "COMPATIBLE/2", "compatible/v2"]) {
    expect((await find(name)).body.blueprint.id).toBe(newest.body.blueprint.id);
  }
  expect((await find("compatible/1")).body.blueprint.id).toBe(blueprint_id);
  for (const name of ["compatible/3", "compatible/stable", "other/latest"]) {
    expect((await find(name)).errors[0]?.code).toBe("not_found");
  }
  for (const view of ["", "?view=ORIGINAL", "?view=COMPILED"]) {
    const zip = await fetch(`${busbar.url}/v3/blueprints/${blueprint_id}/zip${view}`, {
      headers: { "X-Enapter-Auth-Token": busbar.adminToken },
    });
    expect([zip.status, zip.headers.get("content-type")]).toEqual([200, "application/zip"]);
  }
});

test("manifest, assign_blueprint, generate_config, patch and delete work under the site", async () => {
  const path = `/v3/sites/${site}/devices/meter`;
  expect((await busbar.admin.get(`${path}/manifest`)).body).toMatchObject({ manifest: { display_name: "Compatible" } });
  expect((await busbar.admin.post(`${path}/assign_blueprint`, { blueprint_id })).status).toBe(200);
  expect((await busbar.admin.post(`${path}/generate_config`, { protocol: "MQTT" })).status).toBe(200);
  const renamed = await busbar.admin.patch<{ device: Device }>(path, { name: "Renamed" });
  expect(renamed.body.device).toMatchObject({ id, name: "Renamed" });
  expect((await busbar.admin.delete(path)).body).toEqual({});
  expect((await busbar.admin.get(`/v3/devices/${id}`)).status).toBe(404);
});
