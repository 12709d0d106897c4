import { expect, test } from "vitest";
import { likelyZone, problemsOfSite, zoneChoices } from "./confirm-site.ts";

test.each([
  ["Europe/Berlin", "Asia/Tokyo", "Europe/Berlin"],
  ["UTC", "Asia/Tokyo", "Asia/Tokyo"],
  ["UTC", "Etc/Unknown", "UTC"],
])("a gateway in %s, seen from %s, is most likely in %s", (gateway, browser, expected) => {
  expect(likelyZone(gateway, browser)).toBe(expected);
});

test.each([
  ["Plant", "Europe/Berlin", []],
  [" ", "Europe/Berlin", ["name"]],
  ["", "Mars/Phobos", ["name", "timezone"]],
  ["Plant", "", ["timezone"]],
])("the name %j and the zone %j have the problems %j", (name, timezone, expected) => {
  expect(problemsOfSite({ name, timezone })).toEqual(expected);
});

test("every zone that can be chosen is one", () => {
  const zones = zoneChoices();
  expect(zones.length).toBeGreaterThan(300);
  expect(zones.flatMap((timezone) => problemsOfSite({ name: "Plant", timezone }))).toEqual([]);
});
