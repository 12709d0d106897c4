// Alerts that a device stops repeating, and what devices say about their alerts: over MQTT, from a script, and as seen
// over HTTP, in live events, by webhooks and on the command line. Time passes by the timestamps of the messages.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Page } from "#client/page.ts";
import type { Alert, Device } from "#client/resources.ts";
import { manifest } from "../support/blueprints.ts";
import { connectFakeDevice, type FakeDevice } from "../support/fake-device.ts";
import { listen } from "../support/listen.ts";
import { newLuaDevice } from "../support/lua-device.ts";
import { PATIENT } from "../support/patient.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0", "--webhooks-allow-private"]);
const open: FakeDevice[] = [];
let site: string;
let receiver: Receiver;

beforeAll(async () => {
  const { body } = await busbar.admin.get<{ sites: { id: string }[] }>("/v3/sites");
  site = body.sites[0]?.id ?? "";
  receiver = await startReceiver();
});

afterAll(async () => {
  for (const device of open) await device.close();
  await receiver.stop();
});

async function newDevice(slug: string, more = ""): Promise<{ readonly id: string; readonly mqtt: FakeDevice }> {
  const { admin } = busbar;
  const bytes = manifest(slug, `alerts:\n  door: { severity: info, display_name: Door open }\n${more}`);
  const made = await admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes });
  const fields = { name: slug, slug, site_id: site, blueprint_id: made.body.blueprint.id };
  const { device_id: id } = (await admin.post<{ device_id: string }>("/v3/provisioning/standalone", fields)).body;
  const { body } = await admin.post<{ config: Parameters<typeof connectFakeDevice>[0] }>(
    `/v3/devices/${id}/generate_config`,
    { protocol: "MQTT" },
  );
  const mqtt = await connectFakeDevice(body.config, { listen: false });
  open.push(mqtt);
  return { id, mqtt };
}

const alertsOf = async (id: string, query = "") =>
  (await busbar.admin.get<Page<"alerts", Alert>>(`/v3/devices/${id}/alerts${query}`)).body.alerts;
const raisedNames = async (id: string) =>
  (await busbar.admin.get<{ device: Device }>(`/v3/devices/${id}?expand=raised_alert_names`)).body.device
    .raised_alert_names;
const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1000) - seconds;
const timeOf = (second: number) => new Date(second * 1000).toISOString();

test("an alert that is not repeated is UNCONFIRMED after 60 s of telemetry, and ends with a list without it", async () => {
  const { id, mqtt } = await newDevice("doubted");
  const { body: hook } = await busbar.admin.post<{ id: string }>("/v3/webhooks", { url: receiver.url });
  const events = await listen(busbar.url, busbar.adminToken, { query: `?kind.in=alert&device_id.in=${id}` });
  const start = secondsAgo(200);
  await mqtt.sendTelemetry({ timestamp: start, alerts: ["door"], alert_details: { door: "the north door" } });
  await mqtt.sendTelemetry({ timestamp: start + 59, power: 1 });
  expect(await alertsOf(id)).toMatchObject([{ id: "door", state: "HARD" }]);
  await mqtt.sendTelemetry({ timestamp: start + 60, power: 1 });
  const expected = { id: "door", state: "UNCONFIRMED", not_confirmed_since: timeOf(start), details: "the north door" };
  expect(await alertsOf(id)).toMatchObject([expected]);
  expect(await alertsOf(id, "?state.in=unconfirmed")).toHaveLength(1);
  expect(await alertsOf(id, "?state.in=soft,hard")).toEqual([]);
  expect(await raisedNames(id)).toEqual([]);
  const isChange = (change: string) => (event: { readonly data: Readonly<Record<string, unknown>> }) =>
    event.data["change"] === change;
  expect((await events.next(isChange("unconfirmed"))).data).toMatchObject({ at: timeOf(start + 60), alert: expected });
  const sent = await receiver.next(({ body }) => body["change"] === "unconfirmed");
  expect(sent.body).toMatchObject({ kind: "alert", alert: expected });
  const env = { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: busbar.adminToken };
  const { out } = await runBusbar("alerts doubted", { env });
  expect(out).toMatch(
    /^RAISED .* NOT CONFIRMED SINCE +DETAILS\n.* UNCONFIRMED +Door open +door +\S+Z +the north door$/m,
  );

  await mqtt.sendTelemetry({ timestamp: start + 70, alerts: ["door"] });
  expect(await alertsOf(id)).toMatchObject([{ id: "door", state: "HARD", raised_at: timeOf(start) }]);
  expect((await events.next(isChange("confirmed"))).data).toMatchObject({ alert: { id: "door", state: "HARD" } });
  expect(await raisedNames(id)).toEqual(["door"]);

  await mqtt.sendTelemetry({ timestamp: start + 140, power: 1 });
  await mqtt.sendTelemetry({ timestamp: start + 150, alerts: [] });
  expect(await alertsOf(id)).toEqual([]);
  expect(await alertsOf(id, "?active=false")).toMatchObject([
    { state: "UNCONFIRMED", not_confirmed_since: timeOf(start + 70), cleared_at: timeOf(start + 150) },
  ]);
  expect((await events.next(isChange("cleared"))).data).toMatchObject({ alert: { id: "door" } });
  await busbar.admin.delete(`/v3/webhooks/${hook.id}`);
});

