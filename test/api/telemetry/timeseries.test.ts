// Time series in detail: ranges, buckets, aggregations, gap filling and cells. The request and its headers: timeseries-request.test.ts.
import { beforeAll, describe, expect, test } from "vitest";
import { check } from "../../support/check.ts";
import { useServer } from "../../support/server.ts";
import { ask, type Connected, headerOf, type Question, rowsOf, useTelemetry } from "../../support/telemetry.ts";

const busbar = useServer(["--mqtt-port", "0"]);
const kit = useTelemetry(busbar);
let meter: Connected;

const one = (attribute: unknown, more: object = {}) => ({ telemetry: [{ device: "meter", attribute, ...more }] });

beforeAll(async () => {
  meter = await kit.connect("meter");
  await meter.send("0 power=1 energy=1; 59.999 power=3 energy=2; 60 power=10 energy=4; 200 power=-4.5 energy=8");
  await meter.send("0 running=false status=idle tags=[]; 30 running=true status=busy; 45 running=false");
  await meter.send('60 running=false status=idle tags=["a","b,c"] alerts=["hot"] faults=[]');
});

let made = 0;
/** A new device that has sent these messages. */
async function sent(messages = "") {
  const { id, send } = await kit.connect(`sent-${++made}`);
  if (messages !== "") await send(messages);
  const item = { device: id };
  return {
    id,
    ask: (attribute: unknown, question: Question = {}) =>
      ask(busbar.admin, { telemetry: [{ ...item, attribute }], ...question }),
  };
}

test("rows are buckets in order of time, the first column is their start", async () => {
  const answer = await ask(busbar.admin, one("power"));
  expect(answer.headers.get("content-type")).toBe("text/csv");
  expect(answer.text).toBe("ts,telemetry=power device=meter aggregation=avg granularity=1m\n0,2\n60,10\n180,-4.5\n");
});

check("series.half-open-range", async () => {
  for (const [range, rows] of [
    [{ from: 0, to: 60 }, "0,2"],
    [{ from: 0, to: 60.001 }, "0,2 60,10"],
    [{ from: 0, to: 59.999 }, "0,1"],
    [{ from: 59.999, to: 60 }, "0,3"],
    [{ from: 0.001, to: 60 }, "0,3"],
    [{ from: 30, to: 100 }, "0,3 60,10"],
    [{ from: -1000, to: 1 }, "0,1"],
    [{ from: "1970-01-01T00:00:30Z", to: "1970-01-01T00:01:40.000Z" }, "0,3 60,10"],
    [{ from: "1970-01-01T01:00:30+01:00", to: "1969-12-31T22:01:40-02:00" }, "0,3 60,10"],
    [{ from: 30, to: "1970-01-01T00:01:40Z" }, "0,3 60,10"],
    [{ from: -62135596800, to: 99999999999 }, "0,2 60,10 180,-4.5"],
  ] as const) {
    expect([range, rowsOf(await ask(busbar.admin, { ...range, ...one("power") }))]).toEqual([range, rows]);
  }
});

test("a border that a double cannot hold exactly is still a border", async () => {
  const exact = await kit.connect("exact");
  const times = Array.from({ length: 200 }, (_, i) => (1_700_000_000_000 + i * 7) / 1000);
  await exact.send(times.map((time) => `${time} power=1`).join(";"));
  const telemetry = [{ device: "exact", attribute: "power" }];
  for (const [i, from] of times.entries()) {
    const question = { from, to: 1_700_000_010, granularity: "1y", aggregation: "count", telemetry };
    expect(rowsOf(await ask(busbar.admin, question)).split(",")[1]).toBe(String(times.length - i));
  }
});

check("series.epoch-buckets", async () => {
  for (const [granularity, rows] of [
    ["1s", "0,1 59,3 60,10 200,-4.5"],
    ["7s", "0,1 56,6.5 196,-4.5"],
    ["1m", "0,2 60,10 180,-4.5"],
    ["1.5m", "0,4.666666666666667 180,-4.5"],
    ["1m30s", "0,4.666666666666667 180,-4.5"],
    ["2h45m", "0,2.375"],
    ["1d", "0,2.375"],
    ["1y", "0,2.375"],
    ["60000000us", "0,2 60,10 180,-4.5"],
  ] as const) {
    expect([granularity, rowsOf(await ask(busbar.admin, { granularity, ...one("power") }))]).toEqual([
      granularity,
      rows,
    ]);
  }
});

