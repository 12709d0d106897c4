// The paths of the ecosystem's clients: the same answers in their shapes.
import { beforeAll, expect, test } from "vitest";
import { useServer } from "../../support/server.ts";
import { ask, headerOf, rowsOf, useTelemetry } from "../../support/telemetry.ts";

const busbar = useServer(["--mqtt-port", "0"]);
const kit = useTelemetry(busbar);
const QUERY = "/v3/telemetry/query_timeseries";

beforeAll(async () => {
  const meter = await kit.connect("meter");
  await meter.send("60 power=1; 90 power=3; 120 energy=5");
  // An hour ahead, so that it is fresh on the slowest machine too.
  await meter.device.sendTelemetry({ timestamp: Math.floor(Date.now() / 1000) + 3_600, running: true });
});

interface Latest {
  readonly telemetry: Readonly<
    Record<string, Readonly<Record<string, { value?: unknown; timestamp?: number; warning?: string }>>>
  >;
}
const newSite = async (name: string) =>
  (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name })).body.site;
const latest = (query: string) => busbar.admin.get<Latest>(`/v3/telemetry/latest?${query}`);

test("latest has an object for every attribute that was asked for, with a warning where there is nothing", async () => {
  const asked = "devices[meter]=p,energy,note,nonsense&devices[nobody]=power&relevance_interval=292y";
  expect((await latest(asked)).body).toEqual({
    telemetry: {
      meter: {
        p: { value: 3, timestamp: 90 },
        energy: { value: 5, timestamp: 120 },
        note: { warning: "note has no value yet" },
        nonsense: { warning: 'the device has no telemetry attribute "nonsense"' },
      },
      nobody: { power: { warning: 'there is no device "nobody"' } },
    },
  });
});

test("latest gives what is above the caller's level as a warning", async () => {
  const reader = busbar.as(await busbar.token({ level: "readonly" }));
  const { body } = await reader.get<Latest>("/v3/telemetry/latest?devices[meter]=internal");
  expect(body.telemetry["meter"]).toEqual({ internal: { warning: "reading internal takes access level owner" } });
});

test.each(["", "&relevance_interval=1h", "&relevance_interval=30s"])(
  "latest%s gives fresh values, and what is older than the interval as a warning without a time",
  async (interval) => {
    const { body } = await latest(`devices[meter]=power,running${interval}`);
    expect(body.telemetry["meter"]).toMatchObject({ running: { value: true } });
    const old = { warning: "the latest value is of 1970-01-01T00:01:30.000Z, older than relevance_interval" };
    expect(body.telemetry["meter"]?.["power"]).toEqual(old);
  },
);

test("latest gives any age that is asked for", async () => {
  expect((await latest("devices[meter]=power&relevance_interval=292y")).body.telemetry["meter"]?.["power"]).toEqual({
    value: 3,
    timestamp: 90,
  });
});

test.each(["", "relevance_interval=1h", "devices[meter]=power&relevance_interval=soon"])(
  "latest?%s is refused",
  async (query) => {
    expect((await latest(query)).errors[0]?.code).toBe("invalid_query");
  },
);

test("query_timeseries answers like the interface's own path, with the header of the caller's family", async () => {
  const question = {
    from: "1970-01-01T00:00:00Z",
    to: "1970-01-01T01:00:00Z",
    telemetry: [
      { device: "meter", attribute: ["power"], aggregation: "avg", gap_filling: { method: "none", look_around: "0s" } },
    ],
  };
  const [theirs, ours] = [await ask(busbar.admin, question, QUERY), await ask(busbar.admin, question)];
  expect(theirs.text).toBe(ours.text);
  expect(rowsOf(theirs)).toBe("60,2");
  expect(headerOf(theirs)).toBe("ts,telemetry=power device=meter aggregation=avg granularity=1m");
  const headers = { "X-Enapter-Auth-Token": busbar.adminToken };
  const family = await busbar.anonymous.post(QUERY, { granularity: "1m", ...question }, { headers });
  expect(family.headers.get("x-enapter-timeseries-data-types")).toBe("float");
  expect(theirs.headers.get("content-type")).toBe("text/csv");
});

