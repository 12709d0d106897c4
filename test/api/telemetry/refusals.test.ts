// What a time-series request is refused for: everything at once, each with a pointer to its place.
import { beforeAll, expect, test } from "vitest";
import { useServer } from "../../support/server.ts";
import { ask, rowsOf, useTelemetry } from "../../support/telemetry.ts";

const busbar = useServer(["--mqtt-port", "0"]);
const kit = useTelemetry(busbar);
const power = { telemetry: [{ device: "meter", attribute: "power" }] };

beforeAll(async () => {
  const meter = await kit.connect("meter");
  await meter.send("0 power=1 internal=2; 1700000000 power=2; 1700000000.5 power=3");
});

test.each([
  ["from = to", { from: 60, to: 60 }, "/from"],
  ["from after to", { from: 61, to: 60 }, "/from"],
  ["from after to in texts", { from: "2026-01-02T00:00:00Z", to: "2026-01-01T00:00:00Z" }, "/from"],
  ["a date without a time", { from: "2026-01-01" }, "/from"],
  ["nonsense", { to: "tomorrow" }, "/to"],
  ["a boolean", { to: true }, "/to"],
  ["null", { from: null }, "/from"],
  ["an unknown aggregation", { aggregation: "mean" }, "/aggregation"],
  ["no unit", { granularity: "60" }, "/granularity"],
  ["a negative granularity", { granularity: "-1m" }, "/granularity"],
  ["no length", { granularity: "0s" }, "/granularity"],
  ["less than a millisecond", { granularity: "999us" }, "/granularity"],
  ["parts of milliseconds", { granularity: "1.5ms" }, "/granularity"],
  ["too long a granularity", { granularity: "293y" }, "/granularity"],
  ["a number as granularity", { granularity: 60 }, "/granularity"],
  ["another method", { gap_filling: { method: "linear" } }, "/gap_filling/method"],
  ["a bad look_around", { gap_filling: { look_around: "long" } }, "/gap_filling/look_around"],
  ["too long a look_around", { gap_filling: { look_around: "293y" } }, "/gap_filling/look_around"],
  ["no telemetry", { telemetry: [] }, "/telemetry"],
  ["an item without a device", { telemetry: [{ attribute: "power" }] }, "/telemetry/0/device"],
  ["an item without an attribute", { telemetry: [{ device: "meter" }] }, "/telemetry/0/attribute"],
  ["an empty list of attributes", { telemetry: [{ device: "meter", attribute: [] }] }, "/telemetry/0/attribute"],
  ["eleven items", { telemetry: Array(11).fill(power.telemetry[0]) }, "/telemetry"],
  ["an unknown field", { granularit: "1m" }, "/granularit"],
  ["an unknown field of an item", { telemetry: [{ ...power.telemetry[0], agg: "avg" }] }, "/telemetry/0/agg"],
])("%s is refused at its place", async (_, wrong, pointer) => {
  const refused = await ask(busbar.admin, { ...power, ...wrong });
  expect([refused.status, refused.headers.get("content-type")]).toEqual([400, "application/json"]);
  expect(refused.errors).toContainEqual(
    expect.objectContaining({ code: "invalid_body", details: expect.objectContaining({ pointer }) }),
  );
});

test.each([1_700_000_000_000, -1_700_000_000_000, 1e11])(
  "the number %d can only be milliseconds, and the refusal says so",
  async (from) => {
    const refused = await ask(busbar.admin, { ...power, from, to: 99_999_999_999 });
    expect(refused.status).toBe(400);
    expect(refused.errors[0]?.message).toContain("milliseconds");
  },
);

test("settings that stand nowhere are refused at each item that lacks them", async () => {
  const telemetry = [
    { device: "meter", attribute: "power", aggregation: "avg" },
    { device: "meter", attribute: "power", granularity: "1m" },
    { device: "meter", attribute: "power", granularity: "1m", aggregation: "avg" },
  ];
  const refused = await busbar.admin.post("/telemetry/v1/timeseries", { from: 0, to: 60, telemetry });
  expect(refused.errors.map((error) => error.details?.["pointer"])).toEqual([
    "/telemetry/0/granularity",
    "/telemetry/1/aggregation",
  ]);
});

test("all problems of a request are reported at once", async () => {
  const refused = await ask(busbar.admin, {
    from: 1e12,
    to: "soon",
    granularity: "1",
    gap_filling: { method: "locf", look_around: "x" },
    telemetry: [
      { device: "meter", attribute: Array(6).fill("power") },
      { device: "meter", attribute: Array(5).fill("p") },
    ],
  });
  expect(refused.errors.map((error) => error.details?.["pointer"]).sort()).toEqual([
    "/from",
    "/gap_filling/look_around",
    "/granularity",
    "/telemetry",
    "/to",
  ]);
});

