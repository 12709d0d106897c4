// Gap filling of time series: last observation carried forward, and how far back it may come from.
import { beforeAll, expect, test } from "vitest";
import { check } from "../../support/check.ts";
import { useServer } from "../../support/server.ts";
import { ask, rowsOf, useTelemetry } from "../../support/telemetry.ts";

const busbar = useServer(["--mqtt-port", "0"]);
const kit = useTelemetry(busbar);

beforeAll(async () => {
  const meter = await kit.connect("meter");
  await meter.send("60 power=1 status=idle; 80 power=3; 240 power=5; 250 running=true; 300 energy=7 status=busy");
});

const filled = (from: number, to: number, more: object) =>
  ask(busbar.admin, { from, to, telemetry: [{ device: "meter", attribute: "power" }], ...more }).then(rowsOf);

test.each([
  ["none", { method: "none" }, "60,2 240,5"],
  ["none with look_around", { method: "none", look_around: "1h" }, "60,2 240,5"],
  ["locf", { method: "locf" }, "60,2 120,2 180,2 240,5 300,5 360,5"],
  ["no method but look_around", { look_around: "0s" }, "60,2 120,2 180,2 240,5 300,5 360,5"],
  ["nothing", {}, "60,2 240,5"],
])("gap_filling with %s fills every bucket from the first known value on, or none", async (_, gap_filling, rows) => {
  expect(await filled(0, 420, { gap_filling })).toBe(rows);
});

test.each([
  ["0s", 100, "240,5 300,5"],
  ["19s", 100, "240,5 300,5"],
  ["20s", 100, "60,3 120,3 180,3 240,5 300,5"],
  ["39s", 100, "60,3 120,3 180,3 240,5 300,5"],
  ["1h", 100, "60,3 120,3 180,3 240,5 300,5"],
  ["60s", 120, "120,3 180,3 240,5 300,5"],
  ["1h", 240, "240,5 300,5"],
  ["59s", 300, ""],
  ["60s", 300, "300,5"],
  ["1h", 60, "60,2 120,2 180,2 240,5 300,5"],
])(
  "look_around %s from %d finds the last value before the range within its window only",
  async (look_around, from, rows) => {
    expect(await filled(from, 360, { gap_filling: { method: "locf", look_around } })).toBe(rows);
  },
);

test("a bucket's own value is aggregated from the range alone, never from the look-around", async () => {
  const gap_filling = { method: "locf", look_around: "1h" };
  expect(await filled(80, 120, { gap_filling, aggregation: "avg" })).toBe("60,3");
  expect(await filled(61, 120, { gap_filling, aggregation: "min" })).toBe("60,3");
  expect(await filled(61, 80, { gap_filling, aggregation: "min" })).toBe("60,1");
});

test("each column is filled for itself, and rows begin with the first that has a value", async () => {
  const gap_filling = { method: "locf", look_around: "10m" };
  const telemetry = [
    { device: "meter", attribute: ["power", "status", "running", "energy"], gap_filling },
    { device: "meter", attribute: "power" },
  ];
  const answer = await ask(busbar.admin, { from: 120, to: 360, telemetry });
  expect(rowsOf(answer)).toBe("120,3,idle,,, 180,3,idle,,, 240,5,idle,true,,5 300,5,busy,true,7,");
});

check("series.inherited-look-around", async () => {
  const telemetry = [{}, { look_around: "19s" }, { method: "none" }, undefined].map((own) => ({
    device: "meter",
    attribute: "power",
    ...(own !== undefined && { gap_filling: { method: "locf", ...own } }),
  }));
  const gap_filling = { method: "locf", look_around: "1h" };
  const answer = await ask(busbar.admin, { from: 100, to: 300, gap_filling, telemetry });
  expect(rowsOf(answer)).toBe("60,3,,,3 120,3,,,3 180,3,,,3 240,5,5,5,5");
  expect(answer.text.split("\n")[0]?.match(/look_around=\w+/g)).toEqual([
    "look_around=1h",
    "look_around=19s",
    "look_around=1h",
  ]);
  // Also where the rest of the request fills nothing.
  const items = [{ device: "meter", attribute: "power", gap_filling: { method: "locf" } }];
  const none = { method: "none", look_around: "1h" };
  expect(rowsOf(await ask(busbar.admin, { from: 100, to: 180, gap_filling: none, telemetry: items }))).toBe(
    "60,3 120,3",
  );
});

test("different grids are filled each on its own", async () => {
  const telemetry = [
    { device: "meter", attribute: "power", granularity: "2m" },
    { device: "meter", attribute: "power", granularity: "90s" },
  ];
  const answer = await ask(busbar.admin, { from: 0, to: 360, gap_filling: { method: "locf" }, telemetry });
  expect(rowsOf(answer)).toBe("0,2,2 90,,2 120,2, 180,,5 240,5, 270,,5");
});

test("a series that never had a value is never filled", async () => {
  const telemetry = [{ device: "meter", attribute: "note" }];
  expect(rowsOf(await ask(busbar.admin, { telemetry, gap_filling: { look_around: "292y" } }))).toBe("");
});

test("after a restart the look-around finds the same values", async () => {
  await busbar.restart();
  expect(await filled(120, 300, { gap_filling: { look_around: "1m" } })).toBe("120,3 180,3 240,5");
});
