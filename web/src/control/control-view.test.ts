import { expect, test } from "vitest";
import type { Claim, Control } from "#client/resources.ts";
import {
  claimsBySource,
  endOf,
  firstValue,
  isClaimed,
  leaseUntil,
  limited,
  mayBeEnded,
  ownTarget,
  readValue,
  rivals,
  sliderOf,
} from "./control-view.ts";

const claim = (fields: Partial<Claim>): Claim => ({
  id: "c",
  kind: "target",
  value: 1,
  class: "person",
  source: "token:me",
  source_name: "Me",
  door: "page",
  reason: "",
  lease_until: "2026-11-18T12:00:00Z",
  created_at: "2026-11-18T11:00:00Z",
  cause: null,
  ...fields,
});

const control = (fields: Partial<Control> = {}): Control => ({
  id: "power",
  device_id: "d",
  display_name: "Power",
  type: "float",
  unit: "W",
  command: "set_power",
  argument: "power",
  min: -5000,
  max: 5000,
  step: null,
  value: null,
  lower_bound: -5000,
  upper_bound: 5000,
  is_contradicted: false,
  winner: null,
  limited_by: [],
  losers: [],
  until: null,
  written: null,
  measured: null,
  measured_at: null,
  follow: "idle",
  not_confirmed_since: null,
  ...fields,
});

test.each([
  ["2500", {}, 2500],
  [" -12,5 ", {}, -12.5],
  ["−3", {}, -3],
  ["0", {}, 0],
  ["", {}, "missing"],
  ["much", {}, "number"],
  ["1e999", {}, "number"],
  ["5001", {}, "high"],
  ["-5001", {}, "low"],
  ["5001", { max: null }, 5001],
  ["0.3", { step: 0.1 }, 0.3],
  ["7", { step: 5 }, "step"],
] as const)("%j of %j is %s", (text, fields, expected) => {
  expect(readValue(text, control(fields))).toBe(expected);
});

test.each([
  [{}, { min: -5000, max: 5000, step: 50 }],
  [
    { min: 6, max: 32, step: 4 },
    { min: 8, max: 32, step: 4 },
  ],
  [
    { min: 0, max: 100 },
    { min: 0, max: 100, step: 0.5 },
  ],
  [{ min: null }, undefined],
])("the slider of %j is %j", (fields, expected) => {
  expect(sliderOf(control(fields))).toEqual(expected);
});

test.each([
  [{ value: 0, measured: 7 }, 0],
  [{ measured: 1234 }, 1250],
  [{ measured: 9000 }, 5000],
  [{ measured: null }, undefined],
  [{ min: null, measured: 1234 }, 1234],
])("the form of %j begins with %s", (fields, expected) => {
  expect(firstValue(control(fields))).toBe(expected);
});

test("limits of the grid hold for a person, those of a rule do not, and unlimited is no limit", () => {
  const by = (...limited_by: Claim[]) => limited(control({ limited_by }), 3000);
  expect(by()).toBe(3000);
  expect(by(claim({ kind: "max", value: 0, class: "grid" }))).toBe(0);
  expect(by(claim({ kind: "max", value: 0, class: "rule" }))).toBe(3000);
  expect(by(claim({ kind: "max", value: "unlimited", class: "grid" }))).toBe(3000);
  expect(by(claim({ kind: "max", value: null, class: "grid" }))).toBe(3000);
  expect(by(claim({ kind: "min", value: 4000, class: "interlock" }))).toBe(4000);
});

test("a claim is given back by who made it, and others of its class are rivals", () => {
  const mine = claim({});
  const other = claim({ id: "o", source: "token:other" });
  const rule = claim({ id: "r", source: "token:other", class: "rule" });
  const both = control({ winner: other, losers: [mine, rule] });
  expect([ownTarget(both, "me"), ownTarget(both, undefined), rivals(both, "me")]).toEqual([mine, undefined, [other]]);
});

test.each([
  [{}, false],
  [{ value: 0 }, true],
  [{ losers: [claim({ value: null })] }, true],
])("%j is claimed: %s", (fields, expected) => {
  expect(isClaimed(control(fields))).toBe(expected);
});

test.each([
  ["15m", "2026-11-18T11:00:00Z", "UTC", "2026-11-18T11:15:00Z"],
  ["midnight", "2026-11-18T11:00:00Z", "Europe/Berlin", "2026-11-18T23:00:00Z"],
  // Both changes of the clocks: a day of 23 and one of 25 hours.
  ["midnight", "2026-03-28T23:30:00Z", "Europe/Berlin", "2026-03-29T22:00:00Z"],
  ["midnight", "2026-10-24T22:30:00Z", "Europe/Berlin", "2026-10-25T23:00:00Z"],
] as const)("%s from %s in %s ends at %s", (until, now, zone, expected) => {
  expect(endOf(until, Date.parse(now), { zone, chosen: undefined })).toBe(Date.parse(expected));
});

test.each([
  [undefined, { problem: "past" }],
  [-1, { problem: "past" }],
  [90_500, { lease: "90s" }],
  [7 * 86_400_000, { lease: "604800s" }],
  [7 * 86_400_000 + 1, { problem: "late" }],
])("a claim that ends in %s ms has %j", (ms, expected) => {
  expect(leaseUntil(ms === undefined ? undefined : 1_000_000 + ms, 1_000_000)).toEqual(expected);
});

test.each([
  ["rule", "token:other", true],
  ["person", "session:other", true],
  ["person", "token:me", false],
  ["interlock", "interlock:too-hot", false],
  ["grid", "interlock:dimming", false],
] as const)("a claim of class %s by %s can be ended by an owner: %s", (kind, source, expected) => {
  expect(mayBeEnded({ class: kind, source }, "me")).toBe(expected);
});

test("what a source claims is found at every control, with whether it counts", () => {
  const [sun, limit, late] = [
    claim({ id: "a", source: "rule:sun", class: "rule" }),
    claim({ id: "b", source: "rule:limit", class: "rule", kind: "max" }),
    claim({ id: "c", source: "rule:sun", class: "rule" }),
  ];
  const first = control({ winner: sun, limited_by: [limit] });
  const second = control({ id: "other", winner: claim({ id: "d" }), losers: [late] });
  const found = claimsBySource([first, second]);
  expect(found.get("rule:sun")).toEqual([
    { control: first, claim: sun, counts: true },
    { control: second, claim: late, counts: false },
  ]);
  expect(found.get("rule:limit")).toEqual([{ control: first, claim: limit, counts: true }]);
  expect(found.get("rule:other")).toBeUndefined();
});
