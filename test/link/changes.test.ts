// Changes of a joined site that are made in the cloud: its gateway makes them, now or when it is back.
import { expect, test } from "vitest";
import { commandManifest, upload } from "../support/command-site.ts";
import { eventually, isLinked, useLinkedPair } from "../support/linked-pair.ts";
import { listen } from "../support/listen.ts";
import type { TestServer } from "../support/server.ts";

const pair = useLinkedPair();
const { cloud, gateway } = pair;

interface WireChange {
  readonly id: string;
  readonly state: string;
  readonly errors: readonly { readonly code: string }[];
  readonly overruled: readonly string[];
}
type Pending = { readonly pending_change: WireChange };

const VALUES = { host: "inverter.local", port: 1502, mode: "tcp" };
const networkOf = (id: string) => `/v3/devices/${id}/configuration/network`;
const put = (server: TestServer, id: string, json: object) =>
  server.admin.call<Pending>("PUT", networkOf(id), { json });

async function deviceIn({ admin }: TestServer, id: string): Promise<Record<string, unknown>> {
  return (await admin.get<{ device: Record<string, unknown> }>(`/v3/devices/${id}`)).body.device;
}

/** A site of the cloud alone. */
async function newSite({ admin }: TestServer): Promise<string> {
  return (await admin.post<{ site: { id: string } }>("/v3/sites", { name: "elsewhere" })).body.site.id;
}

/** A device that both sides know. */
async function known(name: string): Promise<string> {
  const id = await pair.site.device(name);
  await eventually(async () => expect((await cloud.admin.get(`/v3/devices/${id}`)).status).toBe(200));
  return id;
}

async function isInCloud(expected: boolean): Promise<void> {
  await eventually(async () => {
    const { body } = await cloud.admin.get<{ gateways: { connected: boolean }[] }>("/v3/gateways");
    expect(body.gateways[0]?.connected).toBe(expected);
  });
}

async function apart(): Promise<void> {
  pair.line.cut();
  await isLinked(gateway, false);
  await isInCloud(false);
}

async function change(id: string): Promise<WireChange> {
  const { body } = await cloud.admin.get<{ change: WireChange }>(`/v3/changes/${id}`);
  return body.change;
}

async function settled(id: string): Promise<WireChange> {
  return await eventually(async () => {
    const found = await change(id);
    expect(found.state).not.toBe("PENDING");
    return found;
  });
}

test("configuration that is written in the cloud is the gateway's, and the answer is the gateway's", async () => {
  const id = await known("configured");
  const written = await put(cloud, id, { ...VALUES, password: "s3cret-of-the-inverter" });
  expect(written.status, written.text).toBe(200);
  expect(written.body).toEqual({ bucket: "network", values: { ...VALUES, password: "***" } });
  expect((await gateway.admin.get(networkOf(id))).body).toEqual(written.body);
  expect((await cloud.admin.get(networkOf(id))).body).toEqual(written.body);
  const refused = await put(cloud, id, { ...VALUES, port: 0 });
  expect(refused.errors).toEqual((await put(gateway, id, { ...VALUES, port: 0 })).errors);
  expect([refused.status, refused.errors[0]?.code]).toEqual([400, "invalid_configuration"]);
});

test("a device is renamed, and what the gateway refuses is refused with its words", async () => {
  const [id] = [await known("pump"), await known("taken")];
  const renamed = await cloud.admin.patch<{ device: object }>(`/v3/devices/${id}`, { name: "Big pump", slug: "big" });
  expect(renamed.body.device, renamed.text).toMatchObject({ name: "Big pump", slug: "big" });
  expect(await deviceIn(gateway, id)).toMatchObject({ name: "Big pump", slug: "big" });
  expect(await deviceIn(cloud, id)).toEqual(renamed.body.device);
  const refused = await cloud.admin.patch(`/v3/devices/${id}`, { slug: "taken" });
  expect([refused.status, refused.errors[0]?.code]).toEqual([409, "slug_taken"]);
});

test("a blueprint that only the cloud has travels to the gateway and is assigned there", async () => {
  const id = await known("converter");
  const blueprintId = await upload(cloud, commandManifest("of the cloud"));
  const path = `/v3/devices/${id}/assign_blueprint`;
  const assigned = await cloud.admin.post<{ device: object; changes: object[] }>(path, { blueprint_id: blueprintId });
  expect(assigned.body.device, assigned.text).toMatchObject({ id, blueprint_id: blueprintId });
  const [there, here] = await Promise.all(
    [cloud, gateway].map(async ({ admin }) => (await admin.get<object>(`/v3/devices/${id}/manifest`)).body),
  );
  expect(here).toEqual(there);
  expect(here).toMatchObject({ manifest: { display_name: "of the cloud" } });
  const missing = await cloud.admin.post(path, { blueprint_id: "nothing" });
  expect(missing.status).toBe(404);
});