test("mistakes that a schema can find and mistakes that it cannot are reported together", async () => {
  const refused = await busbar.admin.post("/telemetry/v1/timeseries?pretty=1", {
    from: 60,
    to: 0,
    granularity: "1",
    aggregation: "median",
    gap_filling: { method: "linear", look_around: "x" },
    telemetry: [{ device: "meter", attribute: "power", granularity: "soon", timezone: "Mars" }, { device: "meter" }],
  });
  expect(refused.status).toBe(400);
  expect(refused.errors.map(({ details }) => details?.["pointer"] ?? details?.["parameter"]).sort()).toEqual([
    "/aggregation",
    "/from",
    "/gap_filling/look_around",
    "/gap_filling/method",
    "/granularity",
    "/telemetry/0/granularity",
    "/telemetry/0/timezone",
    "/telemetry/1/attribute",
    "pretty",
  ]);
});

test.each([
  { from: [], to: {}, granularity: 5, gap_filling: [], telemetry: {} },
  { from: null, granularity: null, gap_filling: { look_around: 1 }, telemetry: [null, 5, [], "x"] },
  { granularity: "x".repeat(100), telemetry: [] },
])("a field of the wrong type is reported once: %j", async (body) => {
  const { status, errors } = await busbar.admin.post("/telemetry/v1/timeseries", body);
  const places = errors.map(({ details }) => details?.["pointer"]);
  expect([status, new Set(places).size]).toEqual([400, places.length]);
});

test("what is wrong with settings and what is wrong with names is reported together", async () => {
  const reader = busbar.as(await busbar.token({ level: "readonly" }));
  const telemetry = [
    { device: "meter", attribute: ["powr", "internal"], granularity: "1" },
    { device: "nobody", attribute: "power" },
    { device: "meter", attribute: "status", aggregation: "avg", gap_filling: { look_around: "far" } },
  ];
  const refused = await ask(reader, { from: 60, to: 0, telemetry });
  expect(refused.status).toBe(403);
  expect(refused.errors.map(({ code, details }) => `${code} ${details?.["pointer"]}`)).toEqual([
    "forbidden /telemetry/0",
    "invalid_body /from",
    "invalid_body /telemetry/0/granularity",
    "invalid_body /telemetry/2/gap_filling/look_around",
    "attribute_not_found /telemetry/0",
    "device_not_found /telemetry/1",
    "invalid_body /telemetry/2/aggregation",
  ]);
});

test.each([
  [{ granularity: "1" }, "/granularity"],
  [{ granularity: "0.5ms" }, "/granularity"],
  [{ gap_filling: { method: "locf", look_around: "far" } }, "/gap_filling/look_around"],
  [{ gap_filling: { method: "none", look_around: "far" } }, "/gap_filling/look_around"],
  [{ aggregation: "mean" }, "/aggregation"],
])(
  "the mistake in the global setting %j is one error at its own place, also where every item has its own",
  async (wrong, pointer) => {
    const own = { aggregation: "avg", granularity: "1m", gap_filling: { method: "locf", look_around: "1h" } };
    const telemetry = Array(3).fill({ ...power.telemetry[0], ...own });
    for (const items of [telemetry, Array(3).fill(power.telemetry[0])]) {
      const refused = await ask(busbar.admin, { ...wrong, telemetry: items });
      expect([refused.status, refused.errors.map(({ details }) => details?.["pointer"])]).toEqual([400, [pointer]]);
    }
  },
);

test("too many rows are reported where their granularity stands, and a global aggregation at the item it does not fit", async () => {
  const item = { ...power.telemetry[0], granularity: "1ms" };
  const rows = await ask(busbar.admin, { from: 0, to: 3600, gap_filling: { method: "locf" }, telemetry: [item] });
  expect(rows.errors.map(({ details }) => details?.["pointer"])).toEqual(["/telemetry/0/granularity"]);
  const telemetry = [...power.telemetry, { device: "meter", attribute: "status" }];
  const types = await ask(busbar.admin, { aggregation: "avg", telemetry });
  expect(types.errors.map(({ details }) => details?.["pointer"])).toEqual(["/telemetry/1"]);
});

test("a duration that is too long is named as such, with the limit", async () => {
  for (const wrong of [{ granularity: "293y" }, { gap_filling: { look_around: "9999999999h" } }]) {
    const [error] = (await ask(busbar.admin, { ...power, ...wrong })).errors;
    expect(error?.message).toMatch(/is too long: a duration is at most 106751d/);
  }
});

test("settings of an item that are null or empty are not given", async () => {
  const unset = { aggregation: null, granularity: "", gap_filling: null };
  const answer = await ask(busbar.admin, { to: 60, telemetry: [{ ...power.telemetry[0], ...unset }] });
  expect(rowsOf(answer)).toBe("0,1");
});

test("a time of another type is one error that says what is wanted", async () => {
  const refused = await ask(busbar.admin, { ...power, from: {} });
  expect(refused.errors).toEqual([
    {
      code: "invalid_body",
      message: "from does not fit: Unix seconds, or an RFC 3339 date-time.",
      details: { pointer: "/from" },
    },
  ]);
});

