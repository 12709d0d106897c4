import { expect, test } from "vitest";
import { columnNames } from "./column-names.ts";

test.each([
  ["a power avg 1m, b power avg 1m", "a:power b:power"],
  ["a power min 1m, a power max 1m, a soc avg 1m", "a:power:min a:power:max a:soc"],
  ["a power avg 1m, a power avg 1h, a power max 1h", "a:power:avg:1m a:power:avg:1h a:power:max"],
  ["a power avg 1m, a power avg 1m", "a:power:avg:1m a:power:avg:1m:2"],
])("columns %s are named %s", (given, expected) => {
  const columns = given.split(", ").map((text) => {
    const [device = "", attribute = "", aggregation = "", granularity = ""] = text.split(" ");
    return { device, attribute, aggregation, granularity };
  });
  expect(columnNames(columns).join(" ")).toBe(expected);
});
