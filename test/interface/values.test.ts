// Values that devices send: what is kept, alerts, and when a device is online.
import { expect } from "vitest";
import type { Alert } from "#client/resources.ts";
import { check } from "../support/check.ts";
import { connectPacket, connectRaw } from "../support/raw-mqtt.ts";
import { useSite } from "../support/use-site.ts";
import { manifestWith } from "../support/validate.ts";

const site = useSite();
const { busbar } = site;

const ITEMS = `telemetry:
  power: {type: float, display_name: Power}
  energy: {type: integer, display_name: Energy}
  status: {type: string, display_name: Status, enum: [idle, busy]}
  bms: {type: alerts, display_name: Cells}
alerts:
  hot: {severity: warning, display_name: Hot, grace_period: 2m}
  door: {severity: info, display_name: Door}
`;
const DEVICE = manifestWith(ITEMS);

async function connected(manifest = DEVICE) {
  const device = await site.device(manifest);
  const mqtt = await device.connect();
  const alerts = async (query = "") =>
    (await busbar.admin.get<{ alerts: readonly Alert[] }>(`${device.path}/alerts${query}`)).body.alerts;
  /** `hot SOFT` for each alert. */
  const states = async (query = "") => (await alerts(query)).map(({ id, state }) => `${id} ${state}`).sort();
  const raised = async () => (await device.read("raised_alert_names"))["raised_alert_names"];
  return { ...device, mqtt, alerts, states, raised, send: (values: object) => mqtt.sendTelemetry(values) };
}

async function leftOut(): Promise<number> {
  const { text } = await busbar.anonymous.get("/metrics");
  return Number(/^busbar_telemetry_values_total{outcome="left_out"} (\d+)$/m.exec(text)?.[1]);
}

check("values.wrong-left-out", async () => {
  for (const [wrong, reason] of [
    ['"power": "high"', '"power" must be a number'],
    ['"status": "asleep"', '"status" must be one of idle, busy'],
    ['"power": NaN', '"power" must be a number'],
    ['"voltage": 5', '"voltage" is not declared'],
  ] as const) {
    const device = await connected();
    const before = await leftOut();
    await device.mqtt.publish("v1/telemetry", `{"timestamp": 60, "energy": 7, ${wrong}}`);
    expect(await device.now("energy")).toEqual({ energy: { value: 7, timestamp: 60 } });
    expect((await leftOut()) - before, wrong).toBe(1);
    expect(await device.logs()).toEqual([expect.stringContaining(reason)]);
  }
});

check("values.whole-float-is-integer", async () => {
  const device = await connected();
  await device.mqtt.publish("v1/telemetry", '{"timestamp": 60, "energy": 2.0}');
  await device.mqtt.publish("v1/telemetry", '{"timestamp": 61, "energy": 2.5}');
  expect(await device.now("energy")).toEqual({ energy: { value: 2, timestamp: 60 } });
});

check("values.clock-ahead", async () => {
  const device = await connected();
  const now = Math.floor(site.now() / 1000);
  await device.send({ timestamp: now + 24 * 3600 - 60, power: 1 });
  await device.send({ timestamp: now + 24 * 3600 + 60, power: 2 });
  expect(await device.now("power")).toMatchObject({ power: { value: 1 } });
  expect(await device.logs()).toEqual([expect.stringContaining("ahead")]);
});

check("values.alerts-everywhere", async () => {
  const device = await connected();
  await device.send({ alerts: ["door"], bms: ["cell_7"] });
  expect(await device.states()).toEqual(["cell_7 HARD", "door HARD"]);
});

check("values.alerts-empty", async () => {
  const device = await connected();
  await device.send({ alerts: ["door"] });
  await device.send({ alerts: null });
  await device.send({ power: 1 });
  expect(await device.states()).toEqual(["door HARD"]);
  await device.send({ alerts: [] });
  expect(await device.states()).toEqual([]);
});

check("values.alerts-undeclared", async () => {
  const device = await connected();
  await device.send({ alerts: ["unheard_of"] });
  expect(await device.alerts()).toMatchObject([{ severity: "error", display_name: "unheard_of" }]);
});

