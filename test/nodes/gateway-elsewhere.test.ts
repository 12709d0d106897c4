// A gateway that is connected to one node of a cloud, and people who ask another one.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CommandSite, makeCommandSite } from "../support/command-site.ts";
import { eventually, isLinked } from "../support/linked-pair.ts";
import { type Node, openNode } from "../support/nodes.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { useServer } from "../support/server.ts";

const gateway = useServer(["--mqtt-port", "off"]);
const nodes: Node[] = [];
let server: Postgres;
let site: CommandSite;

beforeAll(async () => {
  server = await startPostgres();
  const url = await server.prepared("elsewhere");
  nodes.push(await openNode({ url }));
  nodes.push(await openNode({ url, like: asked() }));
  site = await makeCommandSite(gateway, "elsewhere");
  await join();
});
afterAll(async () => {
  for (const node of nodes) await node.stop();
  await server?.stop();
});

/** The node that people ask. */
function asked(): Node {
  const [node] = nodes;
  if (node === undefined) throw new Error("the nodes run");
  return node;
}

/** The gateway joins at the other node, and stays connected there. */
async function join(): Promise<void> {
  const { code } = (await asked().admin.post("/v3/gateways/join_codes", { name: "North" })).body;
  const joined = await gateway.admin.post("/v3/uplink", { url: nodes[1]?.url, code });
  expect(joined.status, joined.text).toBe(200);
  await isLinked(gateway, true);
}

async function gatewayId(): Promise<string> {
  const { gateways } = (await asked().admin.get("/v3/gateways")).body;
  return gateways.find(({ connected }: { connected: boolean }) => connected).id;
}

async function isRefused(): Promise<void> {
  await eventually(async () => {
    const { body } = await gateway.admin.get("/v3/uplink");
    expect(body).toMatchObject({ connected: false, last_error: expect.stringContaining("revoked") });
  });
}

test("configuration and devices are changed at one node while the gateway is connected to another one", async () => {
  const id = await site.device("changed");
  await eventually(async () => expect((await asked().admin.get(`/v3/devices/${id}`)).status).toBe(200));
  const network = `/v3/devices/${id}/configuration/network`;
  const values = { host: "inverter.local", port: 1502, mode: "tcp" };
  const written = await asked().admin.put(network, values);
  expect([written.status, written.body]).toMatchObject([200, { bucket: "network", values }]);
  expect(written.body.pending_change).toBeUndefined();
  expect((await gateway.admin.get(network)).body).toEqual(written.body);
  const refused = await asked().admin.put(network, { ...values, port: 0 });
  expect([refused.status, refused.body.errors[0].code]).toEqual([400, "invalid_configuration"]);
  const added = await asked().admin.post("/v3/provisioning/standalone", { name: "Added", site_id: site.siteId });
  expect(added.status, JSON.stringify(added.body)).toBe(200);
  const path = `/v3/devices/${added.body.device_id}`;
  expect((await gateway.admin.get(path)).status).toBe(200);
  expect((await asked().admin.delete(path)).status).toBe(200);
  expect([(await gateway.admin.get(path)).status, (await asked().admin.get(path)).status]).toEqual([404, 404]);
});

test("access that is revoked at one node ends the gateway's connection to another one", async () => {
  expect((await asked().admin.delete(`/v3/gateways/${await gatewayId()}`)).status).toBe(200);
  await isRefused();
});

test("a node that hears nothing of a revoked access finds it in the records", async () => {
  expect((await gateway.admin.delete("/v3/uplink")).status).toBe(200);
  await join();
  const records = await server.session("elsewhere");
  // As the other node writes it, without the message.
  await records.query("UPDATE gateway SET revoked_at = $1 WHERE id = $2", [Date.now(), await gatewayId()]);
  await records.end();
  await isRefused();
});