test("a slug that devices of several sites have is reported at its place, beside the rest", async () => {
  await kit.create("twin");
  const site = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Twin" })).body.site.id;
  const twin = { name: "twin", slug: "twin", site_id: site, blueprint_id: kit.blueprintId };
  await busbar.admin.post("/v3/provisioning/standalone", twin);
  const telemetry = ["twin", "nobody"].map((device) => ({ device, attribute: "power" }));
  const refused = await ask(busbar.admin, { telemetry });
  expect(refused.errors.map(({ code, details }) => [code, details?.["pointer"]])).toEqual([
    ["slug_ambiguous", "/telemetry/0"],
    ["device_not_found", "/telemetry/1"],
  ]);
});

test("the limit of ten counts attributes, also those of lists", async () => {
  const six = { device: "meter", attribute: Array(6).fill("power") };
  const refused = await ask(busbar.admin, { telemetry: [six, { ...six, attribute: Array(5).fill("power") }] });
  expect(refused.errors).toMatchObject([{ code: "invalid_body", details: { pointer: "/telemetry" } }]);
  expect(refused.errors[0]?.message).toContain("10");
  const ten = await ask(busbar.admin, { to: 60, telemetry: [six, { ...six, attribute: Array(4).fill("power") }] });
  expect(rowsOf(ten)).toBe(`0${",1".repeat(10)}`);
});

test("unknown devices, unknown attributes and forbidden ones are all reported, each with its place", async () => {
  const reader = busbar.as(await busbar.token({ level: "readonly" }));
  const telemetry = [
    { device: "nobody", attribute: "power" },
    { device: "meter", attribute: ["power", "internal"] },
    { device: "meter", attribute: "powr" },
  ];
  const refused = await ask(reader, { telemetry });
  expect(refused.status).toBe(403);
  expect(refused.errors.map(({ code, details }) => [code, details])).toEqual([
    ["forbidden", { device: "meter", attribute: "internal", pointer: "/telemetry/1" }],
    ["device_not_found", { device: "nobody", attribute: "power", pointer: "/telemetry/0" }],
    ["attribute_not_found", { device: "meter", attribute: "powr", pointer: "/telemetry/2" }],
  ]);
});

test("an attribute above the token's level is 403 and named, and open to the level", async () => {
  const telemetry = [{ device: "meter", attribute: "internal" }];
  const refused = await ask(busbar.as(await busbar.token({ level: "user" })), { telemetry });
  expect(refused.status).toBe(403);
  expect(refused.errors[0]?.message).toContain("internal");
  const allowed = await ask(busbar.as(await busbar.token({ level: "owner" })), { telemetry });
  expect(rowsOf(allowed)).toBe("0,2");
});

test("a device of another site is exactly as unknown as one that never was", async () => {
  const site = (await busbar.admin.post<{ site: { id: string } }>("/v3/sites", { name: "Elsewhere" })).body.site.id;
  const stranger = busbar.as(await busbar.token({ level: "vendor", site_ids: [site] }));
  const hidden = await ask(stranger, power);
  const unknown = await ask(stranger, { telemetry: [{ device: "retem", attribute: "power" }] });
  expect(hidden.text.replaceAll("meter", "retem")).toBe(unknown.text);
  expect(hidden.status).toBe(404);
});

test.each([
  ["no body", undefined],
  ["no JSON", "{"],
  ["a list", "[]"],
  ["a text", '"x"'],
])("%s is refused", async (_, bytes) => {
  const refused = await busbar.admin.call("POST", "/telemetry/v1/timeseries", bytes === undefined ? {} : { bytes });
  expect(refused.status).toBe(400);
});

const FILL = { gap_filling: { method: "locf" } };

test.each([
  ["filled seconds of twelve days", { from: 0, to: 1_000_001, granularity: "1s", ...FILL }],
  ["filled milliseconds of an hour", { from: 0, to: 3600, granularity: "1ms", ...FILL }],
])("%s are more than 1,000,000 rows, which is refused naming the limit", async (_, question) => {
  const refused = await ask(busbar.admin, { ...power, ...question });
  expect(refused.status).toBe(400);
  expect(refused.errors[0]?.message).toContain("1000000 rows");
});

test.each([
  ["exactly the limit", { from: 0, to: 1_000_000, granularity: "1s", ...FILL }, 1_000_000],
  ["filled from the middle on", { from: 1_699_999_000, to: 1_700_001_000, granularity: "2ms", ...FILL }, 500_000],
])("%s is answered", async (_, question, rows) => {
  const answer = await ask(busbar.admin, { ...power, ...question });
  expect(answer.status).toBe(200);
  expect(answer.text.split("\n").length - 2).toBe(rows);
});

test("few points over a long range are answered however fine the buckets", async () => {
  const answer = await ask(busbar.admin, { from: -1e10, to: 9e10, granularity: "1ms", ...power });
  expect(rowsOf(answer)).toBe("0.000,1 1700000000.000,2 1700000000.500,3");
});

test("a filled series without any value is answered however fine the buckets", async () => {
  const telemetry = [{ device: "meter", attribute: "note" }];
  expect(rowsOf(await ask(busbar.admin, { from: 0, to: 1e9, granularity: "1s", ...FILL, telemetry }))).toBe("");
});
