// Clients of the ecosystem want every device to name a blueprint. Those without one of their own name one that is built in.
import { expect, test } from "vitest";
import { EMPTY_BLUEPRINT_ID, GATEWAY_BLUEPRINT_ID } from "#client/built-in-blueprints.ts";
import type { Page } from "#client/page.ts";
import type { Blueprint, Device } from "#client/resources.ts";
import { BUILT_IN_BLUEPRINTS } from "#core/blueprint/built-in.ts";
import { commandManifest, upload } from "../support/command-site.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer();

async function makeDevice(more: object = {}): Promise<Device> {
  const made = await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", { name: "Bare", ...more });
  return (await busbar.admin.get<{ device: Device }>(`/v3/devices/${made.body.device_id}?expand=manifest`)).body.device;
}

test("every device names a blueprint that can be read: the gateway's own, or the empty one", async () => {
  const bare = await makeDevice();
  const { body } = await busbar.admin.get<Page<"devices", Device>>("/v3/devices?expand=manifest");
  for (const { blueprint_id } of body.devices) {
    const found = await busbar.admin.get<{ blueprint: Blueprint }>(`/v3/blueprints/${blueprint_id}`);
    expect(found.body.blueprint).toMatchObject({ id: blueprint_id, built_in: true });
    expect((await busbar.admin.get(`/v3/blueprints/${blueprint_id}/zip`)).status).toBe(200);
  }
  expect(bare).toMatchObject({ blueprint_id: EMPTY_BLUEPRINT_ID, manifest: {} });
  const gateway = body.devices.find(({ type }) => type === "GATEWAY");
  expect(gateway?.blueprint_id).toBe(GATEWAY_BLUEPRINT_ID);
  expect(Object.keys(gateway?.manifest?.["telemetry"] ?? {})).toContain("uptime");
});

test("built-in blueprints stand at the end of the list, on whichever page that is, and say what they are", async () => {
  const own = await upload(busbar, commandManifest("Own"));
  const list = async (query: string) =>
    (await busbar.admin.get<Page<"blueprints", Blueprint>>(`/v3/blueprints?${query}`)).body;
  const all = await list("limit=10");
  expect(all.blueprints.map(({ id, built_in }) => [id, built_in])).toEqual([
    [own, false],
    [GATEWAY_BLUEPRINT_ID, true],
    [EMPTY_BLUEPRINT_ID, true],
  ]);
  for (const offset of [0, 1, 2, 3, 4]) {
    const page = await list(`limit=1&offset=${offset}`);
    expect([page.total_count, page.blueprints]).toEqual([3, all.blueprints.slice(offset, offset + 1)]);
  }
});

test("a built-in blueprint cannot be assigned, deleted or rolled out; a copy of a bare device may name it", async () => {
  const { id } = await makeDevice();
  for (const { id: blueprint_id } of BUILT_IN_BLUEPRINTS) {
    const refused = await busbar.admin.post(`/v3/devices/${id}/assign_blueprint`, { blueprint_id });
    expect([refused.status, refused.errors[0]?.code]).toEqual([409, "conflict"]);
    expect((await busbar.admin.delete(`/v3/blueprints/${blueprint_id}`)).status).toBe(404);
    expect((await busbar.admin.post("/v3/rollouts", { blueprint_id, stages: ["100%"] })).status).toBeGreaterThan(399);
  }
  expect(await makeDevice({ blueprint_id: EMPTY_BLUEPRINT_ID })).toMatchObject({ blueprint_id: EMPTY_BLUEPRINT_ID });
});
