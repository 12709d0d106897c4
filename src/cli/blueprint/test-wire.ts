// The result of tests of blueprints and rules for programs.
import { renderDiagnostic } from "#core/blueprint/diagnostic-wire.ts";
import type { Coverage, Covered, Failure, ScenarioReport } from "#core/scenario/test-report.ts";
import { countTests, hasFailed, type TestResult } from "./test-result.ts";

export function renderTestJson(
  results: readonly TestResult[],
  kind: "blueprint" | "rule",
  withTimeline: boolean,
): unknown {
  return { ...countTests(results), [`${kind}s`]: results.map((result) => renderResult(result, withTimeline)) };
}

function renderResult(result: TestResult, withTimeline: boolean): unknown {
  const { report } = result;
  return {
    name: result.name,
    passed: result.skipped === undefined && !hasFailed(result),
    ...(result.skipped === undefined ? {} : { skipped: result.skipped }),
    ...(result.refused === undefined ? {} : { diagnostics: result.refused.issues.map(renderDiagnostic) }),
    scenarios: (report?.scenarios ?? []).map((one) => renderScenario(one, withTimeline)),
    unreadable: result.broken.map(({ file, issues }) => ({ file, diagnostics: issues.map(renderDiagnostic) })),
    problems: (report?.problems ?? []).map(renderFailure),
    ...(report?.coverage === undefined ? {} : { coverage: renderCoverage(report.coverage) }),
  };
}

function renderCoverage({ telemetry, commands, alerts }: Coverage): unknown {
  return { telemetry: renderCovered(telemetry), commands: renderCovered(commands), alerts: renderCovered(alerts) };
}

function renderScenario(
  { file, name, failures, notes, elapsed, timeline }: ScenarioReport,
  withTimeline: boolean,
): unknown {
  return {
    ...(file === undefined ? {} : { file }),
    name,
    passed: failures.length === 0,
    elapsed_ms: elapsed,
    failures: failures.map(renderFailure),
    notes,
    ...(withTimeline ? { timeline: timeline.map(({ at, text, isStep }) => ({ at_ms: at, text, step: isStep })) } : {}),
  };
}

function renderFailure({ kind, message, expected, actual, at, place, script, traceback, count }: Failure): unknown {
  return {
    kind,
    message,
    ...(expected === undefined ? {} : { expected }),
    ...(actual === undefined ? {} : { actual }),
    ...(at === undefined ? {} : { at_ms: at }),
    ...(place === undefined ? {} : { line: place.line, column: place.column }),
    ...(script === undefined ? {} : { script }),
    ...(traceback === undefined ? {} : { traceback }),
    ...(count === undefined ? {} : { count }),
  };
}

function renderCovered({ done, all, missing }: Covered): unknown {
  return { done, all, missing };
}