test("a roll-out in the cloud reaches devices of a gateway", async () => {
  const id = await known("rolled out");
  const blueprintId = await upload(cloud, commandManifest("rolled out"));
  const begun = await cloud.admin.post("/v3/rollouts", {
    blueprint_id: blueprintId,
    devices: { device_ids: [id] },
    watch: 1,
  });
  expect(begun.status, begun.text).toBe(200);
  await eventually(async () => {
    expect(await deviceIn(cloud, id)).toMatchObject({ blueprint_id: blueprintId });
    const { body } = await gateway.admin.get<object>(`/v3/devices/${id}/manifest`);
    expect(body).toMatchObject({ manifest: { display_name: "rolled out" } });
  });
});

test("devices are added and deleted on the gateway", async () => {
  const { siteId } = pair.site;
  const made = await cloud.admin.post<{ device_id: string }>("/v3/provisioning/standalone", {
    name: "made in the cloud",
    site_id: siteId,
  });
  expect(made.status, made.text).toBe(200);
  const { device_id: id } = made.body;
  expect(await deviceIn(gateway, id)).toMatchObject({ name: "made in the cloud", type: "STANDALONE" });
  expect(await deviceIn(cloud, id)).toMatchObject({ name: "made in the cloud" });
  expect((await cloud.admin.delete(`/v3/devices/${id}`)).status).toBe(200);
  for (const { admin } of [cloud, gateway]) expect((await admin.get(`/v3/devices/${id}`)).status).toBe(404);
});

test("a site is renamed and moved to another time zone", async () => {
  const path = `/v3/sites/${pair.site.siteId}`;
  const changed = await cloud.admin.patch<{ site: object }>(path, { name: "Moved", timezone: "Europe/Berlin" });
  expect(changed.body.site, changed.text).toMatchObject({ name: "Moved", timezone: "Europe/Berlin" });
  expect((await gateway.admin.get(path)).body).toEqual(changed.body);
});

test("the gateway's audit log says who asked in the cloud", async () => {
  const id = await known("audited");
  const token = await cloud.token({ name: "Ada", level: "owner", site_ids: [pair.site.siteId] });
  expect((await cloud.as(token).patch(`/v3/devices/${id}`, { name: "by Ada" })).status).toBe(200);
  const { body } = await gateway.admin.get<{ entries: readonly object[] }>("/v3/audit?limit=5");
  expect(body.entries[0]).toMatchObject({ action: "updateDevice", actor: { name: "Ada" }, remote_address: "cloud" });
  const tooWeak = await cloud.as(await cloud.token({ name: "Bob", level: "user" })).patch(`/v3/devices/${id}`, {});
  expect(tooWeak.status).toBe(403);
});

test("while the gateway is away changes wait, are seen as pending, and are made in their order", async () => {
  const id = await known("waiting");
  await apart();
  const wrong = await put(cloud, id, { ...VALUES, port: 0 });
  expect([wrong.status, wrong.errors[0]?.code]).toEqual([400, "invalid_configuration"]);
  const written = await put(cloud, id, { ...VALUES, password: "s3cret-that-waits" });
  expect(written.body.pending_change, written.text).toMatchObject({
    state: "PENDING",
    asked: { buckets: ["network"] },
  });
  expect(written.text).not.toContain("s3cret");
  const renames = [];
  for (const name of ["first", "second"]) {
    const { body } = await cloud.admin.patch<Pending & { device: object }>(`/v3/devices/${id}`, { name });
    expect(body.device).toMatchObject({ name: "waiting" });
    renames.push(body.pending_change.id);
  }
  const { body } = await cloud.admin.get<{ changes: WireChange[] }>(`/v3/changes?device_id.in=${id}&state.in=PENDING`);
  expect(body.changes.map((one) => one.id)).toEqual([...renames.toReversed(), written.body.pending_change.id]);
  const refused = await cloud.admin.delete(`/v3/devices/${id}`);
  expect([refused.status, refused.errors[0]?.code]).toEqual([503, "gateway_unreachable"]);
  pair.line.heal();
  for (const one of [written.body.pending_change.id, ...renames]) {
    expect(await settled(one)).toMatchObject({ state: "DONE" });
  }
  expect(await deviceIn(gateway, id)).toMatchObject({ name: "second" });
  expect(await deviceIn(cloud, id)).toMatchObject({ name: "second" });
  expect((await gateway.admin.get(networkOf(id))).body).toMatchObject({ values: { port: 1502, password: "***" } });
});

