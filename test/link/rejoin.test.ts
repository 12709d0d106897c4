// A gateway that has left its cloud, or whose access was revoked, joins again.
import { expect, test } from "vitest";
import { eventually, isLinked, useLinkedPair } from "../support/linked-pair.ts";

const pair = useLinkedPair();
const { cloud, gateway } = pair;

const nameIn = async (id: string) =>
  (await cloud.admin.get<{ device: { name: string } | undefined }>(`/v3/devices/${id}`)).body.device?.name;

test("a gateway that was revoked joins again, gets its sites back, and both agree", async () => {
  const id = await pair.site.device("pump");
  await eventually(async () => expect(await nameIn(id)).toBe("pump"));
  const { body } = await cloud.admin.get<{ gateways: { id: string }[] }>("/v3/gateways");
  await cloud.admin.delete(`/v3/gateways/${body.gateways[0]?.id}`);
  await isLinked(gateway, false);
  expect((await gateway.admin.delete("/v3/uplink")).status).toBe(200);
  await gateway.admin.patch(`/v3/devices/${id}`, { name: "pump 2" });
  const code = await cloud.admin.post<{ code: string }>("/v3/gateways/join_codes", { name: "North again" });
  const joined = await gateway.admin.post("/v3/uplink", { url: pair.line.url, code: code.body.code });
  expect(joined.status, joined.text).toBe(200);
  await eventually(async () => expect(await nameIn(id)).toBe("pump 2"));
  // The cloud asks for changes once everything is told. What it had from the revoked one, such as audit entries, comes too.
  await eventually(async () => {
    const changed = await cloud.admin.patch(`/v3/devices/${id}`, { name: "pump 3" });
    expect(changed.text).not.toContain("pending_change");
  });
  const { body: here } = await gateway.admin.get<{ device: { name: string } }>(`/v3/devices/${id}`);
  expect(here.device.name).toBe("pump 3");
});

interface ListedGateway {
  readonly id: string;
  readonly revoked_at: string | null;
}

async function joinAgain(): Promise<void> {
  const { body } = await cloud.admin.post<{ code: string }>("/v3/gateways/join_codes", { name: "North" });
  const joined = await gateway.admin.post("/v3/uplink", { url: pair.line.url, code: body.code });
  expect(joined.status, joined.text).toBe(200);
}

const valid = async () =>
  (await cloud.admin.get<{ gateways: ListedGateway[] }>("/v3/gateways")).body.gateways.filter(
    ({ revoked_at }) => revoked_at === null,
  );

test("a gateway that leaves while it is connected tells its cloud, and can join again", async () => {
  const id = await pair.site.device("fan");
  await eventually(async () => expect(await nameIn(id)).toBe("fan"));
  expect(await valid()).toHaveLength(1);
  expect((await gateway.admin.delete("/v3/uplink")).status).toBe(200);
  await eventually(async () => expect(await valid()).toEqual([]));
  const audit = await cloud.admin.get<{ entries: { action: string }[] }>("/v3/audit?order=AT_DESC&limit=20");
  expect(audit.text).toContain("leaveCloud");
  await gateway.admin.patch(`/v3/devices/${id}`, { name: "fan 2" });
  await joinAgain();
  await eventually(async () => expect(await nameIn(id)).toBe("fan 2"));
});

test("a gateway whose sites are those of a former one is told what to do", async () => {
  pair.line.cut();
  await isLinked(gateway, false);
  expect((await gateway.admin.delete("/v3/uplink")).status).toBe(200);
  const [former] = await valid();
  pair.line.heal();
  await joinAgain();
  await eventually(async () => {
    const { body } = await gateway.admin.get<{ last_error: string | null }>("/v3/uplink");
    expect(body.last_error).toMatch(
      /^the cloud has ended the connection: site .* is of another gateway; revoke that one/,
    );
  });
  await cloud.admin.delete(`/v3/gateways/${former?.id}`);
  const id = await pair.site.device("lamp");
  await eventually(async () => expect(await nameIn(id)).toBe("lamp"));
});

test("what a revoked gateway has left behind can be deleted, and comes back when the gateway joins again", async () => {
  const { siteId } = pair.site;
  const devicesOf = async () =>
    (await cloud.admin.get<{ devices: { id: string; type: string }[] }>(`/v3/sites/${siteId}/devices`)).body.devices;
  const [device] = (await devicesOf()).filter(({ type }) => type !== "GATEWAY");
  const early = await cloud.admin.delete(`/v3/sites/${siteId}`);
  expect(early.text).toContain("owned_by_gateway");
  for (const { id } of await valid()) await cloud.admin.delete(`/v3/gateways/${id}`);
  await isLinked(gateway, false);
  expect((await cloud.admin.patch(`/v3/sites/${siteId}`, { name: "other" })).text).toContain("it can only be deleted");
  for (const { id, type } of await devicesOf()) {
    if (type !== "GATEWAY") expect((await cloud.admin.delete(`/v3/devices/${id}`)).status).toBe(200);
  }
  expect((await cloud.admin.delete(`/v3/sites/${siteId}`)).status).toBe(200);
  expect((await cloud.admin.get(`/v3/sites/${siteId}`)).status).toBe(404);
  expect((await gateway.admin.delete("/v3/uplink")).status).toBe(200);
  await joinAgain();
  await eventually(async () => expect((await devicesOf()).map(({ id }) => id)).toContain(device?.id));
});
