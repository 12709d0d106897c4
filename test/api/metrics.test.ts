// Metrics of the whole installation, and what a wrong secret leaves behind.
import { connectAsync } from "mqtt";
import { expect, test } from "vitest";
import type { Page } from "#client/page.ts";
import type { AuditEntry } from "#client/resources.ts";
import { commandsOf, makeCommandSite } from "../support/command-site.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);

/** The value of a series; undefined when there is none. */
async function seriesValue(series: string): Promise<number | undefined> {
  const { text } = await busbar.anonymous.get("/metrics");
  const line = text.split("\n").find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

test("devices, connections, executions with their time, and alerts are counted", async () => {
  const site = await makeCommandSite(busbar, "Counted");
  const device = await site.device("Device");
  expect(await seriesValue('busbar_devices{status="unknown"}')).toBe(1);
  const [online = 0, open = 0] = [
    await seriesValue('busbar_devices{status="online"}'),
    await seriesValue("busbar_mqtt_connections"),
  ];
  const mqtt = await site.connect(device);
  await expect.poll(() => seriesValue('busbar_devices{status="online"}')).toBe(online + 1);
  expect(await seriesValue("busbar_mqtt_connections")).toBe(open + 1);
  mqtt.onCommand((command) => command.completed());
  await commandsOf(busbar.admin, device).execute({ name: "stop" });
  expect(await seriesValue('busbar_execution_seconds_count{state="SUCCESS"}')).toBe(1);
  expect(await seriesValue('busbar_execution_seconds_bucket{le="300",state="SUCCESS"}')).toBe(1);
  const alerts = async () => {
    const counts = ["info", "warning", "error"].map((severity) => seriesValue(`busbar_alerts{severity="${severity}"}`));
    return (await Promise.all(counts)).reduce((sum: number, count) => sum + (count ?? Number.NaN), 0);
  };
  expect(await alerts()).toBe(0);
  await mqtt.sendTelemetry({ alerts: ["hot"] });
  expect(await alerts()).toBe(1);
  mqtt.drop();
  await expect.poll(() => seriesValue('busbar_devices{status="offline"}')).toBe(1);
  expect(await seriesValue("busbar_link_connected")).toBeUndefined();
});

test("deliveries to webhooks that wait are counted", async () => {
  const site = await makeCommandSite(busbar, "Waiting");
  const device = await site.device("Device");
  // Not a public address: each attempt fails, and the delivery waits for the next one.
  await busbar.admin.post("/v3/webhooks", {
    url: "https://busbar.invalid/",
    kinds: ["execution"],
    site_ids: [site.siteId],
  });
  await commandsOf(busbar.admin, device).started({ name: "stop" });
  await expect.poll(() => seriesValue("busbar_webhook_deliveries_waiting")).toBeGreaterThanOrEqual(1);
});

test("messages to people are counted by kind of channel: sent, failed, waiting, and how long the oldest waits", async () => {
  const { body } = await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Told" });
  const base = `/v3/sites/${body.site.id}`;
  const series = (name: string) => seriesValue(`busbar_notifications_${name}{kind="ntfy"}`);
  expect(await Promise.all(["sent_total", "failed_total", "waiting", "oldest_seconds"].map(series))).toEqual([
    0, 0, 0, 0,
  ]);
  // Not a public address: each attempt fails, and the message waits for the next one.
  const ntfy = { server: "https://busbar.invalid", topic: "t" };
  const made = await busbar.admin.post<{ channel: { id: string } }>(`${base}/notifications/channels`, {
    name: "N",
    ntfy,
  });
  const route = { name: "R", group: "0s", steps: [{ channels: [made.body.channel.id] }] };
  await busbar.admin.post(`${base}/notifications/routes`, route);
  const script = { code: btoa('notify("Now")'), runtime_version: "V3" };
  await busbar.admin.post(`${base}/rule_engine/rules`, { slug: "hello", script });
  await expect.poll(() => series("waiting")).toBe(1);
  await expect.poll(() => series("oldest_seconds")).toBeGreaterThan(0);
});

test("a wrong secret is in the device's log, in the audit log and in the metrics", async () => {
  const site = await makeCommandSite(busbar, "Wrong");
  const device = await site.device("Device");
  const { mqtt_port: port, hardware_id: username } = await site.configOf(device);
  const refused = (await seriesValue('busbar_mqtt_sign_ins_total{outcome="refused"}')) ?? 0;
  const options = { username, password: "wrong", reconnectPeriod: 0 };
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await expect(connectAsync(`mqtt://127.0.0.1:${port}`, options)).rejects.toThrow();
  }
  expect(await seriesValue('busbar_mqtt_sign_ins_total{outcome="refused"}')).toBe(refused + 3);
  const messages = async () => {
    const { body } = await busbar.admin.get<{ logs: readonly { message: string }[] }>(`/v3/devices/${device}/logs`);
    return body.logs.map(({ message }) => message);
  };
  await expect.poll(messages).toEqual(["sign-in over MQTT refused: wrong secret, from 127.0.0.1"]);
  const entry = async () => {
    const { body } = await busbar.admin.get<Page<"entries", AuditEntry>>("/v3/audit?action.in=signInDevice&limit=1");
    return body.entries[0];
  };
  await expect.poll(entry).toMatchObject({
    action: "signInDevice",
    outcome: "REFUSED",
    remote_address: "127.0.0.1",
    count: 3,
  });
});
