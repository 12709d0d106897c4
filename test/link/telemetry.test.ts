// Telemetry of a gateway in its cloud, over a real WebSocket that can be cut.
import { afterAll, expect, test } from "vitest";
import { eventually, isLinked, useLinkedPair } from "../support/linked-pair.ts";
import { listen, type SeenEvent } from "../support/listen.ts";
import type { TestServer } from "../support/server.ts";
import { ask, type Connected, makeTelemetry, rowsOf, type TelemetryKit } from "../support/telemetry.ts";

const HOUR = 3_600;
const NOW = Math.floor(Date.now() / 1000);
/** Stored on the gateway before it joins. */
let kit: TelemetryKit;
let old: Connected;
const pair = useLinkedPair([], async (gateway, siteId) => {
  kit = await makeTelemetry(gateway, siteId);
  old = await kit.connect("old");
  await old.send('100 power=1.5 note=first; 5000 power=2; 90000 running=true; 200000 power=3 tags=["a"]');
  await old.send(`${NOW - 3} power=4 energy=7 status=busy`);
});
const { cloud, gateway } = pair;
const open: Connected[] = [];
afterAll(async () => {
  for (const { device } of [old, ...open]) await device.close();
});

async function connect(name: string): Promise<Connected> {
  const made = await kit.connect(name);
  open.push(made);
  return made;
}

const ATTRIBUTES = ["power", "energy", "running", "status", "note", "tags"];

/** Every stored point, as both endpoints of a side give it. */
async function everything({ admin }: TestServer, id: string): Promise<readonly unknown[]> {
  const telemetry = ATTRIBUTES.map((attribute) => ({ device: id, attribute, aggregation: "last" }));
  const rows = async (from: number, to: number, granularity: string) =>
    rowsOf(await ask(admin, { from, to, granularity, telemetry }));
  const query = ATTRIBUTES.map((attribute) => `devices[${id}]=${attribute}`).join("&");
  const { body } = await admin.get(`/telemetry/v1/now?${query}`);
  return [await rows(0, 4 * 24 * HOUR, "1s"), await rows(NOW - 5 * HOUR, NOW + HOUR, "1s"), body];
}

/** The cloud has what the gateway has. */
async function agree(id: string): Promise<readonly unknown[]> {
  return await eventually(async () => {
    const here = await everything(gateway, id);
    expect(await everything(cloud, id)).toEqual(here);
    return here;
  });
}

test("what was stored before joining is in the cloud", async () => {
  const [history] = await agree(old.id);
  expect(String(history)).toContain("200000,3,,,,");
  await eventually(async () => {
    const { body } = await gateway.admin.get<{ telemetry: object }>("/v3/uplink");
    expect(body.telemetry).toMatchObject({ messages: 0, hours: 0, history_before: null });
  });
});

test("a new value is in the cloud at once: now, in time series and as a live event", async () => {
  const { id, send } = await connect("live");
  const listener = await listen(cloud.url, cloud.adminToken, { query: "?kind.in=telemetry" });
  await eventually(async () => expect((await cloud.admin.get(`/v3/devices/${id}`)).status).toBe(200));
  await send(`${NOW} power=1.25 tags=["x","y"]`);
  const isTelemetry = ({ event, data }: SeenEvent) => event === "telemetry" && data["device_id"] === id;
  expect((await listener.next(isTelemetry)).data["telemetry"]).toEqual({
    power: { value: 1.25, timestamp: NOW },
    tags: { value: ["x", "y"], timestamp: NOW },
  });
  await agree(id);
});

test("points that come while the line is cut follow when it is back, late ones too", async () => {
  const { id, send } = await connect("cut");
  await send(`${NOW - 100} power=1; ${NOW - 99} power=2`);
  await agree(id);
  pair.line.cut();
  await isLinked(gateway, false);
  await send(`${NOW - 99} power=9; ${NOW - 98} power=3 note=x; ${NOW - 3 * HOUR} energy=5; 50 running=false`);
  pair.line.heal();
  const [history] = await agree(id);
  expect(String(history)).toBe("50,,,false,,,");
});

test("points of an hour that the cloud has in part are uploaded after a restart without the line", async () => {
  const { id, send } = await connect("restarted");
  await send(`${NOW - 100} power=1`);
  await agree(id);
  pair.line.cut();
  await isLinked(gateway, false);
  await send(`${NOW - 90} power=2; ${NOW - 2 * HOUR} power=3`);
  await gateway.restart();
  pair.line.heal();
  await agree(id);
});

test("history that is loaded is uploaded by whole hours, also while values come", async () => {
  const { id, send } = await connect("loaded");
  const rows = Array.from({ length: 20_000 }, (_, i) => `${i * 10},${i % 100},${(i % 7) / 10}`);
  const bytes = `ts,telemetry=energy,telemetry=power\n${rows.join("\n")}\n`;
  const loaded = await gateway.admin.call("POST", `/v3/devices/${id}/telemetry/import`, { bytes });
  expect(loaded.status, loaded.text).toBe(200);
  await send(`${NOW} power=1`);
  await agree(id);
});

test("points cannot be loaded into the cloud's copy", async () => {
  const bytes = "ts,telemetry=power\n0,1\n";
  const refused = await cloud.admin.call("POST", `/v3/devices/${old.id}/telemetry/import`, { bytes });
  expect([refused.status, refused.errors[0]?.code]).toEqual([409, "owned_by_gateway"]);
});
