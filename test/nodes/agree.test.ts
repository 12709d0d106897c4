// What holds for all nodes at once: tokens, credentials, events, webhooks.
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { listen, type SeenEvent } from "../support/listen.ts";
import { connectAt, makeNodeSite } from "../support/node-site.ts";
import { NODE_ADMIN_TOKEN, type Node, openNode, startNode } from "../support/nodes.ts";
import { PATIENT } from "../support/patient.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { startReceiver } from "../support/receiver.ts";

let server: Postgres;
/** Of all tests that need no nodes of their own. */
let one: Node;
let other: Node;
beforeAll(async () => {
  server = await startPostgres();
  const url = await server.prepared("agree");
  one = await openNode({ url });
  other = await openNode({ url, like: one });
});
afterAll(async () => {
  await one.stop();
  await other.stop();
  await server.stop();
});

const START = { name: "start", arguments: { power: 1 } };
const passing = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

// A promise about time that a slow machine keeps, too: a node that has not heard of everything that was revoked within
// the second does not trust its memory.
test("a token that one node revokes is refused by the other a second later, and its streams end, without notifications", async () => {
  const url = await server.prepared("tokens");
  const one = await startNode({ url, notifications: false });
  const other = await startNode({ url, notifications: false, like: one });
  for (let round = 0; round < 3; round++) {
    const { id, token } = (await one.admin.post("/v3/tokens", { name: "reader", level: "readonly" })).body;
    const reader = other.as(token);
    expect((await reader.get("/v3/sites")).status).toBe(200);
    const stream = await listen(other.url, token);
    expect((await one.admin.delete(`/v3/tokens/${id}`)).status).toBe(200);
    await passing(1_000);
    expect((await reader.get("/v3/sites")).status).toBe(401);
    await stream.end;
  }
});

test("a code that one node made signs in at the other, once", async () => {
  const { code } = (await one.admin.post("/v3/sessions/codes", {})).body;
  const signIn = async (node: typeof one) => {
    const headers = { "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin" };
    return (await fetch(`${node.url}/v3/sessions`, { method: "POST", headers, body: JSON.stringify({ code }) })).status;
  };
  // At both at once: one of them gets it.
  expect((await Promise.all([signIn(other), signIn(one)])).toSorted()).toEqual([200, 401]);
  expect(await signIn(other)).toBe(401);
});

test("a level at one site that one node takes from a person is gone at the other, and the person's streams end there", async () => {
  const sites: string[] = [];
  for (const name of ["North", "South"]) sites.push((await one.admin.post("/v3/sites", { name })).body.site.id);
  const by = { mail: "anna@example.org", password: "four plain small words" };
  const access = { level: "readonly", site_ids: sites, site_levels: [{ site_id: sites[0], level: "owner" }] };
  const { account } = (await one.admin.post("/v3/accounts", { name: "Anna", ...by, ...access })).body;
  const headers = { "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin" };
  const signedIn = await fetch(`${other.url}/v3/sessions`, { method: "POST", headers, body: JSON.stringify(by) });
  const cookie = (signedIn.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
  const patch = async (url: string, who: Readonly<Record<string, string>>, body: object) =>
    (await fetch(url, { method: "PATCH", headers: { ...headers, ...who }, body: JSON.stringify(body) })).status;
  const rename = (site: string | undefined) =>
    patch(`${other.url}/v3/sites/${site}`, { Cookie: cookie }, { name: "Renamed" });
  expect([await rename(sites[0]), await rename(sites[1])]).toEqual([200, 403]);
  const stream = await listen(other.url, "", { cookie });
  const admin = { "X-Service-Auth-Token": NODE_ADMIN_TOKEN };
  expect(await patch(`${one.url}/v3/accounts/${account.id}`, admin, { site_levels: [] })).toBe(200);
  await expect.poll(() => rename(sites[0]), PATIENT).toBe(403);
  expect(await stream.end).toBe("ended");
});

test("a node that hears nothing of the others asks the records for every token", async () => {
  const url = await server.prepared("deaf");
  const one = await startNode({ url });
  const other = await startNode({ url, like: one });
  const { id, token } = (await one.admin.post("/v3/tokens", { name: "reader", level: "readonly" })).body;
  const reader = other.as(token);
  expect((await reader.get("/v3/sites")).status).toBe(200);
  // The table of notes is locked: no node can read it, and the cache is trusted no longer.
  const lock = await server.session("deaf");
  onTestFinished(() => lock.end());
  await lock.query("BEGIN");
  await lock.query("LOCK TABLE node_note IN ACCESS EXCLUSIVE MODE");
  await passing(1_000);
  // Revoked without a note, as if the note were never read.
  const outside = await server.session("deaf");
  onTestFinished(() => outside.end());
  await outside.query("UPDATE token SET revoked_at = 1 WHERE id = $1", [id]);
  expect((await reader.get("/v3/sites")).status).toBe(401);
  await lock.query("COMMIT");
});

test("a new secret of a device ends its connection at another node", async () => {
  const site = await makeNodeSite(one.admin);
  const deviceId = await site.device("Pump");
  const device = await connectAt(await site.configOf(deviceId), other.mqttPort);
  const gone = new Promise<void>((resolve) => device.client.once("close", () => resolve()));
  const config = await site.configOf(deviceId);
  await gone;
  const again = await connectAt(config, other.mqttPort);
  await one.admin.post(`/v3/devices/${deviceId}/commands/execute`, START);
  expect(again.client.connected).toBe(true);
});

test("events of both nodes reach a listener at each in one order, and a listener goes on at the other node", async () => {
  const site = await makeNodeSite(one.admin);
  const deviceId = await site.device("Pump");
  await connectAt(await site.configOf(deviceId), one.mqttPort);
  const query = "?kind.in=execution";
  const listeners = [
    await listen(one.url, NODE_ADMIN_TOKEN, { query }),
    await listen(other.url, NODE_ADMIN_TOKEN, { query }),
  ];
  const ids = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const node = n % 2 === 0 ? one : other;
      return (await node.admin.post(`/v3/devices/${deviceId}/commands/execute`, START)).body.execution.id as string;
    }),
  );
  const textOf = ({ data }: SeenEvent) => `${data.execution?.id} ${data.execution?.state}`;
  const seen = await Promise.all(
    listeners.map(async (listener) => {
      for (const id of ids) await listener.next((event) => textOf(event) === `${id} SUCCESS`);
      return listener.seen.map(textOf);
    }),
  );
  expect(seen[0]).toEqual(seen[1]);
  expect(seen[0]).toHaveLength(60);
  const at = listeners[0]?.seen[29]?.id;
  const resumed = await listen(other.url, NODE_ADMIN_TOKEN, { query, lastEventId: at });
  await expect.poll(() => resumed.seen.length).toBe(30);
  expect(resumed.seen.map(textOf)).toEqual(seen[0]?.slice(30));
});

