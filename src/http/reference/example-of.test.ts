import { expect, test } from "vitest";
import { exampleOf } from "./example-of.ts";

test.each([
  [
    "getWeather",
    "/v3/sites/:site_id/weather/:day",
    'client.perform("getWeather", { params: { site_id: "01a1ddf6-3df4-7222-ba90-360256020b40", day: "day" } })',
  ],
  ["listWeather", "/v3/weather", 'client.perform("listWeather")'],
])("an operation without an example of its own is called by its name: %s", (name, path, ts) => {
  expect(exampleOf({ name, path })).toEqual({ ts });
});

test("an operation with an example has that, by its other path, too", () => {
  const example = exampleOf({ name: "getSite", path: "/v3/sites/:site_id" });
  expect(example.ts).toContain("client.sites.get(");
  expect(exampleOf({ name: "other", aliasOf: "getSite", path: "/v3/site" })).toBe(example);
});
