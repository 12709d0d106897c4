import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type { Page } from "#client/page.ts";
import { manifest } from "../support/blueprints.ts";
import { connectFakeDevice, type FakeDevice } from "../support/fake-device.ts";
import { PATIENT } from "../support/patient.ts";
import { type Received, type Receiver, startReceiver } from "../support/receiver.ts";
import { type Session, useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0", "--webhooks-allow-private"]);

interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly kinds: readonly string[];
  readonly site_ids: readonly string[] | null;
}
interface Created {
  readonly webhook: Webhook;
  readonly secret: string;
}
interface Delivery {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly status?: number;
  readonly error?: string;
}

let receiver: Receiver;
let site: string;
let otherSite: string;
let blueprint: string;
const devices: FakeDevice[] = [];

beforeAll(async () => {
  receiver = await startReceiver();
  const newSite = async (name: string) =>
    (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name })).body.site.id;
  [site, otherSite] = [await newSite("Hooked"), await newSite("Elsewhere")];
  const bytes = manifest("Hooked").replace(
    "telemetry:\n",
    "telemetry:\n  vendor_alerts:\n    type: alerts\n    display_name: Inside\n    access_level: vendor\n",
  );
  const made = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes });
  blueprint = made.body.blueprint.id;
});
afterEach(() => {
  receiver.answer = (response) => void response.end();
});
afterAll(async () => {
  for (const device of devices) await device.close();
  await receiver.stop();
});

async function newDevice(siteId = site): Promise<{ readonly id: string; readonly mqtt: FakeDevice }> {
  const body = { name: "Hooked", site_id: siteId, blueprint_id: blueprint };
  const id = (await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", body)).body.device_id;
  const path = `/v3/devices/${id}/generate_config`;
  const { body: made } = await busbar.admin.post<{ config: Parameters<typeof connectFakeDevice>[0] }>(path, {
    protocol: "MQTT",
  });
  const mqtt = await connectFakeDevice(made.config, { listen: false });
  devices.push(mqtt);
  return { id, mqtt };
}

/** Each has a path of its own, so that tests do not hear each other. */
let paths = 0;
async function hook(fields: object = {}, session: Session = busbar.admin) {
  const path = `/hook-${++paths}`;
  const { body } = await session.post<Created>("/v3/webhooks", { url: receiver.url + path, ...fields });
  const isMine = (request: Received) => request.path === path;
  return {
    ...body,
    next: () => receiver.next(isMine),
    received: () => receiver.received.filter(isMine),
    deliveries: async (query = "") =>
      (await busbar.admin.get<Page<"deliveries", Delivery>>(`/v3/webhooks/${body.webhook.id}/deliveries${query}`)).body
        .deliveries,
    remove: () => busbar.admin.delete(`/v3/webhooks/${body.webhook.id}`),
  };
}

/** Asks again until the answer fits. */
async function eventually<Result>(ask: () => Promise<Result>, fits: (result: Result) => boolean): Promise<Result> {
  const found = async () => {
    const result = await ask();
    return fits(result) && { result };
  };
  return (await vi.waitUntil(found, PATIENT)).result;
}

test("an alert is sent to the webhook, signed with its secret", async () => {
  const { secret, webhook, next, deliveries, remove } = await hook({ site_ids: [site] });
  const { id, mqtt } = await newDevice();
  const at = Math.floor(Date.now() / 1000) - 5;
  await mqtt.sendTelemetry({ timestamp: at, alerts: ["broken"] });
  const { text, body, headers } = await next();
  const [{ state, attempts, status, id: deliveryId } = { id: "" }] = await eventually(
    () => deliveries(),
    ([one]) => one?.state === "DELIVERED",
  );
  expect([state, attempts, status]).toEqual(["DELIVERED", 1, 200]);
  expect(body).toMatchObject({
    id: deliveryId,
    kind: "alert",
    occurred_at: new Date(at * 1000).toISOString(),
    site_id: site,
    device_id: id,
    change: "raised",
    alert: { id: "broken", severity: "error", state: "HARD", declared: false },
  });
  expect(headers["x-busbar-delivery"]).toBe(deliveryId);
  const [, t = "", v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers["x-busbar-signature"])) ?? [];
  expect(createHmac("sha256", secret).update(`${t}.${text}`).digest("hex")).toBe(v1);
  expect(Number(t)).toBeGreaterThan(at);
  expect(Number(t)).toBeLessThanOrEqual(Date.now() / 1000 + 1);
  await mqtt.sendTelemetry({ alerts: [] });
  expect((await next()).body).toMatchObject({ change: "cleared", alert: { id: "broken" } });
  expect(webhook).toEqual({
    id: webhook.id,
    url: webhook.url,
    kinds: ["alert"],
    site_ids: [site],
    created_at: expect.stringMatching(/Z$/),
  });
  await remove();
});

