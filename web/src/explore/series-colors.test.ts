import { expect, test } from "vitest";
import type { Attribute, Manifest } from "#web/data/manifest.ts";
import { seriesColors } from "./series-colors.ts";

function info(category: string, id: string, unit = "W", profiles: readonly string[] = []) {
  const attribute = { id, unit, type: "float", aliases: [], implements: [] } as unknown as Attribute;
  const manifest = { category, profiles, telemetry: new Map([[id, attribute]]) } as unknown as Manifest;
  return { device: { id: "d", name: "D", manifest }, attribute };
}
const sun = info("solar-generators", "ac_power");
const meter = info("power-meters", "grid_power");
const rack = info("batteries", "battery_power");
const other = info("others", "temperature", "degree_celsius");

test.each([
  ["powers have the colours of the flow", [sun, meter, rack], ["--solar", "--grid", "--battery"]],
  ["the second of a kind can be told from the first", [sun, sun], ["--solar", "--series-1"]],
  ["others take the palette", [other, other], ["--series-1", "--series-2"]],
  ["but not the colour that looks like one that is taken", [rack, other], ["--battery", "--series-2"]],
  ["what is not known, too", [{ device: undefined, attribute: undefined }], ["--series-1"]],
])("%s", (_, infos, expected) => {
  expect(seriesColors(infos)).toEqual(expected);
});

test("after the palette it begins again", () => {
  expect(seriesColors(Array.from({ length: 11 }, () => other)).at(-1)).toBe("--series-1");
});
