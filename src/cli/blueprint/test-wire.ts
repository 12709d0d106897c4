// The result of blueprint tests for programs.
import { renderDiagnostic } from "#core/blueprint/diagnostic-wire.ts";
import type { Covered, Failure, ScenarioReport } from "#runtime/harness/test-report.ts";
import { countTests, hasFailed, type TestResult } from "./test-result.ts";

export function renderTestJson(results: readonly TestResult[], withTimeline: boolean): unknown {
  const { passed, failed, skipped } = countTests(results);
  return {
    passed,
    failed,
    skipped,
    blueprints: results.map((result) => ({
      name: result.name,
      passed: result.skipped === undefined && !hasFailed(result),
      ...(result.skipped === undefined ? {} : { skipped: result.skipped }),
      ...(result.refused === undefined ? {} : { diagnostics: result.refused.issues.map(renderDiagnostic) }),
      scenarios: (result.report?.scenarios ?? []).map((report) => renderScenario(report, withTimeline)),
      unreadable: result.broken.map(({ file, issues }) => ({ file, diagnostics: issues.map(renderDiagnostic) })),
      problems: (result.report?.problems ?? []).map(renderFailure),
      ...(result.report === undefined
        ? {}
        : {
            coverage: {
              telemetry: renderCovered(result.report.coverage.telemetry),
              commands: renderCovered(result.report.coverage.commands),
              alerts: renderCovered(result.report.coverage.alerts),
            },
          }),
    })),
  };
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
