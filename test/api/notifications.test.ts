// From an alert of a real device to a mailbox and to HTTP receivers, and what becomes of the messages.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createClient } from "#client/create-client.ts";
import type { NotificationMessage } from "#client/resources.ts";
import { manifest } from "../support/blueprints.ts";
import { connectFakeDevice, type FakeDevice, type FakeDeviceConfig } from "../support/fake-device.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { PATIENT } from "../support/patient.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);
const BLUEPRINT = manifest(
  "Alerting",
  "alerts:\n  hot:\n    severity: error\n    display_name: Too hot\n  door:\n    severity: info\n    display_name: Door open\n",
);

let client: ReturnType<typeof createClient>;
let site: string;
let device: string;
let mqtt: FakeDevice;
let receiver: Receiver;
let mailServer: MailServer;
beforeAll(async () => {
  client = createClient({ url: busbar.url, token: busbar.adminToken });
  [receiver, mailServer] = await Promise.all([startReceiver(), startMailServer()]);
  site = (await client.sites.create({ name: "Plant" })).site.id;
  const { blueprint } = await client.blueprints.upload(Buffer.from(BLUEPRINT));
  device = (await client.provisioning.standalone({ name: "Heater", site_id: site, blueprint_id: blueprint.id }))
    .device_id;
  const asked = { protocol: "MQTT" };
  const answer = await busbar.admin.post<{ config: FakeDeviceConfig }>(`/v3/devices/${device}/generate_config`, asked);
  mqtt = await connectFakeDevice(answer.body.config, { listen: false });
});
afterAll(async () => {
  await mqtt.close();
  await receiver.stop();
  await mailServer.stop();
});

const raise = async (...alerts: readonly string[]) =>
  await mqtt.sendTelemetry({ alerts, timestamp: Date.now() / 1_000 });
const hook = async (name: string) => {
  const body = { name, webhook: { url: `${receiver.url}/${name}` }, allow_private: true };
  return (await client.notifications.createChannel(site, body)).channel.id;
};
const messages = async (): Promise<readonly NotificationMessage[]> =>
  (await client.notifications.messages(site)).messages;
const shown = (text: unknown) => text as { message: string; items: { alert_id: string }[] };
/** What came to a path, as `kind:alerts`. */
const told = (path: string) =>
  receiver.received
    .filter((one) => one.path === `/${path}`)
    .map(
      ({ body }) =>
        `${shown(body).message}:${shown(body)
          .items.map((item) => item.alert_id)
          .join("+")}`,
    );

test("an alert comes by mail and by webhook, once, and so does its end; what is not asked for does not come", async () => {
  const mail = {
    host: "127.0.0.1",
    port: mailServer.port,
    security: "none",
    from: "a@example.com",
    to: "b@example.com",
  } as const;
  const anna = (await client.notifications.createChannel(site, { name: "Anna", mail, allow_private: true })).channel.id;
  const all = await hook("all");
  const errors = { name: "Errors", severity: "error", group: "0s", steps: [{ channels: [anna] }] } as const;
  const { route } = await client.notifications.createRoute(site, errors);
  await client.notifications.createRoute(site, { name: "All", group: "0s", steps: [{ channels: [all] }] });
  const preview = await client.notifications.preview(site, { device_id: device, severity: "info" });
  expect(preview.tells.map(({ channel, route: by }) => [channel, by])).toEqual([["all", "All"]]);
  await raise("hot");
  await raise("hot", "door");
  await raise();
  await vi.waitFor(
    () =>
      expect(
        told("all")
          .filter((one) => one.startsWith("over"))
          .join(),
      ).toMatch(/hot.*door|door.*hot/),
    PATIENT,
  );
  await vi.waitFor(() => expect(mailServer.mails).toHaveLength(2), PATIENT);
  const [first, second] = mailServer.mails.map(({ headers }) => headers.get("subject"));
  expect(first).toContain("Error");
  expect(second).toContain("Over");
  const order = told("all").flatMap(
    (one) =>
      one
        .split(":")[1]
        ?.split("+")
        .map((alert) => `${one.split(":")[0]} ${alert}`) ?? [],
  );
  for (const alert of ["hot", "door"])
    expect(order.filter((one) => one.endsWith(alert))).toEqual([`raised ${alert}`, `over ${alert}`]);
  // A server has a mail before Busbar has its answer.
  await vi.waitFor(async () => {
    const sent = (await messages()).map(({ state, attempts }) => [state, attempts]);
    expect(sent).toEqual(sent.map(() => ["SENT", 1]));
  }, PATIENT);
  await expect(client.notifications.deleteChannel(site, anna)).rejects.toMatchObject({ code: "conflict" });
  await client.notifications.deleteRoute(site, route.id);
  await client.notifications.deleteChannel(site, anna);
});

