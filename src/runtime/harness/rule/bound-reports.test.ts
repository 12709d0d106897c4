import { expect, test } from "vitest";
import type { ScenarioReport } from "#core/scenario/test-report.ts";
import { createReportBounds } from "./bound-reports.ts";

const report = (entries: number, text: string): ScenarioReport => ({
  ...{ file: undefined, name: text, notes: [], elapsed: 0, isWhole: true },
  failures: Array.from({ length: 200 }, () => ({ kind: "lua", message: text, expected: text, actual: text })),
  timeline: Array.from({ length: entries }, (_, at) => ({ at, text, isStep: false })),
  exercised: { telemetry: [], commands: [], alerts: [], handlers: [] },
});

test("reports of a script that writes without end are short, all together, and the newest entries stay", () => {
  const bounded = createReportBounds();
  const reports = Array.from({ length: 100 }, () => bounded(report(10_000, "x".repeat(100_000))));
  const timelines = reports.map(({ timeline }) => timeline.length);
  expect(timelines.slice(0, 4)).toEqual([2_000, 2_000, 20, 20]);
  expect(reports[99]?.timeline.at(-1)?.at).toBe(9_999);
  expect(JSON.stringify(reports.map(({ timeline }) => timeline)).length).toBeLessThan(7_000_000);
  expect(reports[0]?.failures).toHaveLength(100);
  expect(bounded(report(3, "short")).timeline).toHaveLength(3);
});
