import { expect, test } from "vitest";
import { isName, isZone, luaNames, spanOf, valueText } from "./calendar-view.ts";

test.each([
  ["2026-12-24T23:00:00Z", "2026-12-26T23:00:00Z", ["25 Dec 2026", "26 Dec 2026"]],
  ["2026-12-31T23:00:00Z", "2027-01-01T23:00:00Z", ["1 Jan 2027", undefined]],
  // The clocks go forward on this day.
  ["2027-03-27T23:00:00Z", "2027-03-28T22:00:00Z", ["28 Mar 2027", undefined]],
  ["2026-11-19T05:00:00Z", "2026-11-19T07:00:00Z", ["19 Nov, 06:00", "08:00"]],
  ["2026-11-19T21:00:00Z", "2026-11-20T05:00:00Z", ["19 Nov, 22:00", "20 Nov, 06:00"]],
])("%s to %s in Berlin is %j", (from, to, expected) => {
  const span = spanOf({ from, to }, { locale: "en", zone: "Europe/Berlin", hours: "24h" });
  expect([span.from, span.to]).toEqual(expected);
});

test.each([
  ["2026-11-19T05:00:00Z", "2026-11-19T12:30:00Z", ["19 Nov, 06:00 am", "01:30 pm"]],
  ["2026-11-19T11:00:00Z", "2026-11-20T11:00:00Z", ["19 Nov, 12:00 pm", "20 Nov, 12:00 pm"]],
  ["2026-11-18T23:00:00Z", "2026-11-19T23:00:00Z", ["19 Nov 2026", undefined]],
])("with twelve hours, %s to %s is %j; whole days have none", (from, to, expected) => {
  const span = spanOf({ from, to }, { locale: "en", zone: "Europe/Berlin", hours: "12h" });
  expect([span.from, span.to]).toEqual(expected);
});

test.each([
  [`if calendar.now("holidays").on then`, true],
  [`local c = calendar.next 'holidays'`, true],
  [`calendar.now("holidays_2")`, false],
  [`enapter.log("holidays")`, false],
])("a script %s asks for holidays: %s", (code, expected) => {
  expect(luaNames(code, "holidays")).toBe(expected);
});

test("names, time zones and values are read as the service does", () => {
  expect(["holidays", "a-b_2", "2nd", "Holidays", ""].map(isName)).toEqual([true, true, false, false, false]);
  expect(["Europe/Berlin", "UTC", "Berlin"].map(isZone)).toEqual([true, true, false]);
  const words = { locale: "de", yes: "ja", no: "nein" } as const;
  expect([21.5, true, "warm", null].map((value) => valueText(value, words))).toEqual(["21,5", "ja", "warm", undefined]);
});
