import { expect, test } from "vitest";
import { renderQuery } from "#web/router/paths.ts";
import { parseQuery } from "#web/router/query.ts";
import { type ExploreState, parseState, renderState } from "./explore-state.ts";

const PLAIN: ExploreState = {
  series: [],
  range: "24h",
  back: undefined,
  granularity: "auto",
  isCompared: false,
  view: "chart",
  hasBands: true,
  hasAlerts: true,
  hasExecutions: true,
  hasControls: true,
  clock: undefined,
};
const series = { aggregation: "auto", fill: undefined, granularity: undefined, isHidden: false } as const;

test.each<[string, Partial<ExploreState>]>([
  ["", {}],
  ["?series=meter-1%3Apower", { series: [{ ...series, device: "meter-1", attribute: "power" }] }],
  [
    "?series=m%3Ap%7Emax%7Elocf.1h%7Eby.15m%7Ehidden%2Cb%3Asoc",
    {
      series: [
        { device: "m", attribute: "p", aggregation: "max", fill: "1h", granularity: "15m", isHidden: true },
        { ...series, device: "b", attribute: "soc" },
      ],
    },
  ],
  ["?range=today&compare=true", { range: "today", isCompared: true }],
  [
    "?granularity=1M&view=table&bands=off&alerts=off&executions=off&clock=utc",
    { granularity: "1M", view: "table", hasBands: false, hasAlerts: false, hasExecutions: false, clock: "utc" },
  ],
  [
    "?range=2026-11-14T00%3A00%3A00Z%2F2026-11-15T00%3A00%3A00Z&back=7d",
    { range: "2026-11-14T00:00:00Z/2026-11-15T00:00:00Z", back: "7d" },
  ],
])("the address %j is a state, and that state is the address", (address, expected) => {
  const state = parseState(parseQuery(address));
  expect(state).toEqual({ ...PLAIN, ...expected });
  expect(renderQuery(renderState(state))).toBe(address);
});

test("names may hold the signs of the address", () => {
  const state = { ...PLAIN, series: [{ ...series, device: "a:b,c~d", attribute: "%7E~max" }] };
  expect(parseState(parseQuery(renderQuery(renderState(state)))).series).toEqual(state.series);
});

test.each([
  "?series=nothing",
  "?series=a:b:c",
  "?series=:b",
  "?range=tomorrow",
  "?range=5y",
  "?granularity=7m",
  "?clock=mars",
  "?range=2026-11-15/2026-11-14",
])("what is not understood in %j is left out", (address) => {
  expect(parseState(parseQuery(address))).toEqual(PLAIN);
});

test("an address with more series than a chart shows keeps the first", () => {
  const many = Array.from({ length: 42 }, (_, index) => `d:a${index}`).join(",");
  expect(parseState(parseQuery(`?series=${many}`)).series.map(({ attribute }) => attribute)).toEqual(
    Array.from({ length: 40 }, (_, index) => `a${index}`),
  );
});
