// Time series in detail: buckets, aggregations, gap filling and the CSV.
import { expect } from "vitest";
import { check } from "../support/check.ts";
import { ask, headerOf, type Question, rowsOf } from "../support/telemetry.ts";
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
  note: {type: string, display_name: Note}
  tags: {type: array_of_strings, display_name: Tags}
  faults: {type: alerts, display_name: Faults}
`;

type Messages = readonly (readonly [timestamp: number, values: object])[];

/** A device that has sent these messages, one after the other. */
async function meter(...messages: Messages) {
  const device = await site.device(METER);
  const mqtt = await device.connect();
  const send = async (more: Messages) => {
    for (const [timestamp, values] of more) await mqtt.sendTelemetry({ timestamp, ...values });
  };
  await send(messages);
  return {
    id: device.id,
    send: (...more: Messages) => send(more),
    ask: (attribute: unknown, question: Question = {}) =>
      ask(busbar.admin, { telemetry: [{ device: device.id, attribute }], ...question }),
  };
}

check("series.half-open-range", async () => {
  const { ask } = await meter([0, { power: 1 }], [60, { power: 2 }], [120, { power: 3 }]);
  expect(rowsOf(await ask("power", { from: 60, to: 120 }))).toBe("60,2");
  expect(rowsOf(await ask("power", { from: 60, to: 120.001 }))).toBe("60,2 120,3");
});

check("series.from-before-to", async () => {
  const { ask } = await meter();
  for (const to of [60, 59]) {
    const refused = await ask("power", { from: 60, to });
    expect([refused.status, refused.errors[0]?.details]).toEqual([400, { pointer: "/from" }]);
  }
});

check("series.milliseconds-400", async () => {
  const { ask } = await meter();
  const refused = await ask("power", { from: 0, to: 1_763_121_600_000 });
  expect([refused.status, refused.errors[0]?.message]).toEqual([400, expect.stringContaining("milliseconds")]);
});

check("series.epoch-buckets", async () => {
  const { ask } = await meter([100, { power: 1 }], [139, { power: 3 }], [140, { power: 5 }]);
  expect(rowsOf(await ask("power", { from: 95, to: 200, granularity: "20s" }))).toBe("100,1 120,3 140,5");
  expect(rowsOf(await ask("power", { from: 95, to: 200, granularity: "70s" }))).toBe("70,2 140,5");
});

check("series.ts-format", async () => {
  const { ask } = await meter([1.5, { power: 1 }]);
  expect(rowsOf(await ask("power", { granularity: "1s" }))).toBe("1,1");
  expect(rowsOf(await ask("power", { granularity: "500ms" }))).toBe("1.500,1");
});

check("series.year-365-d", async () => {
  const year = 365 * 86_400;
  const { ask } = await meter([year - 1, { power: 1 }], [year, { power: 2 }]);
  expect(rowsOf(await ask("power", { to: 2 * year, granularity: "1y" }))).toBe(`0,1 ${year},2`);
});

check("series.below-1-ms", async () => {
  const { ask } = await meter();
  for (const granularity of ["999us", "1ns"]) expect((await ask("power", { granularity })).status).toBe(400);
  expect((await ask("power", { granularity: "1ms" })).status).toBe(200);
});

check("series.row-limit", async () => {
  const { ask } = await meter([0, { power: 1 }]);
  const filled = { gap_filling: { method: "locf" }, granularity: "1s" };
  const refused = await ask("power", { to: 1_000_001, ...filled });
  expect(refused.status).toBe(400);
  expect(refused.errors[0]?.message.replaceAll(/\D/g, "")).toContain("1000000");
  const coarser = await ask("power", { to: 1_000_001, ...filled, granularity: "1h" });
  expect(coarser.status).toBe(200);
});

check("series.avg-gives-float", async () => {
  const { ask } = await meter([0, { energy: 1, running: true, note: "x" }], [30, { energy: 2 }]);
  const average = await ask("energy", { aggregation: "avg" });
  expect([rowsOf(average), average.headers.get("x-service-timeseries-data-types")]).toEqual(["0,1.5", "float"]);
  for (const attribute of ["running", "note", "tags", "faults"]) {
    expect((await ask(attribute, { aggregation: "avg" })).status, attribute).toBe(400);
  }
});

check("series.last-keeps-type", async () => {
  const { ask } = await meter([0, { power: 1.5, energy: 2, running: true, note: "x" }]);
  const answer = await ask(["power", "energy", "running", "note"], { aggregation: "last" });
  expect(answer.headers.get("x-service-timeseries-data-types")).toBe("float,integer,boolean,string");
});

check("series.auto-by-type", async () => {
  const { ask } = await meter([0, { power: 1, energy: 1, running: true, note: "x", tags: [] }]);
  const answer = await ask(["power", "energy", "running", "note", "tags"], { aggregation: "auto" });
  const chosen = headerOf(answer)
    .split(",")
    .slice(1)
    .map((cell) => /aggregation=(\w+)/.exec(cell)?.[1]);
  expect(chosen).toEqual(["avg", "avg", "last", "last", "last"]);
});

check("series.more-aggregations", async () => {
  const { ask } = await meter([0, { power: 4, running: true }], [10, { power: 1 }], [20, { power: 2, running: false }]);
  const of = async (attribute: string, aggregation: string) => rowsOf(await ask(attribute, { aggregation }));
  const numbers = ["min", "max", "sum", "count", "first"].map((aggregation) => of("power", aggregation));
  expect(await Promise.all(numbers)).toEqual(["0,1", "0,4", "0,7", "0,3", "0,4"]);
  expect(await of("running", "bool_or")).toBe("0,true");
});

const unix = (text: string) => Date.parse(text) / 1_000;

check("series.calendar-granularities", async () => {
  const days = ["2025-03-29", "2025-03-30", "2025-03-31", "2025-04-02", "2026-01-01"];
  const { ask } = await meter(...days.map((day) => [unix(`${day}T12:00Z`), { power: 1 }] as const));
  const range = { from: unix("2025-03-29T00:00Z"), to: unix("2026-02-01T00:00Z"), aggregation: "count" };
  const starts = async (granularity: string) =>
    rowsOf(await ask("power", { ...range, granularity, timezone: "Europe/Berlin" }))
      .split(" ")
      .map((row) => row.split(","))
      .map(([ts, count]) => `${new Date(Number(ts) * 1_000).toISOString().slice(0, 13)} ${count}`);
  expect(await starts("1d")).toEqual([
    "2025-03-28T23 1",
    "2025-03-29T23 1",
    "2025-03-30T22 1",
    "2025-04-01T22 1",
    "2025-12-31T23 1",
  ]);
  expect(await starts("1w")).toEqual(["2025-03-23T23 2", "2025-03-30T22 2", "2025-12-28T23 1"]);
  expect(await starts("1M")).toEqual(["2025-02-28T23 3", "2025-03-31T22 1", "2025-12-31T23 1"]);
  expect(await starts("1y")).toEqual(["2024-12-31T23 4", "2025-12-31T23 1"]);
  // Without a time zone a day and a year are fixed lengths, and weeks and months have none.
  expect(rowsOf(await ask("power", { ...range, to: range.from + 86_400, granularity: "1d" }))).toBe(`${range.from},1`);
  for (const granularity of ["1w", "1M"]) expect((await ask("power", { granularity })).status).toBe(400);
});

check("series.more-aggregations-yet", async () => {
  const messages = [
    [0, { energy: 100, power: 60 }],
    [60, { energy: 130, power: 120 }],
    [90, { energy: 10, power: 0 }],
    [180, { energy: 15, power: 30 }],
  ] as const;
  const { ask } = await meter(...messages);
  // The counter began anew between 60 and 90.
  expect(rowsOf(await ask("energy", { aggregation: "delta" }))).toBe("0,0 60,40 180,5");
  expect(rowsOf(await ask("energy", { aggregation: "delta", from: 60 }))).toBe("60,40 180,5");
  // 60 W for a minute is 1 Wh.
  expect(rowsOf(await ask("power", { aggregation: "integral" }))).toBe("0,1 60,1 120,0");
  const both = await ask("power", { aggregation: "min_max" });
  expect([headerOf(both).match(/aggregation=\w+/g), rowsOf(both)]).toEqual([
    ["aggregation=min", "aggregation=max"],
    "0,60,60 60,0,120 180,30,30",
  ]);
});

check("series.lists-as-text", async () => {
  const { ask } = await meter([0, { tags: ["a", "b"], faults: ["hot"] }]);
  const answer = await ask(["tags", "faults"]);
  expect(answer.headers.get("x-service-timeseries-data-types")).toBe("string,string");
  expect(answer.text.split("\n")[1]).toBe('0,"[""a"",""b""]","[""hot""]"');
});

check("series.rows-without-filling", async () => {
  const { ask } = await meter([0, { power: 1 }], [180, { energy: 2 }]);
  expect(rowsOf(await ask(["power", "energy"], { aggregation: "last" }))).toBe("0,1, 180,,2");
});

check("series.rows-with-locf", async () => {
  const { ask } = await meter([60, { power: 1 }], [180, { power: 2 }]);
  expect(rowsOf(await ask("power", { to: 300, gap_filling: { method: "locf" } }))).toBe("60,1 120,1 180,2 240,2");
});

check("series.look-around-window", async () => {
  const { ask } = await meter([100, { power: 1 }], [300, { power: 2 }]);
  const filled = (more: object) => ask("power", { from: 240, to: 360, gap_filling: { method: "locf", ...more } });
  expect(rowsOf(await filled({}))).toBe("300,2");
  expect(rowsOf(await filled({ look_around: "139s" }))).toBe("300,2");
  expect(rowsOf(await filled({ look_around: "140s" }))).toBe("240,1 300,2");
});

check("series.method-none", async () => {
  const { ask } = await meter([0, { power: 1 }], [180, { power: 2 }]);
  expect(rowsOf(await ask("power", { gap_filling: { method: "none" } }))).toBe("0,1 180,2");
});

check("series.global-mistake-once", async () => {
  const { id } = await meter();
  const own = { aggregation: "last", granularity: "1m", gap_filling: { method: "locf", look_around: "1m" } };
  const telemetry = [1, 2, 3].map(() => ({ device: id, attribute: "power", ...own }));
  const pointers = async (question: object) =>
    (await ask(busbar.admin, { telemetry, ...question })).errors.map(({ details }) => details);
  expect(await pointers({ granularity: "soon" })).toEqual([{ pointer: "/granularity" }]);
  const filling = { gap_filling: { method: "locf", look_around: "far" } };
  expect(await pointers(filling)).toEqual([{ pointer: "/gap_filling/look_around" }]);
  const plain = [1, 2, 3].map(() => ({ device: id, attribute: "power" }));
  expect(await pointers({ granularity: "soon", telemetry: plain })).toEqual([{ pointer: "/granularity" }]);
});

check("series.inherited-look-around", async () => {
  const { id } = await meter([0, { power: 1 }]);
  const telemetry = [{ device: id, attribute: "power", gap_filling: { method: "locf" } }];
  const gap_filling = { method: "locf", look_around: "2m" };
  expect(rowsOf(await ask(busbar.admin, { from: 60, to: 180, gap_filling, telemetry }))).toBe("60,1 120,1");
});

check("series.other-forms", async () => {
  const { id } = await meter([0, { power: 1.5, note: "x" }], [60, { power: 2 }]);
  const json = {
    from: 0,
    to: 3600,
    granularity: "1m",
    aggregation: "last",
    telemetry: [{ device: id, attribute: ["power", "note"] }],
  };
  const as = (Accept: string) => busbar.admin.call("POST", "/telemetry/v1/timeseries", { json, headers: { Accept } });
  expect((await as("*/*")).headers.get("content-type")).toBe("text/csv");
  expect((await as("application/json")).body).toMatchObject({
    columns: [{ name: "ts" }, { telemetry: "power", type: "float" }, { telemetry: "note", type: "string" }],
    rows: [
      [0, 1.5, "x"],
      [60, 2, null],
    ],
  });
  expect((await as("application/jsonl")).text).toBe(
    `{"ts":0,"${id}:power":1.5,"${id}:note":"x"}\n{"ts":60,"${id}:power":2}\n`,
  );
  expect((await as("application/vnd.apache.parquet")).text.slice(0, 4)).toBe("PAR1");
});

check("series.attribute-lists", async () => {
  const { ask } = await meter([0, { power: 1, energy: 2 }]);
  expect(rowsOf(await ask(["power", "energy"], { aggregation: "last" }))).toBe("0,1,2");
  expect((await ask(Array(10).fill("power"))).status).toBe(200);
  expect((await ask(Array(11).fill("power"))).status).toBe(400);
});

check("series.header-cell", async () => {
  const { id } = await meter();
  await busbar.admin.patch(`/v3/devices/${id}`, { slug: "header-cell" });
  const telemetry = [{ device: "header-cell", attribute: "watts" }];
  const answer = await ask(busbar.admin, { granularity: "1.50m", telemetry });
  expect(headerOf(answer)).toBe("ts,telemetry=watts device=header-cell aggregation=avg granularity=1.50m");
});

check("series.header-cell-filling", async () => {
  const { ask } = await meter();
  const answer = await ask("power", { gap_filling: { method: "locf", look_around: "90s" } });
  expect(headerOf(answer)).toMatch(/ granularity=1m gap_filling_method=locf gap_filling_look_around=90s$/);
});

check("series.csv-form", async () => {
  const { ask } = await meter([0, { note: 'a "b", c', running: true }], [60, { note: "two\nlines", running: false }]);
  const { text } = await ask(["note", "running"]);
  expect(text.slice(text.indexOf("\n") + 1)).toBe('0,"a ""b"", c",true\n60,"two\nlines",false\n');
});

check("series.streams", async () => {
  const { id } = await meter([0, { power: 1 }]);
  const response = await fetch(`${busbar.url}/telemetry/v1/timeseries`, {
    method: "POST",
    headers: { "X-Service-Auth-Token": busbar.adminToken },
    body: JSON.stringify({
      from: 0,
      to: 1_000_000,
      granularity: "1s",
      aggregation: "last",
      gap_filling: { method: "locf" },
      telemetry: [{ device: id, attribute: "power" }],
    }),
  });
  expect([response.status, response.headers.get("content-length")]).toEqual([200, null]);
  const pieces: number[] = [];
  for await (const piece of response.body ?? []) pieces.push((piece as Uint8Array).length);
  const total = pieces.reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(8_000_000);
  expect(Math.max(...pieces)).toBeLessThan(total / 4);
});

check("series.late-points", async () => {
  const { ask, send } = await meter([300, { power: 5 }], [60, { power: 1 }]);
  await send([180, { power: 3 }], [180, { power: 4 }], [60, { power: 1 }]);
  expect(rowsOf(await ask("power", { aggregation: "last" }))).toBe("60,1 180,4 300,5");
  expect(rowsOf(await ask("power", { aggregation: "count", granularity: "1h" }))).toBe("0,3");
});
