import { expect, test } from "vitest";
import { fromLocalInput, toLocalInput } from "./local-input.ts";

test.each([
  ["2026-11-16T13:05:00Z", "Europe/Berlin", "2026-11-16T14:05"],
  ["2026-07-16T13:05:00Z", "Europe/Berlin", "2026-07-16T15:05"],
  ["2026-10-25T03:30:00Z", "Europe/Berlin", "2026-10-25T04:30"],
  ["2026-11-16T13:05:00Z", "UTC", "2026-11-16T13:05"],
])("%s in %s is %s, and back", (moment, zone, text) => {
  expect([toLocalInput(moment, zone), fromLocalInput(text, zone)]).toEqual([text, moment]);
});

test("no moment is an empty field, and back", () => {
  expect([toLocalInput(undefined, "UTC"), fromLocalInput("", "UTC"), toLocalInput("x", "UTC")]).toEqual([
    "",
    undefined,
    "",
  ]);
});