// Milliseconds, unless buckets are whole seconds.
check("series.ts-format", async () => {
  for (const [granularity, rows] of [
    ["1ms", "0.000,1 59.999,3 60.000,10 200.000,-4.5"],
    ["250ms", "0.000,1 59.750,3 60.000,10 200.000,-4.5"],
    ["1500ms", "0.000,1 58.500,3 60.000,10 199.500,-4.5"],
  ] as const) {
    expect([granularity, rowsOf(await ask(busbar.admin, { granularity, ...one("power") }))]).toEqual([
      granularity,
      rows,
    ]);
  }
});

test("times before 1970 fall into the bucket below", async () => {
  const question = { from: -90, to: 30, gap_filling: { method: "locf" }, ...one("power") };
  expect(rowsOf(await ask(busbar.admin, question))).toBe("0,1");
  const filled = { from: -90.5, to: -29, granularity: "20s", gap_filling: { look_around: "1h" }, ...one("power") };
  expect(rowsOf(await ask(busbar.admin, filled))).toBe("");
});

/** Attribute, aggregation, type of the column, first two cells. */
const COLUMNS: readonly (readonly [attribute: string, aggregation: string, type: string, cells: string])[] = [
  ["power", "auto", "float", "2 10"],
  ["power", "avg", "float", "2 10"],
  ["power", "last", "float", "3 10"],
  ["power", "first", "float", "1 10"],
  ["power", "min", "float", "1 10"],
  ["power", "max", "float", "3 10"],
  ["power", "sum", "float", "4 10"],
  ["power", "count", "integer", "2 1"],
  ["power", "delta", "float", "2 7"],
  ["power", "integral", "float", "0.016667222222222222 0.16666666666666666"],
  ["power", "min_max", "float,float", "1,3 10,10"],
  ["energy", "auto", "float", "1.5 4"],
  ["energy", "avg", "float", "1.5 4"],
  ["energy", "last", "integer", "2 4"],
  ["energy", "first", "integer", "1 4"],
  ["energy", "min", "integer", "1 4"],
  ["energy", "max", "integer", "2 4"],
  ["energy", "sum", "integer", "3 4"],
  ["energy", "count", "integer", "2 1"],
  ["energy", "delta", "integer", "1 2"],
  ["running", "auto", "boolean", "false false"],
  ["running", "last", "boolean", "false false"],
  ["running", "first", "boolean", "false false"],
  ["running", "bool_or", "boolean", "true false"],
  ["running", "count", "integer", "3 1"],
  ["status", "auto", "string", "busy idle"],
  ["status", "last", "string", "busy idle"],
  ["status", "first", "string", "idle idle"],
  ["status", "count", "integer", "2 1"],
  ["tags", "auto", "string", '[] "[""a"",""b,c""]"'],
  ["tags", "last", "string", '[] "[""a"",""b,c""]"'],
  ["alerts", "auto", "string", '"[""hot""]"'],
  ["faults", "last", "string", "[]"],
];

async function expectColumns(aggregations: readonly string[]): Promise<void> {
  for (const [attribute, aggregation, type, cells] of COLUMNS.filter(([, name]) => aggregations.includes(name))) {
    const answer = await ask(busbar.admin, { to: 120, aggregation, ...one(attribute) });
    const shown = rowsOf(answer)
      .split(" ")
      .map((row) => row.slice(row.indexOf(",") + 1));
    const types = answer.headers.get("x-service-timeseries-data-types");
    expect([attribute, aggregation, types, shown.join(" ")]).toEqual([attribute, aggregation, type, cells]);
  }
}

check("series.avg-gives-float", () => expectColumns(["avg"]));

check("series.last-keeps-type", () => expectColumns(["last"]));

check("series.more-aggregations", () => expectColumns(["first", "min", "max", "sum", "count", "bool_or"]));

check("series.auto-by-type", async () => {
  await expectColumns(["auto"]);
  const answer = await ask(busbar.admin, {
    aggregation: "auto",
    ...one(["power", "energy", "running", "note", "tags"]),
  });
  expect([...headerOf(answer).matchAll(/aggregation=(\w+)/g)].map(([, name]) => name)).toEqual([
    "avg",
    "avg",
    "last",
    "last",
    "last",
  ]);
});

check("series.lists-as-text", async () => {
  const { ask } = await sent('0 tags=["a","b"] faults=["hot"]');
  const answer = await ask(["tags", "faults"]);
  expect(answer.headers.get("x-service-timeseries-data-types")).toBe("string,string");
  expect(answer.text.split("\n")[1]).toBe('0,"[""a"",""b""]","[""hot""]"');
});