test("a change that waits is withdrawn by who asked for it or by an owner, and the gateway never gets it", async () => {
  const id = await known("withdrawn");
  await apart();
  const rename = async (token: string, name: string) =>
    (await cloud.as(token).patch<Pending>(`/v3/devices/${id}`, { name })).body.pending_change.id;
  const ada = await cloud.token({ name: "Ada", level: "owner", site_ids: [pair.site.siteId] });
  const bob = await cloud.token({ name: "Bob", level: "user" });
  const elsewhere = await cloud.token({ name: "Eve", level: "owner", site_ids: [await newSite(cloud)] });
  const [unwanted, wanted] = [await rename(ada, "unwanted"), await rename(ada, "wanted")];
  const withdraw = (token: string, change: string) =>
    cloud.as(token).post<{ change: WireChange }>(`/v3/changes/${change}/withdraw`, {});
  expect([(await withdraw(bob, unwanted)).status, (await withdraw(elsewhere, unwanted)).status]).toEqual([403, 404]);
  expect((await withdraw(ada, unwanted)).body.change).toMatchObject({ id: unwanted, state: "WITHDRAWN" });
  const again = await withdraw(ada, unwanted);
  expect([again.status, again.errors[0]?.code]).toEqual([409, "conflict"]);
  expect((await cloud.admin.post("/v3/changes/none/withdraw", {})).status).toBe(404);
  expect((await gateway.admin.post(`/v3/changes/${unwanted}/withdraw`, {})).status).toBe(404);
  const { body } = await cloud.admin.get<{ entries: readonly object[] }>("/v3/audit?limit=20");
  expect(body.entries).toContainEqual(
    expect.objectContaining({ action: "withdrawChange", actor: expect.objectContaining({ name: "Ada" }) }),
  );
  pair.line.heal();
  expect(await settled(wanted)).toMatchObject({ state: "DONE" });
  expect(await change(unwanted)).toMatchObject({ state: "WITHDRAWN" });
  expect(await deviceIn(gateway, id)).toMatchObject({ name: "wanted" });
  const late = await withdraw(ada, wanted);
  expect([late.status, late.errors[0]?.message]).toEqual([
    409,
    "the change is DONE; only one that is PENDING can be withdrawn",
  ]);
});

test("what was changed on the gateway meanwhile stays, and the overruled change is reported", async () => {
  const [id, other] = [await known("contested"), await known("peaceful")];
  await put(gateway, id, VALUES);
  await eventually(async () =>
    expect((await cloud.admin.get(networkOf(id))).body).toMatchObject({ values: { port: 1502 } }),
  );
  const listener = await listen(cloud.url, cloud.adminToken, { query: "?kind.in=change" });
  await apart();
  const overruled = [
    (await put(cloud, id, { ...VALUES, port: 1 })).body.pending_change.id,
    (await cloud.admin.patch<Pending>(`/v3/devices/${id}`, { name: "cloud's" })).body.pending_change.id,
  ];
  const made = (await cloud.admin.patch<Pending>(`/v3/devices/${other}`, { slug: "quiet" })).body.pending_change.id;
  await put(gateway, id, { ...VALUES, port: 2 });
  await gateway.admin.patch(`/v3/devices/${id}`, { name: "gateway's" });
  // Another field: both changes are made.
  await gateway.admin.patch(`/v3/devices/${other}`, { name: "Peace" });
  pair.line.heal();
  expect(await Promise.all(overruled.map(settled))).toMatchObject([
    { state: "OVERRULED", overruled: ["network"] },
    { state: "OVERRULED", overruled: ["name"] },
  ]);
  expect(await settled(made)).toMatchObject({ state: "DONE" });
  expect(await deviceIn(cloud, other)).toMatchObject({ name: "Peace", slug: "quiet" });
  for (const server of [cloud, gateway]) {
    expect(await deviceIn(server, id)).toMatchObject({ name: "gateway's" });
    expect((await server.admin.get(networkOf(id))).body).toMatchObject({ values: { port: 2 } });
  }
  const event = await listener.next(({ event: kind, data }) => kind === "change" && data["device_id"] === id);
  expect(event.data).toMatchObject({ change: { state: "OVERRULED" } });
  await eventually(async () => {
    for (const { admin } of [gateway, cloud]) {
      const { body } = await admin.get<{ entries: readonly { id: string }[] }>("/v3/audit?limit=100");
      expect(body.entries.find((entry) => entry.id === overruled[1])).toMatchObject({
        outcome: "REFUSED",
        code: "overruled",
      });
    }
  });
});

test("a change that waits is kept over a restart of the cloud, and no secret is in its log or its records", async () => {
  const id = await known("lasting");
  await apart();
  const pending = await put(cloud, id, { ...VALUES, password: "s3cret-over-restart" });
  await cloud.restart(["--port", String(cloud.port)]);
  pair.line.heal();
  expect(await settled(pending.body.pending_change.id)).toMatchObject({ state: "DONE" });
  expect((await gateway.admin.get(networkOf(id))).body).toMatchObject({ values: { port: 1502 } });
  expect(cloud.log + gateway.log).not.toContain("s3cret");
});
