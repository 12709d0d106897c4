// The paths of the ecosystem's clients: the same answers in their shapes.
import { beforeAll, expect, test } from "vitest";
import { useServer } from "../../support/server.ts";
import { ask, headerOf, rowsOf, useTelemetry } from "../../support/telemetry.ts";

const busbar = useServer(["--mqtt-port", "0", "--http-header-prefixes", "X-Enapter,X-Service"]);
const kit = useTelemetry(busbar);
const QUERY = "/v3/telemetry/query_timeseries";

beforeAll(async () => {
  const meter = await kit.connect("meter");
  await meter.send("60 power=1; 90 power=3; 120 energy=5");
  await meter.device.sendTelemetry({ running: true });
});

interface Latest {
  readonly telemetry: Readonly<Record<string, Readonly<Record<string, { value?: unknown; timestamp?: number }>>>>;
}
const latest = (query: string) => busbar.admin.get<Latest>(`/v3/telemetry/latest?${query}`);

test("latest has an object for every attribute that was asked for, empty where there is nothing", async () => {
  expect((await latest("devices[meter]=p,energy,note,nonsense&devices[nobody]=power")).body).toEqual({
    telemetry: {
      meter: {
        p: { value: 3, timestamp: 90 },
        energy: { value: 5, timestamp: 120 },
        note: {},
        nonsense: {},
      },
      nobody: { power: {} },
    },
  });
});

test("latest leaves out what is older than relevance_interval", async () => {
  const { body } = await latest("devices[meter]=power,running&relevance_interval=1h");
  expect(body.telemetry["meter"]).toMatchObject({ power: {}, running: { value: true } });
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

test("query_timeseries answers like the interface's own path, with the header of the configured prefix", async () => {
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
  expect(theirs.headers.get("x-enapter-timeseries-data-types")).toBe("float");
  expect(theirs.headers.get("content-type")).toBe("text/csv");
});

test.each([
  ["019a8c00-0000-7000-8000-0000000000ee", "does_not_exist"],
  ["meter", "does_not_exist"],
  ["meter", ["does_not_exist", "nor_this"]],
])(
  "what is not there (%s, %s) is exactly one error with the code that Grafana's health check wants",
  async (device, attribute) => {
    const refused = await ask(busbar.admin, { telemetry: [{ device, attribute }] }, QUERY);
    expect(refused.status).toBe(404);
    expect(refused.errors.map((error) => error.code)).toEqual(["telemetrypersistence/NO_TELEMETRY_ATTRIBUTES_FOUND"]);
  },
);

test("the interface's own path keeps its own codes", async () => {
  const telemetry = [{ device: "nobody", attribute: ["a", "b"] }];
  const refused = await ask(busbar.admin, { telemetry });
  expect(refused.errors.map((error) => error.code)).toEqual(["device_not_found", "device_not_found"]);
});

test("other refusals of query_timeseries are not reworded", async () => {
  const refused = await ask(busbar.admin, { from: 5, to: 1, telemetry: [{ device: "x", attribute: "y" }] }, QUERY);
  expect(refused.errors.map((error) => error.code)).toEqual(["invalid_body", "device_not_found"]);
});
