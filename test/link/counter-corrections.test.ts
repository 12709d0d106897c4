// Corrections of counters on both sides of a link: the gateway has them, and the cloud's energies agree with its own.
import { expect, test } from "vitest";
import { upload } from "../support/command-site.ts";
import { connectFakeDevice, type FakeDeviceConfig } from "../support/fake-device.ts";
import { eventually, useLinkedPair } from "../support/linked-pair.ts";
import type { TestServer } from "../support/server.ts";

const pair = useLinkedPair();
const { cloud, gateway } = pair;

const METER = `blueprint_spec: device/3.0
display_name: Meter
category: power-meters
runtime: {type: embedded}
telemetry:
  grid_energy_import: {type: float, unit: kWh, display_name: Import}
`;
const attribute = "grid_energy_import";

test("a correction that is made in the cloud is the gateway's, and both have the same energies until it is withdrawn", async () => {
  const { siteId } = pair.site;
  const wanted = { name: "Meter", slug: "meter", site_id: siteId, blueprint_id: await upload(gateway, METER) };
  const made = await gateway.admin.post<{ device_id: string }>("/v3/provisioning/standalone", wanted);
  const id = made.body.device_id;
  const config = `/v3/devices/${id}/generate_config`;
  const answer = await gateway.admin.post<{ config: FakeDeviceConfig }>(config, { protocol: "MQTT" });
  const device = await connectFakeDevice(answer.body.config);
  const start = Math.floor(Date.now() / 1000) - 3_600;
  for (const [minute, value] of [5_000, 5_001, 90_000, 90_002].entries()) {
    await device.sendTelemetry({ timestamp: start + minute * 60, [attribute]: value });
  }
  const from = new Date((start - 60) * 1000).toISOString();
  const at = new Date((start + 120) * 1000).toISOString();
  const energyOf = async ({ admin }: TestServer) => {
    const path = `/v3/sites/${siteId}/energy?from=${from}`;
    type Energy = { total: { from_grid: number | null }; doubtful: object[]; corrections: object[] };
    const { total, doubtful, corrections } = (await admin.get<{ energy: Energy }>(path)).body.energy;
    return { fromGrid: (total.from_grid ?? Number.NaN) / 1000, doubtful: doubtful.length, corrections };
  };
  const agreeOn = async (fromGrid: number, doubtful: number) =>
    await eventually(async () => {
      const [here, there] = [await energyOf(gateway), await energyOf(cloud)];
      expect(here).toMatchObject({ fromGrid: expect.closeTo(fromGrid, 6), doubtful });
      expect(there).toEqual(here);
    });
  await agreeOn(85_002, 1);

  const path = `/v3/devices/${id}/counter_corrections`;
  const step = { attribute, at, kind: "value_wrong", note: "noise on the line" };
  const token = await cloud.token({ name: "Ada", level: "owner", site_ids: [siteId] });
  const corrected = await cloud.as(token).post<{ correction: { id: string } }>(path, step);
  expect(corrected.status, corrected.text).toBe(200);
  expect(corrected.body.correction).toMatchObject({ before: 5_001, value: 90_000, author: { name: "Ada" } });
  // The answer of the gateway brings the record along.
  expect((await energyOf(cloud)).fromGrid).toBeCloseTo(3, 6);
  await agreeOn(3, 0);
  const lists = [await gateway.admin.get(path), await cloud.admin.get(path)];
  expect(lists[1]?.body).toEqual(lists[0]?.body);
  const again = await cloud.admin.post(path, step);
  expect([again.status, again.errors[0]?.code]).toEqual([409, "conflict"]);

  const withdrawn = await gateway.admin.delete(`${path}/${corrected.body.correction.id}`);
  expect(withdrawn.status, withdrawn.text).toBe(200);
  await agreeOn(85_002, 1);
  await device.close();
});