test("other sites, other kinds and what takes a higher level are not sent", async () => {
  const owner = busbar.as(await busbar.token({ level: "owner", site_ids: [site] }));
  const mine = await hook({}, owner);
  expect(mine.webhook.site_ids).toEqual([site]);
  const all = await hook();
  const [here, there] = [await newDevice(site), await newDevice(otherSite)];
  await here.mqtt.sendTelemetry({ vendor_alerts: ["secret"] });
  await there.mqtt.sendTelemetry({ alerts: ["elsewhere"] });
  await here.mqtt.sendTelemetry({ alerts: ["visible"] });
  const ids = async (from: typeof mine, count: number) => {
    const ids: unknown[] = [];
    while (ids.length < count) ids.push(((await from.next()).body["alert"] as { id: string }).id);
    return ids;
  };
  expect(await ids(all, 3)).toEqual(["secret", "elsewhere", "visible"]);
  expect(await ids(mine, 1)).toEqual(["visible"]);
  expect((await mine.deliveries()).length).toBe(1);
  await mine.remove();
  await all.remove();
});

test("connectivity and executions are sent to those who asked for them", async () => {
  const { next, remove } = await hook({ kinds: ["connectivity", "execution"], site_ids: [site] });
  const { id, mqtt } = await newDevice();
  expect((await next()).body).toMatchObject({
    kind: "connectivity",
    device_id: id,
    connectivity: { status: "ONLINE" },
  });
  await mqtt.sendTelemetry({ alerts: ["broken"] });
  await busbar.admin.post(`/v3/devices/${id}/commands/executions`, { name: "start" });
  expect((await next()).body).toMatchObject({ kind: "execution", execution: { request: { name: "start" } } });
  await remove();
});

test("a failed delivery waits for its next attempt, and is delivered again on demand", async () => {
  const { webhook, next, received, deliveries, remove } = await hook({ site_ids: [site] });
  const { mqtt } = await newDevice();
  receiver.answer = (response) => void response.writeHead(503).end();
  await mqtt.sendTelemetry({ alerts: ["broken"] });
  const first = await next();
  const [failed] = await eventually(
    () => deliveries("?state.in=PENDING"),
    ([one]) => one?.attempts === 1,
  );
  expect(failed).toMatchObject({ state: "PENDING", status: 503, error: "answered 503" });
  receiver.answer = (response) => void response.end();
  const path = `/v3/webhooks/${webhook.id}/deliveries/${failed?.id}/retry`;
  const { body } = await busbar.admin.post<{ delivery: Delivery }>(path, undefined);
  expect(body.delivery).toMatchObject({ id: failed?.id, state: "PENDING", attempts: 1 });
  const second = await next();
  expect([second.text, second.headers["x-busbar-delivery"]]).toEqual([first.text, first.headers["x-busbar-delivery"]]);
  const [delivered] = await eventually(
    () => deliveries("?state.in=delivered"),
    (list) => list.length === 1,
  );
  expect(delivered).toMatchObject({ attempts: 2, status: 200 });
  expect(delivered?.error).toBeUndefined();
  expect(received()).toHaveLength(2);
  expect((await busbar.admin.post(`/v3/webhooks/${webhook.id}/deliveries/none/retry`, undefined)).status).toBe(404);
  await remove();
});

test("what was queued before a restart is delivered after it, and dead letters are kept", async () => {
  const { webhook, next, deliveries, remove } = await hook({ site_ids: [site] });
  const { mqtt } = await newDevice();
  receiver.answer = (response) => void response.writeHead(500).end();
  await mqtt.sendTelemetry({ alerts: ["first"] });
  await next();
  await mqtt.sendTelemetry({ alerts: ["first", "second"] });
  await next();
  const [second, first] = await eventually(deliveries, (list) => list.every(({ attempts }) => attempts === 1));
  await mqtt.close();
  receiver.answer = (response) => void response.end();
  await busbar.withRecords(async ({ webhooks }) => {
    const ended = { nextAttemptAt: undefined, status: 500, error: "answered 500" };
    const at = (await webhooks.all())[0]?.createdAt;
    await webhooks.settle(first?.id ?? "", { ...ended, state: "DEAD", attempts: 30, finishedAt: at });
    await webhooks.retry(
      { webhookId: webhook.id, deliveryId: second?.id ?? "", now: at ?? (0 as never) },
      { ...trail(), id: "retried by the test" },
    );
  });
  expect((await next()).body).toMatchObject({ id: second?.id, alert: { id: "second" } });
  expect(await deliveries("?state.in=dead")).toMatchObject([{ id: first?.id, attempts: 30, error: "answered 500" }]);
  await busbar.admin.post(`/v3/webhooks/${webhook.id}/deliveries/${first?.id}/retry`, undefined);
  expect((await next()).body).toMatchObject({ id: first?.id, alert: { id: "first" } });
  await remove();
});