test.each([
  ["running", "avg"],
  ["running", "min"],
  ["running", "sum"],
  ["status", "avg"],
  ["status", "bool_or"],
  ["note", "max"],
  ["tags", "avg"],
  ["faults", "sum"],
  ["power", "bool_or"],
  ["running", "delta"],
  ["status", "integral"],
  ["tags", "min_max"],
])("%s by %s is refused, naming what there is", async (attribute, aggregation) => {
  const refused = await ask(busbar.admin, { aggregation, ...one(attribute) });
  expect(refused.status).toBe(400);
  expect(refused.errors).toMatchObject([{ code: "invalid_body", details: { pointer: "/telemetry/0" } }]);
  expect(refused.errors[0]?.message).toMatch(/it has auto, /);
});

test("several columns share their rows; an absent value is an empty cell", async () => {
  const answer = await ask(busbar.admin, one(["power", "tags", "note", "status"]));
  expect(answer.text.split("\n").slice(1, -1)).toEqual([
    "0,2,[],,busy",
    '60,10,"[""a"",""b,c""]",,idle',
    "180,-4.5,,,",
  ]);
  expect(answer.headers.get("x-service-timeseries-data-types")).toBe("float,string,string,string");
});

// An item's own settings win over the global ones, each for itself.
check("series.header-cell-filling", async () => {
  const answer = await ask(busbar.admin, {
    to: 240,
    aggregation: "avg",
    granularity: "1m",
    gap_filling: { method: "locf", look_around: "1h" },
    telemetry: [
      { device: "meter", attribute: "power" },
      { device: "meter", attribute: "power", aggregation: "max", gap_filling: { method: "none" } },
      { device: meter.id, attribute: "p", granularity: "2m", gap_filling: { look_around: "5s" } },
    ],
  });
  expect(headerOf(answer).split(",").slice(1)).toEqual([
    "telemetry=power device=meter aggregation=avg granularity=1m gap_filling_method=locf gap_filling_look_around=1h",
    "telemetry=power device=meter aggregation=max granularity=1m",
    `telemetry=p device=${meter.id} aggregation=avg granularity=2m gap_filling_method=locf gap_filling_look_around=5s`,
  ]);
  expect(rowsOf(answer)).toBe("0,2,3,4.666666666666667 60,10,10, 120,10,,-4.5 180,-4.5,-4.5,");
});

// The asked words, single spaces between, with the aggregation that auto meant.
check("series.header-cell", async () => {
  const answer = await ask(busbar.admin, {
    granularity: "60s",
    gap_filling: { method: "locf" },
    telemetry: [
      { device: "meter", attribute: ["watts", "status"] },
      { device: "meter", attribute: "energy", aggregation: "last", granularity: "1.50m" },
    ],
  });
  expect(headerOf(answer)).toBe(
    [
      "ts",
      "telemetry=watts device=meter aggregation=avg granularity=60s gap_filling_method=locf gap_filling_look_around=0s",
      "telemetry=status device=meter aggregation=last granularity=60s gap_filling_method=locf gap_filling_look_around=0s",
      "telemetry=energy device=meter aggregation=last granularity=1.50m gap_filling_method=locf gap_filling_look_around=0s",
    ].join(","),
  );
});

test("a range without points is a header alone", async () => {
  expect((await ask(busbar.admin, { from: 5000, to: 6000, ...one("power") })).text).toBe(
    "ts,telemetry=power device=meter aggregation=avg granularity=1m\n",
  );
  expect(rowsOf(await ask(busbar.admin, one("internal")))).toBe("");
});

check("series.csv-form", async () => {
  const texts = ["plain", "a,b", 'say "hi"', "two\nlines", "\r", "°C 日本 😀", ""];
  const writer = await kit.connect("writer");
  for (const [i, note] of texts.entries()) await writer.device.sendTelemetry({ timestamp: i * 60, note });
  const { text } = await ask(busbar.admin, { telemetry: [{ device: "writer", attribute: "note" }] });
  const cells = ["plain", '"a,b"', '"say ""hi"""', '"two\nlines"', '"\r"', "°C 日本 😀", '""'];
  expect(text.slice(text.indexOf("\n") + 1)).toBe(cells.map((cell, i) => `${i * 60},${cell}\n`).join(""));
  const flags = await ask(busbar.admin, one("running", { aggregation: "last", granularity: "15s" }));
  expect(rowsOf(flags)).toBe("0,false 30,true 45,false 60,false");
});