test("a failure is shown and tried again; what is refused for good can be sent again by a person", async () => {
  const { routes } = await client.notifications.routes(site);
  for (const { id } of routes) await client.notifications.deleteRoute(site, id);
  const channel = await hook("broken");
  await client.notifications.createRoute(site, { name: "Broken", group: "0s", steps: [{ channels: [channel] }] });
  receiver.answer = (response) => void response.writeHead(503).end();
  await raise("hot");
  const find = async () => (await messages()).find(({ channel_id }) => channel_id === channel);
  await vi.waitFor(async () => expect((await find())?.attempts).toBe(1), PATIENT);
  await vi.waitFor(
    async () => expect(await find()).toMatchObject({ state: "WAITING", error: "answered 503" }),
    PATIENT,
  );
  expect((await find())?.history).toMatchObject([{ outcome: "refused", error: "answered 503" }]);
  expect((await find())?.next_attempt_at).not.toBeNull();
  await expect(client.notifications.retryMessage(site, (await find())?.id ?? "")).rejects.toMatchObject({
    code: "not_found",
  });
  receiver.answer = (response) => void response.end();
});

test("a maintenance window silences without hiding, and its end tells", async () => {
  const channel = await hook("window");
  const { routes } = await client.notifications.routes(site);
  for (const { id } of routes) await client.notifications.deleteRoute(site, id);
  await raise();
  await client.notifications.createRoute(site, { name: "W", group: "0s", steps: [{ channels: [channel] }] });
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const { window } = await client.alerts.silence(site, { device_id: device, until });
  await raise("door");
  const preview = await client.notifications.preview(site, { device_id: device, severity: "error" });
  expect(preview).toEqual({ silenced_until: window.until, tells: [] });
  expect(told("window")).toEqual([]);
  await client.alerts.endSilence(site, window.id);
  await vi.waitFor(() => expect(told("window")).toEqual(["raised:door"]), PATIENT);
});

test("messages are for those who could have made their channel, and so is sending them again", async () => {
  const { routes } = await client.notifications.routes(site);
  for (const { id } of routes) await client.notifications.deleteRoute(site, id);
  await raise();
  const ntfy = { server: receiver.url, topic: "vendor" };
  const { channel } = await client.notifications.createChannel(site, { name: "Vendor", ntfy, allow_private: true });
  const owner = await busbar.token({ name: "Owner", level: "owner", site_ids: [site] });
  const anna = createClient({ url: busbar.url, token: owner });
  receiver.answer = (response) => void response.destroy();
  const route = { name: "V", group: "0s", over: false, steps: [{ channels: [channel.id] }] };
  await client.notifications.createRoute(site, route);
  await raise("hot");
  const find = async () => (await messages()).find(({ channel_id }) => channel_id === channel.id);
  await vi.waitFor(async () => expect((await find())?.state).toBe("UNKNOWN"), PATIENT);
  receiver.answer = (response) => void response.end();
  expect((await anna.notifications.messages(site)).messages).toEqual([]);
  const { tells } = await anna.notifications.preview(site, { device_id: device, severity: "error" });
  expect(tells.map(({ channel: name }) => name)).toEqual([channel.id]);
  const id = (await find())?.id ?? "";
  await expect(anna.notifications.retryMessage(site, id)).rejects.toMatchObject({ code: "not_found" });
  await client.notifications.retryMessage(site, id);
  await vi.waitFor(async () => expect((await find())?.state).toBe("SENT"), PATIENT);
});

test("everything that is wrong with a route is told at once", async () => {
  const wrong = { name: "X", group: "2h", remind: "1s", steps: [{ after: "soon", channels: ["none"] }] };
  const answer = await busbar.admin.post<{ errors: { message: string }[] }>(
    `/v3/sites/${site}/notifications/routes`,
    wrong,
  );
  expect(answer.body.errors.map(({ message }) => message.split(" ")[0])).toEqual(["steps.0.after", "group", "remind"]);
  const gone = { name: "X", steps: [{ channels: ["none"] }] };
  await expect(client.notifications.createRoute(site, gone)).rejects.toMatchObject({ code: "not_found" });
});
