// Devices that run inside Busbar run on one node, and on another one after that has gone.
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeNodeSite } from "../support/node-site.ts";
import { startNode } from "../support/nodes.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";

let server: Postgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

test("each simulated device runs on one node, answers at both, and moves when its node leaves", async () => {
  const url = await server.prepared("hosting");
  const one = await startNode({ url });
  const other = await startNode({ url, like: one });
  const site = await makeNodeSite(one.admin);
  const devices: string[] = [];
  for (let n = 0; n < 8; n++) {
    const body = { name: `Model ${n}`, site_id: site.siteId, blueprint_id: site.blueprintId };
    const made = await (n % 2 === 0 ? one : other).admin.post("/v3/provisioning/simulated_device", body);
    expect(made.status, JSON.stringify(made.body)).toBe(200);
    devices.push(made.body.device_id);
  }
  const runs = async (node: typeof one, deviceId: string) =>
    (await node.admin.get(`/v3/devices/${deviceId}/runtime`)).body.runtime !== null;
  const where = () =>
    Promise.all(devices.map(async (id) => `${Number(await runs(one, id))}${Number(await runs(other, id))}`));
  await expect.poll(async () => (await where()).every((at) => at === "10" || at === "01")).toBe(true);
  for (const [n, id] of devices.entries()) {
    const node = n % 2 === 0 ? other : one;
    const { body } = await node.admin.post(`/v3/devices/${id}/commands/execute`, { name: "stop" });
    expect(body.execution.state).toBe("SUCCESS");
  }
  await one.stop();
  for (const id of devices) {
    await expect.poll(() => runs(other, id)).toBe(true);
    const { body } = await other.admin.post(`/v3/devices/${id}/commands/execute`, { name: "stop" });
    expect(body.execution.state).toBe("SUCCESS");
  }
});
