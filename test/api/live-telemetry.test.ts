import { afterAll, beforeAll, expect, test } from "vitest";
import { manifest } from "../support/blueprints.ts";
import { connectFakeDevice, type FakeDevice } from "../support/fake-device.ts";
import { listen, type SeenEvent } from "../support/listen.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);
const BLUEPRINT = manifest("Live").replace(
  "telemetry:\n",
  "telemetry:\n  inner:\n    type: string\n    display_name: Inner\n    access_level: vendor\n",
);

let id: string;
let site: string;
let device: FakeDevice;

beforeAll(async () => {
  site = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Live" })).body.site.id;
  const upload = { bytes: BLUEPRINT };
  const made = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", upload);
  const body = { name: "Live", site_id: site, blueprint_id: made.body.blueprint.id };
  id = (await busbar.admin.post<{ device_id: string }>("/v3/provisioning/standalone", body)).body.device_id;
  const { body: config } = await busbar.admin.post<{ config: Parameters<typeof connectFakeDevice>[0] }>(
    `/v3/devices/${id}/generate_config`,
    { protocol: "MQTT" },
  );
  device = await connectFakeDevice(config.config, { listen: false });
});
afterAll(() => device.close());

const isTelemetry = ({ event }: SeenEvent) => event === "telemetry";

test("telemetry is sent live, as far as the caller may read it", async () => {
  const vendor = await listen(busbar.url, await busbar.token({ level: "vendor" }), { query: "?kind.in=telemetry" });
  const reader = await listen(busbar.url, await busbar.token({}), { query: `?device_id.in=${id}` });
  const at = Math.floor(Date.now() / 1000);
  await device.sendTelemetry({ timestamp: at, power: 1.5, inner: "x", alerts: ["a"] });
  const alerts = { value: ["a"], timestamp: at };
  expect((await vendor.next(isTelemetry)).data).toEqual({
    site_id: site,
    device_id: id,
    telemetry: { power: { value: 1.5, timestamp: at }, inner: { value: "x", timestamp: at }, alerts },
  });
  const seen = await reader.next(isTelemetry);
  expect(seen.data["telemetry"]).toEqual({ power: { value: 1.5, timestamp: at }, alerts });
  expect(seen.id).toBeUndefined();
});

test("a device may be chosen by its slug", async () => {
  const { body } = await busbar.admin.get<{ device: { slug: string } }>(`/v3/devices/${id}`);
  const query = `?kind.in=telemetry&device_id.in=nobody,${body.device.slug}`;
  const listener = await listen(busbar.url, await busbar.token({}), { query });
  await device.sendTelemetry({ timestamp: Math.floor(Date.now() / 1000), power: 2.5 });
  expect((await listener.next(isTelemetry)).data["device_id"]).toBe(id);
});

test("of a burst each attribute is sent with its last value, in far fewer events", async () => {
  const listener = await listen(busbar.url, busbar.adminToken, { query: "?kind.in=telemetry" });
  const at = Date.now() / 1000;
  for (let power = 1; power <= 200; power++) await device.sendTelemetry({ timestamp: at + power / 1000, power });
  const isLast = (event: SeenEvent) =>
    (event.data["telemetry"] as { power?: { value: number } } | undefined)?.power?.value === 200;
  await listener.next(isLast);
  expect(listener.seen.length).toBeLessThan(100);
});

test("a value that comes late is not sent", async () => {
  const listener = await listen(busbar.url, busbar.adminToken, { query: "?kind.in=telemetry" });
  const at = Math.floor(Date.now() / 1000) + 5;
  await device.sendTelemetry({ timestamp: at, power: 7 });
  await device.sendTelemetry({ timestamp: at - 3, power: 6, inner: "late but new" });
  const values: unknown[] = [];
  while (!values.includes("late but new")) {
    const { telemetry } = (await listener.next(isTelemetry)).data as { telemetry: Record<string, { value: unknown }> };
    values.push(...Object.values(telemetry).map(({ value }) => value));
  }
  expect(values).toContain(7);
  expect(values).not.toContain(6);
});

test("whoever resumes gets the events it missed, and no telemetry", async () => {
  const first = await listen(busbar.url, busbar.adminToken, { query: "?kind.in=log,telemetry" });
  await device.log("first");
  const { id: lastEventId } = await first.next(({ event }) => event === "log");
  first.close();
  await first.end;
  const at = Date.now() / 1000 + 60;
  await device.sendTelemetry({ timestamp: at, power: 9 });
  await device.log("second");
  const again = await listen(busbar.url, busbar.adminToken, { query: "?kind.in=log,telemetry", lastEventId });
  expect((await again.next(() => true)).data.log?.message).toBe("second");
  await device.sendTelemetry({ timestamp: at + 1, power: 10 });
  const { data } = await again.next(isTelemetry);
  expect(data["telemetry"]).toMatchObject({ power: { value: 10 } });
});
