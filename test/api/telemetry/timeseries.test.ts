// POST /telemetry/v1/timeseries: a test per sentence of the interface and the decisions about ranges, buckets and cells.
import { beforeAll, describe, expect, test } from "vitest";
import { useServer } from "../../support/server.ts";
import { ask, type Connected, headerOf, rowsOf, useTelemetry } from "../../support/telemetry.ts";

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

test("rows are buckets in order of time, the first column is their start", async () => {
  const answer = await ask(busbar.admin, one("power"));
  expect(answer.headers.get("content-type")).toBe("text/csv");
  expect(answer.text).toBe("ts,telemetry=power device=meter aggregation=avg granularity=1m\n0,2\n60,10\n180,-4.5\n");
});

test("the path works under /api too, and without a content type", async () => {
  const json = { from: 0, to: 60, granularity: "1m", aggregation: "last", ...one("power") };
  const sent = { bytes: JSON.stringify(json), headers: { Accept: "text/csv", "Content-Type": "" } };
  expect(rowsOf(await busbar.admin.call("POST", "/api/telemetry/v1/timeseries", sent))).toBe("0,3");
});

test.each([
  ["0 to 60", { from: 0, to: 60 }, "0,2"],
  ["0 to 60.001", { from: 0, to: 60.001 }, "0,2 60,10"],
  ["0 to 59.999", { from: 0, to: 59.999 }, "0,1"],
  ["59.999 to 60", { from: 59.999, to: 60 }, "0,3"],
  ["0.001 to 60", { from: 0.001, to: 60 }, "0,3"],
  ["30 to 100", { from: 30, to: 100 }, "0,3 60,10"],
  ["-1000 to 1", { from: -1000, to: 1 }, "0,1"],
  ["RFC 3339", { from: "1970-01-01T00:00:30Z", to: "1970-01-01T00:01:40.000Z" }, "0,3 60,10"],
  ["RFC 3339 with an offset", { from: "1970-01-01T01:00:30+01:00", to: "1969-12-31T22:01:40-02:00" }, "0,3 60,10"],
  ["both kinds", { from: 30, to: "1970-01-01T00:01:40Z" }, "0,3 60,10"],
  ["far apart", { from: -62135596800, to: 99999999999 }, "0,2 60,10 180,-4.5"],
])("the range %s holds its start and not its end", async (_, range, rows) => {
  expect(rowsOf(await ask(busbar.admin, { ...range, ...one("power") }))).toBe(rows);
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

test.each([
  ["1s", "0,1 59,3 60,10 200,-4.5"],
  ["7s", "0,1 56,6.5 196,-4.5"],
  ["1m", "0,2 60,10 180,-4.5"],
  ["1.5m", "0,4.666666666666667 180,-4.5"],
  ["1m30s", "0,4.666666666666667 180,-4.5"],
  ["2h45m", "0,2.375"],
  ["1d", "0,2.375"],
  ["1y", "0,2.375"],
  ["1ms", "0.000,1 59.999,3 60.000,10 200.000,-4.5"],
  ["250ms", "0.000,1 59.750,3 60.000,10 200.000,-4.5"],
  ["1500ms", "0.000,1 58.500,3 60.000,10 199.500,-4.5"],
  ["60000000us", "0,2 60,10 180,-4.5"],
])(
  "buckets of %s are aligned to 1970; ts has milliseconds unless they are whole seconds",
  async (granularity, rows) => {
    expect(rowsOf(await ask(busbar.admin, { granularity, ...one("power") }))).toBe(rows);
  },
);

test("times before 1970 fall into the bucket below", async () => {
  const question = { from: -90, to: 30, gap_filling: { method: "locf" }, ...one("power") };
  expect(rowsOf(await ask(busbar.admin, question))).toBe("0,1");
  const filled = { from: -90.5, to: -29, granularity: "20s", gap_filling: { look_around: "1h" }, ...one("power") };
  expect(rowsOf(await ask(busbar.admin, filled))).toBe("");
});

/** Attribute, aggregation, type of the column, first two cells. */
test.each([
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
])("%s by %s is of type %s: %s", async (attribute, aggregation, type, cells) => {
  const answer = await ask(busbar.admin, { to: 120, aggregation, ...one(attribute) });
  expect(answer.headers.get("x-service-timeseries-data-types")).toBe(type);
  const shown = rowsOf(answer)
    .split(" ")
    .map((row) => row.slice(row.indexOf(",") + 1));
  expect(shown.join(" ")).toBe(cells);
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

test("an item's own settings win over the global ones, each for itself", async () => {
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

test("the settings may stand at the items alone", async () => {
  const telemetry = [{ device: "meter", attribute: "power", aggregation: "last", granularity: "1m" }];
  expect(rowsOf(await busbar.admin.post("/telemetry/v1/timeseries", { from: 0, to: 60, telemetry }))).toBe("0,3");
});

test("header cells are the asked words, single spaces between, with the aggregation that auto meant", async () => {
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

test("texts with commas, quotes and line breaks are quoted, lines end with a bare newline", async () => {
  const texts = ["plain", "a,b", 'say "hi"', "two\nlines", "\r", "°C 日本 😀", ""];
  const writer = await kit.connect("writer");
  for (const [i, note] of texts.entries()) await writer.device.sendTelemetry({ timestamp: i * 60, note });
  const { text } = await ask(busbar.admin, { telemetry: [{ device: "writer", attribute: "note" }] });
  const cells = ["plain", '"a,b"', '"say ""hi"""', '"two\nlines"', '"\r"', "°C 日本 😀", '""'];
  expect(text.slice(text.indexOf("\n") + 1)).toBe(cells.map((cell, i) => `${i * 60},${cell}\n`).join(""));
});

test("late, repeated and out-of-order points count, and the later write of the same time wins", async () => {
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
