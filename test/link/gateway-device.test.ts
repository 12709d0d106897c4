// A gateway as a device of its site, on the gateway and in its cloud, and the cloud's overview of its gateways.
import { expect, test } from "vitest";
import type { Fleet, Gateway } from "#client/resources.ts";
import { eventually, isLinked, useLinkedPair } from "../support/linked-pair.ts";
import type { TestServer } from "../support/server.ts";

const pair = useLinkedPair();
const { cloud, gateway } = pair;

interface ShownDevice {
  readonly id: string;
  readonly type: string;
  readonly manifest: { readonly display_name?: string };
  readonly communication: { readonly type: string; readonly upstream_id?: string } | null;
}

async function devicesOf({ admin }: TestServer): Promise<readonly ShownDevice[]> {
  const path = `/v3/sites/${pair.site.siteId}/devices?expand=manifest,communication`;
  return (await admin.get<{ devices: readonly ShownDevice[] }>(path)).body.devices;
}

/** The device that stands for the gateway, once it has reported something about itself. */
async function ownDevice(server: TestServer): Promise<ShownDevice> {
  return await eventually(async () => {
    const own = (await devicesOf(server)).find(({ type }) => type === "GATEWAY");
    expect(own?.manifest.display_name).toBe("Busbar gateway");
    return own as ShownDevice;
  });
}

async function valuesOf(server: TestServer, attributes: string): Promise<Readonly<Record<string, unknown>>> {
  const { id } = await ownDevice(server);
  type Now = { readonly telemetry: Record<string, Record<string, { readonly value: unknown }>> };
  const { body } = await server.admin.get<Now>(`/v3/telemetry/latest?devices[${id}]=${attributes}`);
  return Object.fromEntries(Object.entries(body.telemetry[id] ?? {}).map(([name, { value }]) => [name, value]));
}

test("the gateway reports its link, version, backlog and load as telemetry, and the cloud has the same", async () => {
  for (const side of [gateway, cloud]) {
    await eventually(async () => {
      const values = await valuesOf(side, "status,backlog_hours,cpu_load,memory_used,disk_free");
      expect(values).toMatchObject({ status: "connected", backlog_hours: 0 });
      expect(values["memory_used"]).toBeGreaterThan(1_000_000);
      expect(values["disk_free"]).toBeGreaterThan(0);
    });
  }
  expect((await ownDevice(cloud)).id).toBe((await ownDevice(gateway)).id);
});

test("the audit log names the gateway itself as the one that gives its device a blueprint", async () => {
  await ownDevice(gateway);
  type Audit = { readonly entries: readonly { readonly actor: { readonly name: string } }[] };
  const { body } = await gateway.admin.get<Audit>("/v3/audit?action.in=reportGateway");
  expect(new Set(body.entries.map(({ actor }) => actor.name))).toEqual(new Set(["gateway"]));
});

test("in the cloud the gateway is the way to the devices of its site", async () => {
  const direct = await pair.site.device("Direct");
  const child = await gateway.admin.post<{ device_id: string }>("/v3/provisioning/child_device", {
    name: "Child",
    parent_id: direct,
    child_type: "x",
  });
  const own = await ownDevice(cloud);
  expect(own.communication).toBeNull();
  await eventually(async () => {
    const ways = new Map((await devicesOf(cloud)).map(({ id, communication }) => [id, communication]));
    expect(ways.get(direct)).toEqual({ type: "LINK", upstream_id: own.id });
    expect(ways.get(child.body.device_id)).toEqual({ type: "LINK", upstream_id: direct });
  });
});

test("a gateway shows a cut to its own users, and the overview of the cloud follows", async () => {
  const list = async (query = "") =>
    (await cloud.admin.get<{ gateways: readonly Gateway[] }>(`/v3/gateways${query}`)).body.gateways;
  const fleet = async () => (await cloud.admin.get<Fleet>("/v3/gateways/overview")).body;
  const [known] = await eventually(async () => {
    const gateways = await list();
    expect(gateways[0]?.report).not.toBeNull();
    return gateways;
  });
  const id = known?.id ?? "";
  expect(known).toMatchObject({ site_ids: expect.arrayContaining([pair.site.siteId]) });
  expect(known?.device_id).not.toBeNull();
  expect((await cloud.admin.get<{ gateway: Gateway }>(`/v3/gateways/${id}`)).body.gateway).toMatchObject({
    id,
    connected: true,
  });
  expect((await cloud.admin.get("/v3/gateways/nobody")).status).toBe(404);
  expect(await fleet()).toMatchObject({ gateways: 1, connected: 1, away: 0, revoked: 0, with_loss: 0 });
  const running = known?.version ?? "";
  expect((await fleet()).versions).toEqual([{ version: running, gateways: 1, connected: 1 }]);
  pair.line.cut();
  await isLinked(gateway, false);
  await eventually(async () => expect(await valuesOf(gateway, "status")).toEqual({ status: "disconnected" }));
  await eventually(async () => expect(await fleet()).toMatchObject({ connected: 0, away: 1 }));
  expect(await list("?connected=true")).toEqual([]);
  expect((await list("?connected=false")).map((one) => one.id)).toEqual([id]);
  expect(await list("?version.in=0.0.0")).toEqual([]);
  expect((await list(`?version.in=${running},0.0.0`)).map((one) => one.id)).toEqual([id]);
  pair.line.heal();
  await isLinked(gateway, true);
  await eventually(async () => expect(await fleet()).toMatchObject({ connected: 1, away: 0 }));
  await eventually(async () => expect(await valuesOf(cloud, "status")).toEqual({ status: "connected" }));
});
