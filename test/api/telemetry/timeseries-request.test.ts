// Time series: the request, the CSV and its headers.
import { expect } from "vitest";
import { check } from "../../support/check.ts";
import { ask, headerOf, type Question, rowsOf } from "../../support/telemetry.ts";
import { useSite } from "../../support/use-site.ts";

const site = useSite();
const { busbar } = site;

const METER = `blueprint_spec: device/3.0
display_name: Meter
runtime: {type: embedded}
telemetry:
  power: {type: float, display_name: Power, aliases: [watts]}
  energy: {type: integer, display_name: Energy}
  running: {type: boolean, display_name: Running}
  status: {type: string, display_name: Status}
`;

/** A device that has sent `0 power=1 status=idle; 60 power=2`. */
async function meter(messages: string) {
  const device = await site.device(METER);
  const mqtt = await device.connect();
  for (const message of messages.split(";").filter(Boolean)) {
    const [timestamp, ...pairs] = message.trim().split(" ");
    const values = pairs.map((pair) => pair.split("=") as [string, string]);
    const parsed = values.map(([name, value]) => [
      name,
      /^[a-z]/.test(value) && !/^(true|false)$/.test(value) ? value : JSON.parse(value),
    ]);
    await mqtt.sendTelemetry({ timestamp: Number(timestamp), ...Object.fromEntries(parsed) });
  }
  const item = (attribute: unknown, more: object = {}) => ({ device: device.id, attribute, ...more });
  return {
    id: device.id,
    item,
    /** About one attribute, in minutes of the first hour of 1970 unless said otherwise. */
    ask: (attribute: unknown, question: Question = {}) =>
      ask(busbar.admin, { telemetry: [item(attribute)], ...question }),
  };
}

/** The body as it is, without defaults. */
const post = (body: object) => busbar.admin.post("/telemetry/v1/timeseries", body);

check("timeseries.served", async () => {
  const { item } = await meter("0 power=1");
  const body = { from: 0, to: 60, granularity: "1m", aggregation: "last", telemetry: [item("power")] };
  expect(rowsOf(await post(body))).toBe("0,1");
  expect(rowsOf(await busbar.admin.post("/api/telemetry/v1/timeseries", body))).toBe("0,1");
});

check("timeseries.ordered-in-time", async () => {
  const { ask } = await meter("120 power=3; 0 power=1; 60 power=2");
  expect(rowsOf(await ask("power"))).toBe("0,1 60,2 120,3");
});

check("timeseries.accept-csv", async () => {
  const { item } = await meter("0 power=1");
  const body = { from: 0, to: 60, granularity: "1m", aggregation: "last", telemetry: [item("power")] };
  const answer = await busbar.admin.post("/telemetry/v1/timeseries", body, { headers: { Accept: "text/csv" } });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/csv"]);
});

check("timeseries.range-formats", async () => {
  const { ask } = await meter("0 power=1; 60 power=2; 120 power=3");
  expect(rowsOf(await ask("power", { from: 60, to: 120 }))).toBe("60,2");
  expect(rowsOf(await ask("power", { from: "1970-01-01T00:01:00Z", to: "1970-01-01T00:02:00Z" }))).toBe("60,2");
  expect((await ask("power", { from: "yesterday" })).status).toBe(400);
});

check("timeseries.range-required", async () => {
  const { item } = await meter("");
  for (const missing of ["from", "to"]) {
    const body = {
      from: 0,
      to: 60,
      granularity: "1m",
      aggregation: "last",
      telemetry: [item("power")],
      [missing]: undefined,
    };
    const refused = await post(body);
    expect([refused.status, refused.errors[0]?.message]).toEqual([400, expect.stringContaining(missing)]);
  }
});

check("timeseries.aggregation-auto", async () => {
  const { ask } = await meter("0 power=1 status=idle; 30 power=3 status=busy");
  expect(rowsOf(await ask("power", { aggregation: "auto" }))).toBe("0,2");
  expect(rowsOf(await ask("status", { aggregation: "auto" }))).toBe("0,busy");
});

