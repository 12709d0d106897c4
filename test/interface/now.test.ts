// Current values of telemetry.
import { expect } from "vitest";
import { check } from "../support/check.ts";
import { listen } from "../support/listen.ts";
import type { Session } from "../support/server.ts";
import { useSite } from "../support/use-site.ts";

const site = useSite();
const { busbar } = site;

const METER = `blueprint_spec: device/3.0
display_name: Meter
runtime: {type: embedded}
telemetry:
  power: {type: float, display_name: Power, aliases: [watts]}
  energy: {type: integer, display_name: Energy}
  running: {type: boolean, display_name: Running}
  status: {type: string, display_name: Status, enum: [idle, busy]}
  tags: {type: array_of_strings, display_name: Tags}
  faults: {type: alerts, display_name: Faults}
  secret: {type: float, display_name: Secret, access_level: vendor}
`;

interface Now {
  readonly devices: Readonly<Record<string, Readonly<Record<string, { value: unknown; timestamp: number }>>>>;
  readonly errors: readonly { code: string; message: string; details: object }[];
}
const now = (query: string, session: Session = busbar.admin) => session.get<Now>(`/telemetry/v1/now?${query}`);

/** A device that has sent these messages. */
async function sent(...messages: readonly object[]) {
  const device = await site.device(METER);
  const mqtt = await device.connect();
  for (const message of messages) await mqtt.sendTelemetry(message);
  return { ...device, mqtt };
}

check("now.value", async () => {
  const given = { power: 1.5, energy: 7, running: true, status: "idle", tags: ["a", "b"] };
  const { now: read } = await sent(given);
  const values = Object.entries(await read(Object.keys(given).join())).map(([name, { value }]) => [name, value]);
  expect(Object.fromEntries(values)).toEqual(given);
});

check("now.timestamp", async () => {
  const { now: read } = await sent({ timestamp: 1_700_000_000, power: 1 });
  expect((await read("power"))["power"]?.timestamp).toBe(1_700_000_000);
});

check("now.keyed-by-attribute", async () => {
  const { id } = await sent({ timestamp: 5, power: 1, energy: 2 });
  const { body } = await now(`devices[${id}]=power,energy`);
  expect(body.devices).toEqual({ [id]: { power: { value: 1, timestamp: 5 }, energy: { value: 2, timestamp: 5 } } });
});

check("now.served", async () => {
  const { id } = await sent({ timestamp: 5, power: 1 });
  const [plain, below] = [
    await busbar.admin.get(`/telemetry/v1/now?devices[${id}]=power`),
    await busbar.admin.get(`/api/telemetry/v1/now?devices[${id}]=power`),
  ];
  expect([plain.status, below.status]).toEqual([200, 200]);
  expect(below.body).toEqual(plain.body);
});

check("now.latest", async () => {
  const { now: read } = await sent(
    { timestamp: 10, power: 1, energy: 3 },
    { timestamp: 20, power: 2 },
    { timestamp: 15, power: 9 },
  );
  expect(await read("power,energy")).toEqual({
    power: { value: 2, timestamp: 20 },
    energy: { value: 3, timestamp: 10 },
  });
});

check("now.devices", async () => {
  const [a, b] = [await sent({ timestamp: 1, power: 1, energy: 4 }), await sent({ timestamp: 2, power: 2 })];
  const { body } = await now(`devices[${a.id}]=power,energy&devices[${b.id}]=power`);
  expect(Object.keys(body.devices[a.id] ?? {})).toEqual(["power", "energy"]);
  expect(body.devices[b.id]).toEqual({ power: { value: 2, timestamp: 2 } });
  expect((await busbar.admin.get("/telemetry/v1/now")).status).toBe(400);
});

check("now.answer", async () => {
  const { id } = await sent({ timestamp: 1, power: 1 });
  const { status, body } = await now(`devices[${id}]=power,energy`);
  expect([status, Object.keys(body).sort()]).toEqual([200, ["devices", "errors"]]);
  expect(body.devices).toEqual({ [id]: { power: { value: 1, timestamp: 1 } } });
  expect(body.errors).toHaveLength(1);
});

check("current.lists-are-arrays", async () => {
  const events = await listen(busbar.url, busbar.adminToken, { query: "?kind.in=telemetry" });
  const device = await sent({ tags: ["a", "b"], faults: ["hot"], alerts: [] });
  const values = Object.values(await device.now("tags,faults,alerts")).map(({ value }) => value);
  expect(values).toEqual([["a", "b"], ["hot"], []]);
  const { data } = await events.next(({ data }) => data.device_id === device.id);
  expect(JSON.stringify(data)).toContain('["a","b"]');
});

check("current.timestamp-fraction", async () => {
  const { now: read } = await sent({ timestamp: 1000.25, power: 1 }, { timestamp: 1000, energy: 1 }, { running: true });
  const { power, energy, running } = await read("power,energy,running");
  expect([power?.timestamp, energy?.timestamp]).toEqual([1000.25, 1000]);
  expect(Number.isInteger(running?.timestamp)).toBe(true);
});

check("current.aliases", async () => {
  const { now: read } = await sent({ timestamp: 1, power: 2.5 });
  const same = { value: 2.5, timestamp: 1 };
  expect(await read("watts,power")).toEqual({ watts: same, power: same });
});

check("current.error-items", async () => {
  const { id } = await sent();
  const { body } = await now(`devices[${id}]=power`);
  expect(body.errors).toEqual([
    { code: "no_data", message: expect.any(String), details: { device: id, attribute: "power" } },
  ]);
});

check("current.error-codes", async () => {
  const { id } = await sent({ secret: 1 });
  const user = await site.user("user");
  const { body } = await now(`devices[${id}]=nothing,power,secret&devices[nobody]=power`, user);
  expect(body.errors.map(({ code, details }) => [code, details])).toEqual([
    ["attribute_not_found", { device: id, attribute: "nothing" }],
    ["no_data", { device: id, attribute: "power" }],
    ["forbidden", { device: id, attribute: "secret" }],
    ["device_not_found", { device: "nobody", attribute: "power" }],
  ]);
});

check("current.no-devices-400", async () => {
  const refused = await busbar.admin.get("/telemetry/v1/now");
  expect([refused.status, refused.errors[0]?.code]).toEqual([400, "invalid_query"]);
});

check("current.encoded-brackets", async () => {
  const { id } = await sent({ timestamp: 3, power: 4 });
  expect((await now(`devices%5B${id}%5D=power`)).body.devices).toEqual({ [id]: { power: { value: 4, timestamp: 3 } } });
});

check("general.now-failure", async () => {
  const { id } = await sent({ timestamp: 1, power: 1 });
  const { status, body } = await now(`devices[${id}]=power,missing`);
  expect(status).toBe(200);
  expect(body.devices[id]).toHaveProperty("power");
  expect(body.errors).toMatchObject([{ details: { device: id, attribute: "missing" } }]);
});