function trail() {
  const rest = { actor: undefined, action: "test", target: {}, outcome: "OK", code: undefined } as const;
  const now = 0 as never;
  return { ...rest, id: "", at: now, lastAt: now, count: 1, requestId: "", remoteAddress: "", details: {} };
}

test("webhooks are listed to those who could have made them, without the secret", async () => {
  const owner = busbar.as(await busbar.token({ level: "owner", site_ids: [site] }));
  const stranger = busbar.as(await busbar.token({ level: "owner", site_ids: [otherSite] }));
  const [mine, strong] = [await hook({}, owner), await hook({ site_ids: [site] })];
  const ids = async (session: Session) =>
    (await session.get<Page<"webhooks", Webhook>>("/v3/webhooks")).body.webhooks.map(({ id }) => id);
  expect(await ids(busbar.admin)).toEqual([mine.webhook.id, strong.webhook.id]);
  expect([await ids(owner), await ids(stranger)]).toEqual([[mine.webhook.id], []]);
  const { text } = await busbar.admin.get("/v3/webhooks");
  expect(text).not.toContain(mine.secret);
  for (const session of [owner, stranger]) {
    expect((await session.delete(`/v3/webhooks/${strong.webhook.id}`)).status).toBe(404);
    expect((await session.get(`/v3/webhooks/${strong.webhook.id}/deliveries`)).status).toBe(404);
  }
  expect((await owner.delete(`/v3/webhooks/${mine.webhook.id}`)).status).toBe(200);
  expect((await owner.delete(`/v3/webhooks/${mine.webhook.id}`)).status).toBe(404);
  await strong.remove();
});

test("changes are in the audit log, without secret, path or parameters of the address", async () => {
  const { webhook, secret, remove } = await hook({ site_ids: [site] });
  await remove();
  const { body, text } = await busbar.admin.get<Page<"entries", { action: string; target: object; details: object }>>(
    "/v3/audit?action.in=createWebhook,deleteWebhook&limit=2",
  );
  expect(body.entries).toMatchObject([
    { action: "deleteWebhook", target: { site_id: site }, details: { webhook_id: webhook.id, origin: receiver.url } },
    { action: "createWebhook", target: { site_id: site }, details: { webhook_id: webhook.id, kinds: ["alert"] } },
  ]);
  for (const canary of [secret, new URL(webhook.url).pathname]) expect(text).not.toContain(canary);
  expect(busbar.log).not.toContain(secret);
  expect(readFileSync(join(busbar.data, "records.db"), "latin1")).not.toContain(secret);
});

test.each<[string, object]>([
  ["no address", {}],
  ["no web address", { url: "ftp://example.com/" }],
  ["not an address at all", { url: "example" }],
  ["a name and password", { url: "https://me:secret@example.com/" }],
  ["a fragment", { url: "https://example.com/#here" }],
  ["an unknown kind", { url: "https://example.com/", kinds: ["weather"] }],
  ["no kind", { url: "https://example.com/", kinds: [] }],
  ["no site", { url: "https://example.com/", site_ids: [] }],
  ["an unknown field", { url: "https://example.com/", secret: "mine" }],
])("a webhook with %s is refused", async (_what, body) => {
  const { status, errors } = await busbar.admin.post("/v3/webhooks", body);
  expect([status, errors[0]?.code]).toEqual([400, "invalid_body"]);
});

test("a site that the caller does not see is unknown", async () => {
  const owner = busbar.as(await busbar.token({ level: "owner", site_ids: [site] }));
  const { status, errors } = await owner.post("/v3/webhooks", { url: "https://example.com/", site_ids: [otherSite] });
  expect([status, errors[0]?.details]).toEqual([404, { pointer: "/site_ids/0" }]);
});

test("a webhook can be tried: one signed delivery, and how it went", async () => {
  const { webhook, secret, next, deliveries } = await hook();
  const path = `/v3/webhooks/${webhook.id}/test`;
  expect((await busbar.admin.post(path, {})).body).toEqual({ accepted: true, status: 200, error: null });
  const { headers, text, body } = await next();
  expect(body).toMatchObject({ kind: "test", id: headers["x-busbar-delivery"] });
  const [, seconds] = /^t=(\d+),/.exec(String(headers["x-busbar-signature"])) ?? [];
  const v1 = createHmac("sha256", secret).update(`${seconds}.${text}`).digest("hex");
  expect(headers["x-busbar-signature"]).toBe(`t=${seconds},v1=${v1}`);
  receiver.answer = (response) => void response.writeHead(500).end();
  expect((await busbar.admin.post(path, {})).body).toEqual({ accepted: false, status: 500, error: "answered 500" });
  expect(await deliveries()).toEqual([]);
  const audit = await busbar.admin.get<Page<"entries", { details: object }>>("/v3/audit?action.in=testWebhook");
  expect(audit.body.entries.map(({ details }) => details)).toMatchObject([{ error: "answered 500" }, { error: null }]);
});
