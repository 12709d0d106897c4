// The other paths under which the ecosystem's clients look for an operation.
import { beforeAll, expect, test } from "vitest";
import type { Device, Site } from "#client/resources.ts";
import { manifest } from "../support/blueprints.ts";
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