test("a webhook that one node made hears of each execution once, whichever node it happened at", async () => {
  const url = await server.prepared("webhooks");
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const flags = ["--webhooks-allow-private"];
  const one = await startNode({ url, flags });
  const other = await startNode({ url, flags, like: one });
  const site = await makeNodeSite(one.admin);
  const deviceId = await site.device("Pump");
  await connectAt(await site.configOf(deviceId), other.mqttPort);
  const made = await one.admin.post("/v3/webhooks", { url: `${receiver.url}/hook`, kinds: ["execution"] });
  expect(made.status).toBe(200);
  const deliveries = `/v3/webhooks/${made.body.webhook.id}/deliveries?state.in=DELIVERED&limit=0`;
  for (let n = 0; n < 6; n++) {
    await (n % 2 === 0 ? one : other).admin.post(`/v3/devices/${deviceId}/commands/execute`, START);
  }
  // NEW, IN_PROGRESS and SUCCESS of each.
  await expect.poll(async () => (await one.admin.get(deliveries)).body.total_count).toBe(18);
  await one.stop();
  await other.stop();
  expect(receiver.received).toHaveLength(18);
});

test("profiles that one node was given count at the other", async () => {
  const send = (at: string, body: Uint8Array) =>
    fetch(at, { method: "POST", body: Buffer.from(body), headers: { "X-Service-Auth-Token": NODE_ADMIN_TOKEN } });
  const bytes = packPackage(new Map([["shared/one.yml", Buffer.from("display_name: One")]]));
  expect((await send(`${one.url}/v3/blueprints/upload_device_profiles`, bytes)).status).toBe(200);
  const manifest = "blueprint_spec: device/3.0\ndisplay_name: B\nruntime: {type: embedded}\nimplements: shared.one\n";
  const validate = async () => {
    const answer = await send(`${other.url}/v3/blueprints/validate`, Buffer.from(manifest));
    return ((await answer.json()) as { diagnostics: readonly object[] }).diagnostics;
  };
  await expect.poll(validate).toEqual([]);
});

test("a configuration is sent to its device once, whichever node it was written at, and all nodes know who is connected", async () => {
  const site = await makeNodeSite(one.admin);
  const deviceId = await site.device("Pump");
  const config = await site.configOf(deviceId);
  const statusAt = async (node: typeof one) =>
    (await node.admin.get(`/v3/devices/${deviceId}?expand=connectivity`)).body.device.connectivity?.status;
  const device = await connectAt(config, one.mqttPort);
  for (const node of [one, other]) await expect.poll(() => statusAt(node)).toBe("ONLINE");

  // What it gets because it came is no answer to a write.
  await expect.poll(() => device.configurations.length).toBeGreaterThan(0);
  const before = device.configurations.length;
  const written: unknown[] = [];
  for (const [n, node] of [one, other, one, other].entries()) {
    const path = `/v3/devices/${deviceId}/configuration`;
    const answer = await node.admin.put(path, { network: { host: `host-${n}` }, factory: { trim: n / 10 } });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    await expect
      .poll(() => device.configurations.slice(before))
      .toContainEqual(expect.objectContaining({ factory: { trim: n / 10 } }));
    written.push(n / 10);
  }
  // Events come in their order, so those of the first writes have been heard.
  const sent = device.configurations.slice(before) as { readonly factory?: { readonly trim?: unknown } }[];
  expect(sent.map(({ factory }) => factory?.trim)).toEqual(written);

  await device.close();
  for (const node of [one, other]) await expect.poll(() => statusAt(node)).toBe("OFFLINE");
  const moved = await connectAt(config, other.mqttPort);
  for (const node of [one, other]) await expect.poll(() => statusAt(node)).toBe("ONLINE");
  await moved.close();
  for (const node of [one, other]) await expect.poll(() => statusAt(node)).toBe("OFFLINE");
});

test("whoever has been refused is in the audit log when the answer comes, also at another node", async () => {
  const refusals = async () => (await other.admin.get("/v3/audit?outcome.in=refused")).body.total_count as number;
  const before = await refusals();
  // Entries are also stored each second: in five rounds without a pause one would be late.
  for (let round = 0; round < 5; round++) {
    const { token } = (await one.admin.post("/v3/tokens", { name: `reader ${round}`, level: "readonly" })).body;
    const refused = await one.as(token).post("/v3/sites", { name: "Mine" });
    expect(refused.status).toBe(403);
    expect(await refusals()).toBe(before + round + 1);
  }
});