check("timeseries.aggregation-avg", async () => {
  const { ask } = await meter("0 power=1; 10 power=2; 20 power=6");
  expect(rowsOf(await ask("power", { aggregation: "avg" }))).toBe("0,3");
});

check("timeseries.aggregation-last", async () => {
  const { ask } = await meter("0 power=1; 20 power=6; 10 power=2");
  expect(rowsOf(await ask("power", { aggregation: "last" }))).toBe("0,6");
});

check("timeseries.granularity", async () => {
  const { ask } = await meter("0 power=1; 30 power=2; 60 power=3; 90 power=4");
  expect(rowsOf(await ask("power", { granularity: "30s" }))).toBe("0,1 30,2 60,3 90,4");
  expect(rowsOf(await ask("power", { granularity: "1m" }))).toBe("0,1.5 60,3.5");
});

check("timeseries.telemetry-required", async () => {
  const body = { from: 0, to: 60, granularity: "1m", aggregation: "last" };
  expect((await post(body)).errors[0]?.message).toContain("telemetry");
  expect((await post({ ...body, telemetry: [] })).status).toBe(400);
});

check("timeseries.at-most-10", async () => {
  const { item } = await meter("0 power=1");
  const many = (count: number) => ask(busbar.admin, { telemetry: Array.from({ length: count }, () => item("power")) });
  expect((await many(10)).status).toBe(200);
  expect((await many(11)).status).toBe(400);
});

check("timeseries.only-locf", async () => {
  const { ask } = await meter("0 power=1; 180 power=2");
  expect(rowsOf(await ask("power", { to: 240, gap_filling: { method: "locf" } }))).toBe("0,1 60,1 120,1 180,2");
  expect((await ask("power", { gap_filling: { method: "linear" } })).status).toBe(400);
});

check("timeseries.look-around", async () => {
  const { ask } = await meter("0 power=1; 180 power=2");
  const filled = (look_around: string) =>
    ask("power", { from: 60, to: 240, gap_filling: { method: "locf", look_around } });
  expect(rowsOf(await filled("2m"))).toBe("60,1 120,1 180,2");
  expect(rowsOf(await filled("30s"))).toBe("180,2");
});

check("timeseries.one-attribute", async () => {
  const [one, other] = [await meter("0 power=1"), await meter("0 energy=5")];
  const answer = await ask(busbar.admin, { telemetry: [one.item("power"), other.item("energy")] });
  expect(rowsOf(answer)).toBe("0,1,5");
  expect((await one.ask("voltage")).status).toBe(404);
});

check("timeseries.item-overrides-aggregation", async () => {
  const { item } = await meter("0 power=1; 30 power=3");
  const body = { from: 0, to: 60, granularity: "1m" };
  const telemetry = [item("power"), item("power", { aggregation: "last" })];
  expect(rowsOf(await post({ ...body, aggregation: "avg", telemetry }))).toBe("0,2,3");
  expect(rowsOf(await post({ ...body, telemetry: telemetry.slice(1) }))).toBe("0,3");
  const refused = await post({ ...body, telemetry });
  expect([refused.status, refused.errors[0]?.details]).toEqual([400, { pointer: "/telemetry/0/aggregation" }]);
});

check("timeseries.item-overrides-granularity", async () => {
  const { item } = await meter("0 power=1; 60 power=3");
  const body = { from: 0, to: 120, aggregation: "avg" };
  const telemetry = [item("power"), item("power", { granularity: "2m" })];
  expect(rowsOf(await post({ ...body, granularity: "1m", telemetry }))).toBe("0,1,2 60,3,");
  expect(rowsOf(await post({ ...body, telemetry: telemetry.slice(1) }))).toBe("0,2");
  const refused = await post({ ...body, telemetry });
  expect([refused.status, refused.errors[0]?.details]).toEqual([400, { pointer: "/telemetry/0/granularity" }]);
});