check("series.late-points", async () => {
  const late = await kit.connect("late");
  await late.send("300 power=5; 60 power=1; 180 power=3");
  await late.send("180 power=4");
  await late.send("120 power=2; 60 power=1");
  const question = { aggregation: "last", telemetry: [{ device: "late", attribute: "power" }] };
  expect(rowsOf(await ask(busbar.admin, question))).toBe("60,1 120,2 180,4 300,5");
  expect(rowsOf(await ask(busbar.admin, { ...question, granularity: "1h", aggregation: "count" }))).toBe("0,4");
});

test("a device whose blueprint changed an attribute's type answers with what is of the new type", async () => {
  const changing = await kit.connect("changing");
  await changing.send("60 power=1");
  const bytes = `blueprint_spec: device/3.0
display_name: Changed
runtime: { type: embedded }
telemetry: { power: { type: string, display_name: Power } }
`;
  const made = await busbar.admin.call<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", { bytes });
  const body = { blueprint_id: made.body.blueprint.id };
  expect((await busbar.admin.post(`/v3/devices/changing/assign_blueprint`, body)).status).toBe(200);
  await changing.send("120 power=high");
  const answer = await ask(busbar.admin, { telemetry: [{ device: "changing", attribute: "power" }] });
  expect([rowsOf(answer), answer.headers.get("x-service-timeseries-data-types")]).toEqual(["120,high", "string"]);
});

test("a deleted device takes its telemetry with it", async () => {
  const gone = await kit.connect("gone");
  await gone.send("60 power=1");
  const before = await ask(busbar.admin, { telemetry: [{ device: gone.id, attribute: "power" }] });
  expect(rowsOf(before)).toBe("60,1");
  expect((await busbar.admin.delete(`/v3/devices/${gone.id}`)).status).toBe(200);
  expect((await ask(busbar.admin, { telemetry: [{ device: gone.id, attribute: "power" }] })).status).toBe(404);
});

describe("calendars and what flows", () => {
  const refusalsOf = async (question: object) => {
    const { status, errors } = await ask(busbar.admin, { ...one("power"), ...question });
    return [status, errors.map(({ details }) => details?.["pointer"])];
  };

  const method = { method: "locf" };
  const filling = (more: object) => ({
    telemetry: [{ device: "meter", attribute: "power", gap_filling: method, ...more }],
  });
  const filledBy = (more: object) => ({
    gap_filling: method,
    telemetry: [{ device: "meter", attribute: "power", ...more }],
  });

  test.each([
    ["no time zone of this name", { granularity: "1d", timezone: "Europe/Atlantis" }, ["/timezone"]],
    ["an offset is no time zone", { timezone: "+02:00" }, ["/timezone"]],
    ["a week without a time zone", { granularity: "1w" }, ["/granularity"]],
    ["a month without a time zone", { granularity: "1M" }, ["/granularity"]],
    ["several months", { granularity: "3M", timezone: "Europe/Berlin" }, ["/granularity"]],
    ["a filled delta", { aggregation: "delta", gap_filling: { method: "locf" } }, ["/telemetry/0"]],
    ["a filled integral", { aggregation: "integral", gap_filling: { look_around: "1s" } }, ["/telemetry/0"]],
    ["a filled delta of an item", filledBy({ aggregation: "delta" }), ["/telemetry/0/aggregation"]],
    ["an item that fills itself", { aggregation: "delta", ...filling({}) }, ["/telemetry/0/gap_filling"]],
  ])("%s is refused where it stands", async (_, question, pointers) => {
    expect(await refusalsOf(question)).toEqual([400, pointers]);
  });

  test.each([
    [
      "1500us",
      "must be a whole number of milliseconds, because points have times in whole milliseconds: take 1ms or 2ms",
    ],
    [
      "1.5ms",
      "must be a whole number of milliseconds, because points have times in whole milliseconds: take 1ms or 2ms",
    ],
    ["500us", "must be at least 1ms, because points have times in whole milliseconds"],
    ["1ns", "must be at least 1ms, because points have times in whole milliseconds"],
  ])("a granularity of %s is refused, and the error says why", async (granularity, why) => {
    const { status, errors } = await ask(busbar.admin, { ...one("power"), granularity });
    expect([status, errors.map(({ message, details }) => [message, details?.["pointer"]])]).toEqual([
      400,
      [[`granularity ${why}`, "/granularity"]],
    ]);
  });

  test("an item may have a time zone of its own; the header names it where the calendar counts", async () => {
    const item = { device: "meter", attribute: "power" };
    const telemetry = [
      { ...item, granularity: "1M", timezone: "Asia/Kolkata" },
      { ...item, granularity: "1h" },
    ];
    const answer = await ask(busbar.admin, { telemetry, timezone: "Europe/Berlin", aggregation: "last" });
    expect(headerOf(answer).split(",").slice(1)).toEqual([
      "telemetry=power device=meter aggregation=last granularity=1M timezone=Asia/Kolkata",
      "telemetry=power device=meter aggregation=last granularity=1h",
    ]);
  });
});