test("a silent device keeps its alerts, and so does one that says it lists them on change", async () => {
  const silent = await newDevice("silent");
  await silent.mqtt.sendTelemetry({ timestamp: secondsAgo(900), alerts: ["door"], power: 1 });
  const onChange = await newDevice("on-change", ".busbar: {alerts: on_change}\n");
  await onChange.mqtt.sendTelemetry({ timestamp: secondsAgo(900), alerts: ["door"], power: 1 });
  await onChange.mqtt.sendTelemetry({ timestamp: secondsAgo(1), power: 2 });
  for (const { id } of [silent, onChange]) {
    expect(await alertsOf(id)).toMatchObject([{ id: "door", state: "HARD" }]);
    expect(await raisedNames(id)).toEqual(["door"]);
  }
});

test("details are kept with the alert, change without an event, and what is no detail is reported in the log", async () => {
  const { id, mqtt } = await newDevice("detailed");
  const details = async () => (await alertsOf(id)).map((alert) => [alert.id, alert.details]);
  await mqtt.sendTelemetry({ alerts: ["door"], alert_details: { door: { floor: 2, side: "north" }, other: "x" } });
  expect(await details()).toEqual([["door", { floor: 2, side: "north" }]]);
  await mqtt.sendTelemetry({ alert_details: { door: "closing" } });
  await mqtt.sendTelemetry({ alerts: ["door"] });
  expect(await details()).toEqual([["door", "closing"]]);
  await mqtt.sendTelemetry({ power: 3, alert_details: 5 });
  await mqtt.sendTelemetry({ alert_details: { door: null } });
  expect(await details()).toEqual([["door", undefined]]);
  const { body } = await busbar.admin.get<Page<"logs", { message: string }>>(`/v3/devices/${id}/logs`);
  expect(body.logs.map(({ message }) => message)).toEqual([
    'telemetry "alert_details" must be an object with a text or an object per alert id',
  ]);
});

test("a script's alerts and details are treated the same, and known ids have a name", async () => {
  const device = await newLuaDevice(
    busbar,
    `local start = os.time() - 100
     enapter.send_telemetry({
       timestamp = start,
       alerts = { "not_configured", "communication_failed" },
       alert_details = { communication_failed = { tries = 3 }, not_configured = "no address" },
     })
     enapter.send_telemetry({ timestamp = start + 1, alert_details = {} })
     enapter.register_command_handler("echo", function()
       enapter.send_telemetry({ timestamp = start + 61, count = 1 })
     end)`,
  );
  const shown = async () =>
    (await alertsOf(device.id, "?order=raised_at_asc")).map(
      ({ id, severity, state, display_name, details }) =>
        `${id} ${severity} ${state} ${display_name} ${JSON.stringify(details)}`,
    );
  await vi.waitFor(async () => {
    expect(await shown()).toEqual([
      'communication_failed error HARD Communication failed {"tries":3}',
      'not_configured warning HARD Not configured "no address"',
    ]);
  }, PATIENT);
  expect(await device.logs()).toEqual([]);
  await device.run("echo", { text: "", secret: "" });
  await vi.waitFor(async () => {
    expect((await alertsOf(device.id)).map(({ state }) => state)).toEqual(["UNCONFIRMED", "UNCONFIRMED"]);
  }, PATIENT);
});
