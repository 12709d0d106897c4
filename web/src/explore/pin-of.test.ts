import { expect, test } from "vitest";
import { chartPin, seriesPin } from "./pin-of.ts";

const spec = (attribute: string, isHidden = false) =>
  ({ device: "meter", attribute, aggregation: "auto", fill: undefined, granularity: undefined, isHidden }) as const;
const one = (attribute: string) => ({ device: "meter", attribute });

test("a chart is pinned with the series that are seen, and with its range if that moves on", () => {
  const pin = chartPin([spec("a"), spec("b", true)], "7d");
  expect(pin).toEqual({ kind: "curve", series: [one("a")], range: "7d" });
  const past = chartPin([spec("b", true)], "2026-11-14T00:00:00Z/2026-11-15T00:00:00Z");
  expect(past).toEqual({ kind: "curve", series: [one("b")] });
  expect(
    chartPin(
      Array.from({ length: 12 }, (_, n) => spec(`a${n}`)),
      "24h",
    ).series,
  ).toHaveLength(10);
});

test("an amount is pinned as a value, and states as a strip", () => {
  expect(seriesPin({ spec: spec("a"), kind: "number" })).toEqual({ kind: "value", series: [one("a")] });
  expect(seriesPin({ spec: spec("a"), kind: "state" }).kind).toBe("states");
});