const unix = (text: string) => Date.parse(text) / 1_000;

check("series.from-before-to", async () => {
  const { ask } = await sent();
  for (const to of [60, 59]) {
    const refused = await ask("power", { from: 60, to });
    expect([refused.status, refused.errors[0]?.details]).toEqual([400, { pointer: "/from" }]);
  }
});

check("series.milliseconds-400", async () => {
  const { ask } = await sent();
  const refused = await ask("power", { from: 0, to: 1_763_121_600_000 });
  expect([refused.status, refused.errors[0]?.message]).toEqual([400, expect.stringContaining("milliseconds")]);
});

check("series.year-365-d", async () => {
  const year = 365 * 86_400;
  const { ask } = await sent(`${year - 1} power=1; ${year} power=2`);
  expect(rowsOf(await ask("power", { to: 2 * year, granularity: "1y" }))).toBe(`0,1 ${year},2`);
});

check("series.below-1-ms", async () => {
  const { ask } = await sent();
  for (const granularity of ["999us", "1ns"]) expect((await ask("power", { granularity })).status).toBe(400);
  expect((await ask("power", { granularity: "1ms" })).status).toBe(200);
});

check("series.row-limit", async () => {
  const { ask } = await sent("0 power=1");
  const filled = { gap_filling: { method: "locf" }, granularity: "1s" };
  const refused = await ask("power", { to: 1_000_001, ...filled });
  expect(refused.status).toBe(400);
  expect(refused.errors[0]?.message.replaceAll(/\D/g, "")).toContain("1000000");
  const coarser = await ask("power", { to: 1_000_001, ...filled, granularity: "1h" });
  expect(coarser.status).toBe(200);
});

check("series.calendar-granularities", async () => {
  const days = ["2025-03-29", "2025-03-30", "2025-03-31", "2025-04-02", "2026-01-01"];
  const { ask } = await sent(days.map((day) => `${unix(`${day}T12:00Z`)} power=1`).join(";"));
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
  const { ask } = await sent(
    "0 energy=100 power=60; 60 energy=130 power=120; 90 energy=10 power=0; 180 energy=15 power=30",
  );
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

check("series.rows-without-filling", async () => {
  const { ask } = await sent("0 power=1; 180 energy=2");
  expect(rowsOf(await ask(["power", "energy"], { aggregation: "last" }))).toBe("0,1, 180,,2");
});

check("series.rows-with-locf", async () => {
  const { ask } = await sent("60 power=1; 180 power=2");
  expect(rowsOf(await ask("power", { to: 300, gap_filling: { method: "locf" } }))).toBe("60,1 120,1 180,2 240,2");
});

check("series.look-around-window", async () => {
  const { ask } = await sent("100 power=1; 300 power=2");
  const filled = (more: object) => ask("power", { from: 240, to: 360, gap_filling: { method: "locf", ...more } });
  expect(rowsOf(await filled({}))).toBe("300,2");
  expect(rowsOf(await filled({ look_around: "139s" }))).toBe("300,2");
  expect(rowsOf(await filled({ look_around: "140s" }))).toBe("240,1 300,2");
});

check("series.method-none", async () => {
  const { ask } = await sent("0 power=1; 180 power=2");
  expect(rowsOf(await ask("power", { gap_filling: { method: "none" } }))).toBe("0,1 180,2");
});

check("series.global-mistake-once", async () => {
  const { id } = await sent();
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

check("series.attribute-lists", async () => {
  const { ask } = await sent("0 power=1 energy=2");
  expect(rowsOf(await ask(["power", "energy"], { aggregation: "last" }))).toBe("0,1,2");
  expect((await ask(Array(10).fill("power"))).status).toBe(200);
  expect((await ask(Array(11).fill("power"))).status).toBe(400);
});

check("series.streams", async () => {
  const { id } = await sent("0 power=1");
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
