// GET /telemetry/v1/now: a test per sentence of the interface and the decisions.
import { beforeAll, expect, test } from "vitest";
import { useServer } from "../../support/server.ts";
import { type Connected, useTelemetry } from "../../support/telemetry.ts";

const busbar = useServer(["--mqtt-port", "0"]);
const kit = useTelemetry(busbar);
let meter: Connected;
let other: Connected;

interface Now {
  readonly devices: Readonly<Record<string, Readonly<Record<string, { value: unknown; timestamp: number }>>>>;
  readonly errors: readonly { code: string; message: string; details: object }[];
}

const now = (query: string, session = busbar.admin) => session.get<Now>(`/telemetry/v1/now?${query}`);

beforeAll(async () => {
  meter = await kit.connect("meter");
  other = await kit.connect("other");
  await meter.send('1000 power=1.5 energy=7 running=true status=idle tags=["a","b"] alerts=["hot"]; 1060 power=2.5');
  await meter.send("1070.25 note=late internal=9");
  await other.send("2000 power=-3");
});

test("the latest values of several attributes of several devices come in one answer", async () => {
  const { status, headers, body } = await now(`devices[${meter.id}]=power,energy&devices[${other.id}]=power`);
  expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
  expect(body).toEqual({
    devices: {
      [meter.id]: { power: { value: 2.5, timestamp: 1060 }, energy: { value: 7, timestamp: 1000 } },
      [other.id]: { power: { value: -3, timestamp: 2000 } },
    },
    errors: [],
  });
});

test.each(["devices[meter]=power", "devices%5Bmeter%5D=power", "devices[meter]=%20power%20,"])(
  "%s is read the same, by the device's slug",
  async (query) => {
    expect((await now(query)).body.devices).toEqual({ meter: { power: { value: 2.5, timestamp: 1060 } } });
  },
);

test("the path works under /api too", async () => {
  const { body } = await busbar.admin.get<Now>("/api/telemetry/v1/now?devices[meter]=power");
  expect(body.devices).toHaveProperty("meter");
});

test("values are numbers, texts and booleans; lists are JSON text", async () => {
  const { body } = await now("devices[meter]=power,running,status,tags,alerts");
  const values = Object.entries(body.devices["meter"] ?? {}).map(([name, { value }]) => [name, value]);
  expect(Object.fromEntries(values)).toEqual({
    power: 2.5,
    running: true,
    status: "idle",
    tags: ["a", "b"],
    alerts: ["hot"],
  });
});

test("an alias is accepted, and the key is the name as asked", async () => {
  const { body } = await now("devices[meter]=watts,p,power");
  const same = { value: 2.5, timestamp: 1060 };
  expect(body.devices).toEqual({ meter: { watts: same, p: same, power: same } });
});

test("the timestamp has a fraction when the device sent one", async () => {
  expect((await now("devices[meter]=note")).body.devices["meter"]?.["note"]).toEqual({
    value: "late",
    timestamp: 1070.25,
  });
});

test("the timestamp of a message without one is the whole second of its arrival", async () => {
  const quiet = await kit.connect("quiet");
  const before = Math.floor(Date.now() / 1000);
  await quiet.device.sendTelemetry({ power: 1 });
  const { timestamp = 0 } = (await now("devices[quiet]=power")).body.devices["quiet"]?.["power"] ?? {};
  expect(Number.isInteger(timestamp)).toBe(true);
  expect(timestamp).toBeGreaterThanOrEqual(before);
  expect(timestamp).toBeLessThanOrEqual(Math.floor(Date.now() / 1000));
});

test("messages without a time that come in one second, or in one millisecond, are points of their own", async () => {
  const quick = await kit.connect("quick");
  const from = Math.floor(Date.now() / 1000);
  for (const power of [1, 2, 3, 4]) await quick.device.sendTelemetry({ power });
  await Promise.all(Array.from({ length: 100 }, (_, power) => quick.device.sendTelemetry({ power })));
  const body = { from, to: from + 100, granularity: "1y", telemetry: [{ device: "quick", attribute: "power" }] };
  const { text } = await busbar.admin.post("/telemetry/v1/timeseries", { ...body, aggregation: "count" });
  expect(text.split("\n")[1]?.split(",")[1]).toBe("104");
});

test("a late point does not replace a newer one, and the same time keeps the later write", async () => {
  const late = await kit.connect("late");
  await late.send("100 power=1");
  await late.send("90 power=2");
  expect((await now("devices[late]=power")).body.devices["late"]?.["power"]).toEqual({ value: 1, timestamp: 100 });
  await late.send("100 power=3");
  expect((await now("devices[late]=power")).body.devices["late"]?.["power"]).toEqual({ value: 3, timestamp: 100 });
});

