import type uPlot from "uplot";
import { expect, test } from "vitest";
import type { Alert } from "#client/resources.ts";
import { readManifest } from "#web/data/manifest.ts";
import { groupMarks } from "./alert-marks.ts";
import type { ChartModel } from "./chart-model.ts";
import { fitWidths } from "./chart-options.ts";
import { asCurl, asTypeScript } from "./copy-question.ts";
import { exploreLink } from "./explore-link.ts";
import { describeSeries } from "./series-info.ts";
import { stateLooks } from "./state-look.ts";
import { tickTexts } from "./time-ticks.ts";

const at = (text: string) => Date.parse(text);
const BERLIN = { locale: "en", zone: "Europe/Berlin", hours: "24h" } as const;

test("ticks show as much as they need, and the day where one begins", () => {
  const hours = ["2026-11-15T22:00:00Z", "2026-11-15T23:00:00Z", "2026-11-16T00:00:00Z"].map(at);
  expect(tickTexts(hours, 3_600_000, BERLIN)).toEqual(["23:00", "00:00\n16 Nov", "01:00"]);
  expect(tickTexts(hours, 3_600_000, { ...BERLIN, hours: "12h" })).toEqual([
    "11:00 pm",
    "12:00 am\n16 Nov",
    "01:00 am",
  ]);
  expect(tickTexts([at("2026-11-15T23:00:00Z")], 86_400_000, BERLIN)).toEqual(["16 Nov"]);
  expect(tickTexts([at("2026-11-15T23:00:30Z")], 10_000, BERLIN)).toEqual(["00:00:30"]);
  expect(tickTexts([at("2026-11-15T23:00:30.2Z")], 200, BERLIN)).toEqual(["00:00:30.200"]);
  expect(tickTexts([at("2026-11-01T00:00:00Z")], 30 * 86_400_000, BERLIN)).toEqual(["Nov 2026"]);
});

test("alerts that begin at nearly the same place share a mark", () => {
  const alert = (raised: number) => ({ raised_at: new Date(raised).toISOString() }) as Alert;
  const marks = groupMarks([alert(0), alert(5), alert(40)], (moment) => moment, 10);
  expect(marks.map(({ left, alerts }) => [left, alerts.length])).toEqual([
    [0, 2],
    [40, 1],
  ]);
});

test("states look as their manifest says; others get colours in turn", () => {
  const manifest = readManifest({
    telemetry: {
      mode: {
        type: "string",
        enum_with_metainfo: [{ value: "a", display_name: "Auto", color: "red-dark" }, { value: "b" }],
      },
      on: { type: "boolean" },
      list: { type: "array_of_strings" },
    },
  });
  const look = (attribute: string) =>
    stateLooks(
      describeSeries(
        { device: "d", attribute, aggregation: "auto", fill: undefined, granularity: undefined, isHidden: false },
        { id: "d", name: "D", manifest },
      ),
      "en",
    );
  const mode = look("mode");
  expect(mode("a")).toEqual({ text: "Auto", background: "--enum-red-dark", ink: "--enum-ink-light" });
  expect(mode("b").background).not.toBe(mode("other").background);
  expect(mode("b")).toEqual(mode("b"));
  expect([look("on")(true).text, look("on")(false).text]).toEqual(["yes", "no"]);
  expect([look("list")('["x","y"]').text, look("list")("[]").text, look("list")("{").text]).toEqual([
    "x, y",
    "none",
    "{",
  ]);
});

test("a request can be pasted: quotes in names do not end it", () => {
  const question = { from: "a", to: "b", granularity: "1m", telemetry: [{ device: "it's", attribute: "p" }] };
  expect(asCurl("http://h", question)).toContain(`"it'\\''s"`);
  expect(asTypeScript("http://h", question)).toContain(`"device": "it's"`);
});

test("a link to Explore names the attributes and a range", () => {
  const range = { from: at("2026-11-15T00:00:00Z"), to: at("2026-11-15T01:00:00Z") };
  expect(exploreLink("s", [{ device: "meter", attribute: "power" }])).toBe("/sites/s/explore?series=meter%3Apower");
  expect(exploreLink("s", [{ device: "meter", attribute: "power" }], range)).toContain(
    "range=2026-11-15T00%3A00%3A00Z%2F2026-11-15T01%3A00%3A00Z",
  );
});

test("a line with more points than pixels is a pixel wide, and wider again when somebody looks closer", () => {
  const model = { lines: [{ series: 0, role: "main" }], series: [] } as unknown as ChartModel;
  const chart = (points: number) => ({ bbox: { width: 800 }, series: [{ idxs: [0, points] }, {}] }) as unknown as uPlot;
  const [far, near] = [chart(10_000), chart(700)];
  fitWidths(far, model);
  fitWidths(near, model);
  expect([far.series[1]?.width, near.series[1]?.width]).toEqual([1, 1.6]);
});
