// GET /telemetry/v1/now: current values.
import { beforeAll, expect, test } from "vitest";
import { check } from "../../support/check.ts";
import { listen } from "../../support/listen.ts";
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

check("now.keyed-by-attribute", async () => {
  expect((await now(`devices[${meter.id}]=power,energy`)).body.devices).toEqual({
    [meter.id]: { power: { value: 2.5, timestamp: 1060 }, energy: { value: 7, timestamp: 1000 } },
  });
});

check("now.devices", async () => {
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

check("current.encoded-brackets", async () => {
  const power = { value: 2.5, timestamp: 1060 };
  expect((await now(`devices%5B${meter.id}%5D=power`)).body.devices).toEqual({ [meter.id]: { power } });
  // By its slug, too.
  for (const query of ["devices[meter]=power", "devices%5Bmeter%5D=power", "devices[meter]=%20power%20,"]) {
    expect((await now(query)).body.devices, query).toEqual({ meter: { power } });
  }
});

check("now.served", async () => {
  const [plain, below] = [
    await now("devices[meter]=power"),
    await busbar.admin.get<Now>("/api/telemetry/v1/now?devices[meter]=power"),
  ];
  expect([plain.status, below.status]).toEqual([200, 200]);
  expect(plain.body.devices).toHaveProperty("meter");
  expect(below.body).toEqual(plain.body);
});

check("now.value", async () => {
  const { body } = await now("devices[meter]=power,energy,running,status,tags,alerts");
  const values = Object.entries(body.devices["meter"] ?? {}).map(([name, { value }]) => [name, value]);
  expect(Object.fromEntries(values)).toEqual({
    power: 2.5,
    energy: 7,
    running: true,
    status: "idle",
    tags: ["a", "b"],
    alerts: ["hot"],
  });
});

check("current.lists-are-arrays", async () => {
  const events = await listen(busbar.url, busbar.adminToken, { query: "?kind.in=telemetry" });
  const lists = await kit.connect("lists");
  await lists.send('1000 tags=["a","b"] faults=["hot"] alerts=[]');
  const read = (await now("devices[lists]=tags,faults,alerts")).body.devices["lists"] ?? {};
  expect(Object.values(read).map(({ value }) => value)).toEqual([["a", "b"], ["hot"], []]);
  const { data } = await events.next(({ data }) => data.device_id === lists.id);
  expect(JSON.stringify(data)).toContain('["a","b"]');
});

check("current.aliases", async () => {
  const { body } = await now("devices[meter]=watts,p,power");
  const same = { value: 2.5, timestamp: 1060 };
  expect(body.devices).toEqual({ meter: { watts: same, p: same, power: same } });
});

check("now.timestamp", async () => {
  expect((await now("devices[meter]=power")).body.devices["meter"]?.["power"]?.timestamp).toBe(1060);
});

check("current.timestamp-fraction", async () => {
  expect((await now("devices[meter]=note")).body.devices["meter"]?.["note"]).toEqual({
    value: "late",
    timestamp: 1070.25,
  });
  // Without a time it is the whole second of the arrival.
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

check("now.latest", async () => {
  const late = await kit.connect("late");
  await late.send("100 power=1");
  await late.send("90 power=2");
  expect((await now("devices[late]=power")).body.devices["late"]?.["power"]).toEqual({ value: 1, timestamp: 100 });
  await late.send("100 power=3");
  expect((await now("devices[late]=power")).body.devices["late"]?.["power"]).toEqual({ value: 3, timestamp: 100 });
  await late.send("80 energy=7; 110 power=4");
  expect((await now("devices[late]=power,energy")).body.devices["late"]).toEqual({
    power: { value: 4, timestamp: 110 },
    energy: { value: 7, timestamp: 80 },
  });
});

check("now.answer", async () => {
  const { status, body } = await now("devices[meter]=power,faults");
  expect([status, Object.keys(body).sort()]).toEqual([200, ["devices", "errors"]]);
  expect(body.devices).toEqual({ meter: { power: { value: 2.5, timestamp: 1060 } } });
  expect(body.errors).toHaveLength(1);
});

check("current.error-items", async () => {
  expect((await now("devices[meter]=faults")).body.errors).toEqual([
    { code: "no_data", message: "faults has no value yet", details: { device: "meter", attribute: "faults" } },
  ]);
});

check("general.now-failure", async () => {
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

check("current.error-codes", async () => {
  const user = busbar.as(await busbar.token({ level: "user" }));
  const { body } = await now("devices[meter]=nothing,faults,internal,power&devices[nobody]=power", user);
  expect(body.devices).toEqual({ meter: { power: { value: 2.5, timestamp: 1060 } } });
  expect(body.errors.map(({ code, details }) => [code, details])).toEqual([
    ["attribute_not_found", { device: "meter", attribute: "nothing" }],
    ["no_data", { device: "meter", attribute: "faults" }],
    ["forbidden", { device: "meter", attribute: "internal" }],
    ["device_not_found", { device: "nobody", attribute: "power" }],
  ]);
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

check("current.no-devices-400", async () => {
  for (const query of ["", "devices[meter]=", "devices[meter]=,"]) {
    const { status, errors } = await now(query);
    expect({ query, status, errors }).toMatchObject({
      query,
      status: 400,
      errors: [{ code: "invalid_query", details: { parameter: "devices" } }],
    });
  }
});

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

test("without a token nothing is revealed", async () => {
  expect((await now("devices[meter]=power", busbar.anonymous)).status).toBe(401);
});

test("the values are the same after a restart", async () => {
  const query = "devices[meter]=power,energy,running,status,note,tags,alerts,internal&devices[other]=power";
  const before = (await now(query)).body;
  await busbar.restart();
  expect((await now(query)).body).toEqual(before);
  expect(before.errors).toEqual([]);
});
