// Channels and routes that are made in the cloud: they are the gateway's, and no secret stays in between.
import { expect, test } from "vitest";
import type { NotificationChannel } from "#client/resources.ts";
import { eventually, useLinkedPair } from "../support/linked-pair.ts";

const pair = useLinkedPair();
const { cloud, gateway } = pair;
const TOKEN = "tk_verysecret";

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
    expect(body.channels).toHaveLength(2);
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
    for (const word of [TOKEN, secret]) expect(stored).not.toContain(word);
  });
});
