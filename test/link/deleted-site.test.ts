// A site that is deleted while the line is cut.
import { expect, test } from "vitest";
import { eventually, isLinked, useLinkedPair } from "../support/linked-pair.ts";

const pair = useLinkedPair();
const { cloud, gateway } = pair;

test("a site that is deleted with its devices while the line is cut is deleted in the cloud", async () => {
  const made = await gateway.admin.post<{ site: { id: string } }>("/v3/sites", { name: "short", timezone: "Etc/UTC" });
  expect(made.status, made.text).toBe(200);
  const siteId = made.body.site.id;
  const added = await gateway.admin.post<{ device_id: string }>("/v3/provisioning/standalone", {
    name: "x",
    site_id: siteId,
    hardware_id: "x1",
  });
  const first = await gateway.admin.get<{ devices: { id: string; type: string }[] }>(`/v3/sites/${siteId}/devices`);
  expect(first.body.devices.length, added.text).toBeGreaterThan(0);
  await eventually(async () =>
    expect((await cloud.admin.get(`/v3/devices/${first.body.devices[0]?.id}`)).status).toBe(200),
  );
  pair.line.cut();
  await isLinked(gateway, false);
  for (const { id } of first.body.devices.filter(({ type }) => type !== "GATEWAY")) {
    const gone = await gateway.admin.delete(`/v3/devices/${id}`);
    expect(gone.status, gone.text).toBe(200);
  }
  const deleted = await gateway.admin.delete(`/v3/sites/${siteId}`);
  expect(deleted.status, deleted.text).toBe(200);
  pair.line.heal();
  await expect
    .poll(
      async () => ({
        status: (await cloud.admin.get(`/v3/sites/${siteId}`)).status,
        uplink: (await gateway.admin.get<object>("/v3/uplink")).body,
      }),
      { interval: 500 },
    )
    .toMatchObject({ status: 404 });
});
