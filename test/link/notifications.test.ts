// Channels and routes that are made in the cloud: they are the gateway's, and no secret stays in between.
import { createECDH, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { NotificationChannel, Push } from "#client/resources.ts";
import { eventually, useLinkedPair } from "../support/linked-pair.ts";

const pair = useLinkedPair();
const { cloud, gateway } = pair;
const TOKEN = "tk_verysecret";
const SUBSCRIPTION = {
  endpoint: "https://push.invalid/verysecretplace",
  p256dh: createECDH("prime256v1").generateKeys().toString("base64url"),
  auth: randomBytes(16).toString("base64url"),
};

test("a phone that subscribes through the cloud has the gateway's key, is the gateway's, and no secret stays in between", async () => {
  const base = `/v3/sites/${pair.site.siteId}/notifications/push`;
  const read = async (one: typeof cloud) => (await one.admin.get<Push>(base)).body;
  await eventually(async () => expect((await cloud.admin.get(base)).status).toBe(200));
  expect((await read(cloud)).public_key).toBe((await read(gateway)).public_key);
  const body = { name: "Phone", ...SUBSCRIPTION };
  const made = await cloud.admin.post<Push & { device_id: string }>(`${base}/devices`, body);
  expect([made.status, made.body.devices.map(({ name }) => name)]).toEqual([200, ["Phone"]]);
  // The same person is seen through the cloud.
  expect((await read(cloud)).devices).toMatchObject([{ name: "Phone", service: "push.invalid" }]);
  const changes = await cloud.admin.get("/v3/changes?limit=1000");
  expect(changes.text).toContain("subscribePush");
  for (const word of Object.values(SUBSCRIPTION))
    for (const text of [changes.text, made.text]) expect(text).not.toContain(word);
  expect((await cloud.admin.post(`${base}/devices/${made.body.device_id}/end`, undefined)).status).toBe(200);
  expect((await read(cloud)).devices).toEqual([]);
});

test("a channel of the cloud is the gateway's, and the cloud keeps nothing of its secret", async () => {
  const base = `/v3/sites/${pair.site.siteId}/notifications`;
  await eventually(async () => expect((await cloud.admin.get(`${base}/channels`)).status).toBe(200));
  const phone = { name: "Phone", ntfy: { server: "https://ntfy.example", topic: "t", token: TOKEN } };
  const made = await cloud.admin.post<{ channel: NotificationChannel }>(`${base}/channels`, phone);
  expect(made.body.channel).toMatchObject({ name: "Phone", has_secret: true });
  const { id } = made.body.channel;
  const webhook = { url: "https://receiver.invalid/" };
  const secret = "what-the-receiver-knows";
  const hook = { name: "Hook", webhook: { ...webhook, secret } };
  expect((await cloud.admin.post(`${base}/channels`, { ...hook, webhook })).status).toBe(400);
  const hooked = await cloud.admin.post<{ secret: string | null }>(`${base}/channels`, hook);
  expect(hooked.body.secret).toBeNull();
  expect(hooked.text).not.toContain(secret);
  const route = { name: "All", steps: [{ channels: [id] }] };
  expect((await cloud.admin.post(`${base}/routes`, route)).status).toBe(200);
  for (const { admin } of [gateway, cloud]) {
    const { text, body } = await admin.get<{ channels: readonly object[] }>(`${base}/channels`);
    expect(body.channels).toHaveLength(3);
    const audit = await admin.get("/v3/audit?limit=1000");
    for (const one of [text, audit.text]) {
      expect(one).not.toContain(TOKEN);
      expect(one).not.toContain(secret);
    }
    expect((await admin.get<{ routes: readonly object[] }>(`${base}/routes`)).body.routes).toHaveLength(1);
  }
  const changes = await cloud.admin.get("/v3/changes?limit=1000");
  expect(changes.text).toContain("createNotificationChannel");
  for (const word of [TOKEN, secret]) expect(changes.text).not.toContain(word);
  await cloud.withRecords(async (records) => {
    const stored = JSON.stringify(await records.changes.list({ scope: "all" } as never, { limit: 100, offset: 0 }));
    for (const word of [TOKEN, secret, ...Object.values(SUBSCRIPTION)]) expect(stored).not.toContain(word);
  });
});
