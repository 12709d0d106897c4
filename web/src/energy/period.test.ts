import { expect, test } from "vitest";
import { addressOf, asKind, chosenPeriod, insideOf, neighbour, questionOf, slotsOf, stepOf } from "./period.ts";

const zone = "Europe/Berlin";
const place = { zone, now: Date.parse("2026-11-18T10:00:00Z") };
const shown = (given: Parameters<typeof chosenPeriod>[0]) => {
  const { kind, from, to } = chosenPeriod(given, place);
  return `${kind} ${new Date(from).toISOString().slice(0, 16)} ${new Date(to).toISOString().slice(0, 16)}`;
};

test.each([
  [{}, "month 2026-10-31T23:00 2026-11-30T23:00"],
  [{ period: "2026-10-25" }, "day 2026-10-24T22:00 2026-10-25T23:00"],
  [{ period: "2026-W47" }, "week 2026-11-15T23:00 2026-11-22T23:00"],
  [{ period: "2026" }, "year 2025-12-31T23:00 2026-12-31T23:00"],
  [{ from: "2026-11-01", to: "2026-11-03" }, "range 2026-10-31T23:00 2026-11-03T23:00"],
  [{ period: "<script>" }, "month 2026-10-31T23:00 2026-11-30T23:00"],
  [{ from: "2026-11-03", to: "2026-11-01" }, "month 2026-10-31T23:00 2026-11-30T23:00"],
  [{ from: "2026", to: "2026-11-01" }, "month 2026-10-31T23:00 2026-11-30T23:00"],
])("%j is %s", (given, expected) => {
  expect(shown(given)).toBe(expected);
});

test.each([
  [{ period: "2026-10-25" }, { period: "2026-10-24" }, { period: "2026-10-26" }],
  [{ period: "2026-W01" }, { period: "2025-W52" }, { period: "2026-W02" }],
  [{ period: "2026-03" }, { period: "2026-02" }, { period: "2026-04" }],
  [{ period: "2026" }, { period: "2025" }, { period: "2027" }],
  [
    { from: "2026-10-24", to: "2026-10-26" },
    { from: "2026-10-21", to: "2026-10-23" },
    { from: "2026-10-27", to: "2026-10-29" },
  ],
])("beside %j lie %j and %j", (given, before, after) => {
  const period = chosenPeriod(given, place);
  expect(addressOf(neighbour(period, zone, "before"), zone)).toMatchObject(before);
  expect(addressOf(neighbour(period, zone, "after"), zone)).toMatchObject(after);
});

test("another kind of period keeps the place: today where the period has it, otherwise its beginning", () => {
  const at = (text: string, kind: Parameters<typeof asKind>[1]) =>
    addressOf(asKind(chosenPeriod({ period: text }, place), kind, place), zone);
  expect(at("2026-11", "day")).toMatchObject({ period: "2026-11-18" });
  expect(at("2026-03", "week")).toMatchObject({ period: "2026-W09" });
  expect(at("2026-W47", "range")).toMatchObject({ from: "2026-11-16", to: "2026-11-22", period: undefined });
});

test("steps and what is asked for follow the kind; a day with 25 hours has 25 steps", () => {
  const of = (text: string) => chosenPeriod({ period: text }, place);
  expect(["2026-11-18", "2026-W47", "2026-11", "2026"].map((text) => stepOf(of(text)))).toEqual([
    "hour",
    "day",
    "day",
    "month",
  ]);
  expect([slotsOf(of("2026-10-25"), zone).length, slotsOf(of("2026-11"), zone).length]).toEqual([25, 30]);
  expect(questionOf(of("2026-11"), zone)).toEqual({ period: "2026-11", step: "day", before: true, costs: true });
  expect(questionOf(chosenPeriod({ from: "2026-11-01", to: "2026-11-01" }, place), zone)).toEqual({
    from: "2026-10-31T23:00:00.000Z",
    to: "2026-11-01T23:00:00.000Z",
    step: "hour",
    before: true,
    costs: true,
  });
  const day = insideOf("day", Date.parse("2026-11-05T12:00Z"), zone);
  expect([day && addressOf(day, zone), insideOf("hour", place.now, zone)]).toMatchObject([
    { period: "2026-11-05" },
    undefined,
  ]);
});