test("what cannot be read is told in errors beside what can, each with device and attribute", async () => {
  const { status, body } = await now("devices[meter]=power,powre,faults&devices[nobody]=a,b");
  expect(status).toBe(200);
  expect(body.devices).toEqual({ meter: { power: { value: 2.5, timestamp: 1060 } } });
  expect(body.errors.map(({ code, details }) => [code, details])).toEqual([
    ["attribute_not_found", { device: "meter", attribute: "powre" }],
    ["no_data", { device: "meter", attribute: "faults" }],
    ["device_not_found", { device: "nobody", attribute: "a" }],
    ["device_not_found", { device: "nobody", attribute: "b" }],
  ]);
  expect(body.errors[0]?.message).toContain("did you mean power?");
});

test("an attribute above the token's level is an item forbidden", async () => {
  const { body } = await now("devices[meter]=internal,power", busbar.as(await busbar.token({ level: "user" })));
  expect(body.devices).toEqual({ meter: { power: { value: 2.5, timestamp: 1060 } } });
  expect(body.errors).toMatchObject([{ code: "forbidden", details: { device: "meter", attribute: "internal" } }]);
  const owner = await now("devices[meter]=internal", busbar.as(await busbar.token({ level: "owner" })));
  expect(owner.body.devices["meter"]?.["internal"]?.value).toBe(9);
});

test("a device of another site looks like an unknown one", async () => {
  const site = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Elsewhere" })).body.site.id;
  const stranger = busbar.as(await busbar.token({ level: "vendor", site_ids: [site] }));
  const { body } = await now(`devices[${meter.id}]=power`, stranger);
  expect(body).toMatchObject({ devices: {}, errors: [{ code: "device_not_found" }] });
});

test("a slug that devices of several sites have names none of them, and the rest is read", async () => {
  await kit.create("twin");
  const site = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Twin" })).body.site.id;
  const twin = { name: "twin", slug: "twin", site_id: site, blueprint_id: kit.blueprintId };
  await busbar.admin.post("/v3/provisioning/standalone", twin);
  const { status, body } = await now("devices[twin]=power&devices[meter]=power");
  expect([status, Object.keys(body.devices)]).toEqual([200, ["meter"]]);
  expect(body.errors).toMatchObject([{ code: "device_not_found", details: { device: "twin", attribute: "power" } }]);
  expect(body.errors[0]?.message).toContain("use the device id");
});

test("a value of a type that the attribute no longer has is none", async () => {
  const changing = await kit.connect("changing");
  await changing.send("60 power=1 energy=2");
  const bytes = `blueprint_spec: device/3.0
display_name: Changed
runtime: { type: embedded }
telemetry: { power: { type: string, display_name: Power }, energy: { type: float, display_name: Energy } }
`;
  const made = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes });
  await busbar.admin.post("/v3/devices/changing/assign_blueprint", { blueprint_id: made.body.blueprint.id });
  const { body } = await now("devices[changing]=power,energy");
  expect(body.devices["changing"]).toEqual({ energy: { value: 2, timestamp: 60 } });
  expect(body.errors).toMatchObject([{ code: "no_data", details: { attribute: "power" } }]);
});

test("of very many unknown names the first twenty are compared with what there is", async () => {
  const names = Array.from({ length: 30 }, (_, i) => `powe${i}`);
  const { body } = await now(`devices[meter]=${names.join(",")}`);
  expect(body.errors.map(({ code }) => code)).toEqual(names.map(() => "attribute_not_found"));
  expect(body.errors.map(({ message }) => message.includes("did you mean power?")).lastIndexOf(true)).toBe(19);
});

test.each(["", "devices[meter]=", "devices[meter]=,"])(
  "without any attribute (%s) the call is refused",
  async (query) => {
    const refused = await now(query);
    expect(refused.status).toBe(400);
    expect(refused.errors).toMatchObject([{ code: "invalid_query", details: { parameter: "devices" } }]);
  },
);

test.each(["devices=meter", "device[meter]=power", "devices[meter]=power&devices[meter]=note", "devices[]=power"])(
  "%s is refused",
  async (query) => {
    expect((await now(query)).errors[0]?.code).toBe("invalid_query");
  },
);

test("names of the language's own are ordinary names", async () => {
  const { status, body } = await now("devices[__proto__]=constructor&devices[meter]=toString,__proto__");
  expect(status).toBe(200);
  expect(body.errors.map(({ code }) => code)).toEqual([
    "device_not_found",
    "attribute_not_found",
    "attribute_not_found",
  ]);
});

test("without a token nothing is told", async () => {
  expect((await now("devices[meter]=power", busbar.anonymous)).status).toBe(401);
});

test("the values are the same after a restart", async () => {
  const query = "devices[meter]=power,energy,running,status,note,tags,alerts,internal&devices[other]=power";
  const before = (await now(query)).body;
  await busbar.restart();
  expect((await now(query)).body).toEqual(before);
  expect(before.errors).toEqual([]);
});