check("values.alerts-grace-period", async () => {
  const device = await connected();
  await device.send({ alerts: ["hot"] });
  expect(await device.states()).toEqual(["hot SOFT"]);
  site.advance(90_000);
  expect(await device.states()).toEqual(["hot SOFT"]);
  site.advance(30_000);
  await expect.poll(() => device.states()).toEqual(["hot HARD"]);
});

check("values.alerts-unconfirmed", async () => {
  const device = await connected();
  await device.send({ alerts: ["door"], power: 1 });
  site.advance(40_000);
  await device.send({ power: 2 });
  expect(await device.states()).toEqual(["door HARD"]);
  site.advance(20_000);
  await device.send({ power: 3 });
  await expect.poll(() => device.states()).toEqual(["door UNCONFIRMED"]);
});

check("values.unconfirmed-not-raised", async () => {
  const device = await connected();
  await device.send({ alerts: ["door"] });
  expect(await device.raised()).toEqual(["door"]);
  site.advance(61_000);
  await device.send({ power: 1 });
  await expect.poll(() => device.raised()).toEqual([]);
  const [alert] = await device.alerts();
  expect(alert).toMatchObject({ id: "door", state: "UNCONFIRMED", not_confirmed_since: expect.any(String) });
});

check("values.unconfirmed-end", async () => {
  const device = await connected();
  await device.send({ alerts: ["door"] });
  site.advance(61_000);
  await device.send({ power: 1 });
  await expect.poll(() => device.states()).toEqual(["door UNCONFIRMED"]);
  await device.send({ alerts: [] });
  expect(await device.states()).toEqual([]);
  expect(await device.states("?active=false")).toEqual(["door UNCONFIRMED"]);
});

check("values.alerts-on-change", async () => {
  const device = await connected(`${DEVICE}.busbar: {alerts: on_change}\n`);
  await device.send({ alerts: ["door"] });
  site.advance(3_600_000);
  await device.send({ power: 1 });
  site.advance(61_000);
  await device.send({ power: 2 });
  expect(await device.states()).toEqual(["door HARD"]);
});

check("values.alerts-while-silent", async () => {
  const device = await connected();
  await device.send({ alerts: ["door"] });
  site.advance(3_600_000);
  expect(await device.states()).toEqual(["door HARD"]);
});

check("values.alert-details", async () => {
  const device = await connected();
  await device.send({ alerts: ["door"], bms: ["cell"], alert_details: { door: "north side", cell: { number: 7 } } });
  const details = (await device.alerts()).map(({ id, details }) => [id, details]).sort();
  expect(details).toEqual([
    ["cell", { number: 7 }],
    ["door", "north side"],
  ]);
  expect(await device.logs()).toEqual([]);
});

check("values.alert-known-ids", async () => {
  const device = await connected();
  await device.send({ alerts: ["not_configured", "communication_failed"] });
  for (const { id, display_name } of await device.alerts()) expect(display_name, id).not.toBe(id);
  expect(await device.states()).toHaveLength(2);
});

const online = async ({ read }: Pick<Awaited<ReturnType<typeof connected>>, "read">) =>
  ((await read("connectivity"))["connectivity"] as { status: string }).status;

check("values.online-by-connection", async () => {
  const device = await connected();
  await device.send({ power: 1 });
  site.advance(3_600_000);
  // The chore that notices silent devices runs once a second.
  const later = await site.device(DEVICE);
  expect(await online(later)).toBe("UNKNOWN");
  const config = await later.config();
  const { username = "", password = "" } = config.mqtt_credentials;
  const raw = await connectRaw(config.mqtt_port, connectPacket({ username, password, keepalive: 1 }));
  await raw.seen("connack 0");
  await expect.poll(() => online(later)).toBe("ONLINE");
  // No ping and no packet: its keep-alive lapses, and that of the first device does not.
  await expect.poll(() => online(later)).toBe("OFFLINE");
  expect(await online(device)).toBe("ONLINE");
});