test.each([
  ["019a8c00-0000-7000-8000-0000000000ee", "does_not_exist"],
  ["meter", "does_not_exist"],
  ["meter", ["does_not_exist", "nor_this"]],
])(
  "what is not there (%s, %s) is exactly one error with the code that Grafana's health check wants",
  async (device, attribute) => {
    for (const header of ["X-Service-Auth-Token", "X-Enapter-Auth-Token"]) {
      const question = { from: 0, to: 60, granularity: "1m", aggregation: "auto", telemetry: [{ device, attribute }] };
      const refused = await busbar.anonymous.post(QUERY, question, { headers: { [header]: busbar.adminToken } });
      expect(refused.status).toBe(404);
      expect(refused.errors.map((error) => error.code)).toEqual(["telemetrypersistence/NO_TELEMETRY_ATTRIBUTES_FOUND"]);
    }
  },
);

test("the interface's own path keeps its own codes", async () => {
  const telemetry = [{ device: "nobody", attribute: ["a", "b"] }];
  const refused = await ask(busbar.admin, { telemetry });
  expect(refused.errors.map((error) => error.code)).toEqual(["device_not_found", "device_not_found"]);
});

test("to clients of the ecosystem the interface's own path gives the one error that their health check wants", async () => {
  const telemetry = [{ device: "019a8c00-0000-7000-8000-0000000000ee", attribute: "does_not_exist" }];
  const headers = { "X-Enapter-Auth-Token": busbar.adminToken, "X-Enapter-Auth-User": "does_not_exist" };
  const question = { from: 0, to: 60, granularity: "1m", aggregation: "auto", telemetry };
  const refused = await busbar.anonymous.post("/telemetry/v1/timeseries", question, { headers });
  expect([refused.status, refused.errors.map((error) => error.code)]).toEqual([404, ["unprocessable_entity"]]);
  for (const path of ["/v3/devices/does_not_exist/manifest", "/assets/v1/devices/does_not_exist"]) {
    expect((await busbar.anonymous.get(path, { headers })).errors.map((error) => error.code)).toEqual(["not_found"]);
  }
});

test("below /assets/v1 a device has its id as device_id, too", async () => {
  const { body } = await busbar.admin.get<{ device: { id: string } }>("/assets/v1/devices/meter");
  expect(body.device).toMatchObject({ id: expect.any(String), device_id: body.device.id });
  expect((await busbar.admin.get("/v3/devices/meter")).text).not.toContain("device_id");
});

test("all current values of a device are read at its own path, and below its site", async () => {
  const expected = {
    telemetry: {
      power: { value: 3, timestamp: 90 },
      energy: { value: 5, timestamp: 120 },
      running: { value: true, timestamp: expect.any(Number) },
    },
  };
  for (const path of ["/v3/devices/meter/telemetry", `/v3/sites/${kit.siteId}/devices/meter/telemetry`]) {
    expect((await busbar.admin.get(path)).body).toEqual(expected);
  }
  const stranger = busbar.as(await busbar.token({ site_ids: [(await newSite("Elsewhere")).id] }));
  expect((await stranger.get("/v3/devices/meter/telemetry")).status).toBe(404);
});

test("current values above the caller's level are left out", async () => {
  const { device } = await kit.connect("guarded");
  await device.sendTelemetry({ timestamp: 5, power: 1, internal: 2 });
  const as = async (level: string) =>
    (await busbar.as(await busbar.token({ level })).get<{ telemetry: object }>("/v3/devices/guarded/telemetry")).body;
  expect(Object.keys((await as("user")).telemetry)).toEqual(["power"]);
  expect(Object.keys((await as("owner")).telemetry)).toEqual(["power", "internal"]);
});

test("other refusals of query_timeseries are not reworded", async () => {
  const refused = await ask(busbar.admin, { from: 5, to: 1, telemetry: [{ device: "x", attribute: "y" }] }, QUERY);
  expect(refused.errors.map((error) => error.code)).toEqual(["invalid_body", "device_not_found"]);
});
