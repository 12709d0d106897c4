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
