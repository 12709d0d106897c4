import { expect, test } from "vitest";
import { type InterlockReport, isReportDue } from "./interlock-report.ts";

const REPORT: InterlockReport = {
  state: "holding",
  since: 1_000,
  why: "more is wanted than there is room for",
  limits: [{ deviceId: "d", control: "power", unit: "W", kind: "max", value: 4_000, isHolding: true }],
  measured: [{ deviceId: "m", attribute: "power", unit: "W" }],
  problems: [],
};
const withLimit = (changes: object) => ({ ...REPORT, limits: REPORT.limits.map((one) => ({ ...one, ...changes })) });

test.each([
  ["nothing was reported before", undefined, REPORT, 0, true],
  ["nothing has changed, however long ago", REPORT, { ...REPORT }, 1_000_000, false],
  ["it holds no more", REPORT, { ...REPORT, state: "idle" as const, since: 2_000 }, 1, true],
  ["a limit begins to hold", withLimit({ isHolding: false }), REPORT, 1, true],
  ["the same limit has another value", REPORT, withLimit({ value: 3_900 }), 9_999, false],
  ["another value has waited long enough", REPORT, withLimit({ value: 3_900 }), 10_000, true],
  ["another value, and the clock was set back", REPORT, withLimit({ value: 3_900 }), -1, true],
])("an interlock is reported or not when %s", (_, last, report, later, isDue) => {
  const at = 50_000;
  expect(isReportDue(last && { report: last, at }, report, at + later)).toBe(isDue);
});
