import { expect, test } from "vitest";
import { changeOfSite, draftOfSite, likelyZone, problemsOfSite, typedPlace, zoneChoices } from "./confirm-site.ts";

test.each([
  ["Europe/Berlin", "Asia/Tokyo", "Europe/Berlin"],
  ["UTC", "Asia/Tokyo", "Asia/Tokyo"],
  ["UTC", "Etc/Unknown", "UTC"],
])("a gateway in %s, seen from %s, is most likely in %s", (gateway, browser, expected) => {
  expect(likelyZone(gateway, browser)).toBe(expected);
});

const DRAFT = { name: "Plant", timezone: "Europe/Berlin", place: "", latitude: "", longitude: "" };

test.each([
  [{}, ""],
  [{ name: " " }, "name"],
  [{ name: "", timezone: "Mars/Phobos" }, "name timezone"],
  [{ timezone: "" }, "timezone"],
  [{ latitude: "52,5", longitude: "-13.405" }, ""],
  [{ latitude: "-90", longitude: "180" }, ""],
  [{ latitude: "90.1", longitude: "180.1" }, "latitude longitude"],
  [{ latitude: "52" }, "longitude"],
  [{ longitude: "13" }, "latitude"],
  [{ latitude: "0x10", longitude: "1e1" }, "latitude longitude"],
])("%j has the problems %j", (given, expected) => {
  expect(problemsOfSite({ ...DRAFT, ...given }).join(" ")).toBe(expected);
});

test.each([
  [{}, false, {}],
  [{}, true, { clear: ["location"] }],
  [{ place: " Village " }, true, { location: { name: "Village" } }],
  [{ latitude: "52,5", longitude: " -13.4" }, false, { location: { name: "Plant", latitude: 52.5, longitude: -13.4 } }],
])("%j of a site whose place is known (%j) gives %j", (given, hadLocation, expected) => {
  const common = { name: "Plant", timezone: "Europe/Berlin" };
  expect(changeOfSite({ ...DRAFT, ...given }, hadLocation)).toEqual({ ...common, ...expected });
});

test("what is stored comes back as it was typed, and a measured place has five digits", () => {
  const location = { name: "Village", latitude: 52.5, longitude: -13.4 };
  const draft = draftOfSite({ name: "Plant", timezone: "UTC", location });
  expect(changeOfSite(draft, true)).toEqual({ name: "Plant", timezone: "UTC", location });
  expect(typedPlace({ latitude: 52.123456789, longitude: 0 })).toEqual({ latitude: "52.12346", longitude: "0.00000" });
});

test("every zone that can be chosen is one", () => {
  const zones = zoneChoices();
  expect(zones.length).toBeGreaterThan(300);
  expect(zones.flatMap((timezone) => problemsOfSite({ ...DRAFT, timezone }))).toEqual([]);
});