check("timeseries.item-overrides-filling", async () => {
  const { item } = await meter("0 power=1; 120 power=2");
  const telemetry = [item("power"), item("power", { gap_filling: { method: "none" } })];
  const answer = await ask(busbar.admin, { to: 180, gap_filling: { method: "locf" }, telemetry });
  expect(rowsOf(answer)).toBe("0,1,1 60,1, 120,2,2");
});

check("timeseries.durations", async () => {
  const { ask } = await meter("0 power=1");
  for (const granularity of ["1s", "1.5m", "2h45m", "60000ms", "60000000us", "1000000000ns", "1d", "1y", "1h0.5m"]) {
    expect((await ask("power", { granularity })).status, granularity).toBe(200);
  }
  for (const granularity of ["", "1", "s", "1 s", "1S", "-1s", "1w2", "one minute"]) {
    expect((await ask("power", { granularity: granularity || "?" })).status, granularity).toBe(400);
  }
});

check("timeseries.csv", async () => {
  const answer = await (await meter("0 power=1")).ask("power");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/csv"]);
});

check("timeseries.first-column", async () => {
  const answer = await (await meter("1700000000 power=1")).ask("power", { from: 1_699_999_980, to: 1_700_000_040 });
  expect(headerOf(answer).split(",")[0]).toBe("ts");
  expect(rowsOf(answer)).toBe("1699999980,1");
});

check("timeseries.header-cells", async () => {
  const { id, ask } = await meter("0 power=1");
  const answer = await ask("power", { gap_filling: { method: "locf", look_around: "5m" } });
  const cell = headerOf(answer).split(",")[1] ?? "";
  expect(Object.fromEntries(cell.split(" ").map((pair) => pair.split("=")))).toEqual({
    telemetry: "power",
    device: id,
    aggregation: "avg",
    granularity: "1m",
    gap_filling_method: "locf",
    gap_filling_look_around: "5m",
  });
});

check("timeseries.rows", async () => {
  const { ask } = await meter("0 power=1 energy=4; 60 power=2 energy=5");
  const answer = await ask(["power", "energy"], { aggregation: "last" });
  expect(answer.text.trimEnd().split("\n").slice(1)).toEqual(["0,1,4", "60,2,5"]);
});

check("timeseries.data-types", async () => {
  const { ask } = await meter("0 power=1 status=idle");
  const answer = await ask(["status", "power"], { aggregation: "last" });
  expect(answer.headers.get("x-service-timeseries-data-types")).toBe("string,float");
});

check("timeseries.data-type-names", async () => {
  const { ask } = await meter("0 power=1 energy=2 running=true status=idle");
  const answer = await ask(["power", "energy", "running", "status"], { aggregation: "last" });
  expect(answer.headers.get("x-service-timeseries-data-types")).toBe("float,integer,boolean,string");
});

check("timeseries.failure", async () => {
  const refused = await (await meter("")).ask("power", { aggregation: "median" });
  expect(refused.headers.get("content-type")).toBe("application/json");
  expect(refused.errors).toMatchObject([{ code: "invalid_body", message: expect.any(String) }]);
});

check("general.series-failure", async () => {
  const refused = await (await meter("")).ask("power", { granularity: "soon" });
  expect([refused.status, refused.headers.get("content-type"), refused.errors.length]).toEqual([
    400,
    "application/json",
    1,
  ]);
});

check("general.limit-series", async () => {
  const { item } = await meter("0 power=1");
  const telemetry = [item(Array(6).fill("power")), item(Array(4).fill("power"))];
  expect((await ask(busbar.admin, { telemetry })).status).toBe(200);
  const refused = await ask(busbar.admin, { telemetry: [...telemetry, item("power")] });
  expect([refused.status, refused.errors[0]?.message]).toEqual([400, expect.stringContaining("10")]);
});

check("general.version-telemetry", async () => {
  const { ask: askAt, item } = await meter("0 power=1");
  expect((await askAt("power")).status).toBe(200);
  const other = await ask(busbar.admin, { telemetry: [item("power")] }, "/telemetry/v2/timeseries");
  expect([other.status, other.errors[0]?.code]).toEqual([404, "route_not_found"]);
});
