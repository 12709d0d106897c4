import type { Issue } from "#core/blueprint/issue.ts";
import type { ScriptIssue } from "#core/blueprint/script-issue.ts";
import type { TestReport } from "#core/scenario/test-report.ts";
import type { LintResult } from "./lint-result.ts";

/** What came of one blueprint, or of one file with scenarios of a rule. */
export type TestResult = {
  /** As the person would name it. */
  readonly name: string;
  /** The manifest's file, the zip or `<stdin>`. */
  readonly source: string;
  /** Why it cannot be run at all. */
  readonly refused: LintResult | undefined;
  /** Undefined when nothing could be run. */
  readonly report: TestReport | undefined;
  /** Files of scenarios that cannot be read, and rules with mistakes. */
  readonly broken: readonly BrokenFile[];
  /** Why there was nothing to run. */
  readonly skipped: string | undefined;
  /** Text of scenarios and scripts by path, for showing where something is. */
  readonly texts: ReadonlyMap<string, string>;
  /** The same files as they are found from the folder we are in; one inside a zip is not found. */
  readonly paths: ReadonlyMap<string, string>;
};

export type BrokenFile = { readonly file: string; readonly issues: readonly (Issue | ScriptIssue)[] };

export type TestCount = { readonly passed: number; readonly failed: number; readonly skipped: number };

export function countTests(results: readonly TestResult[]): TestCount {
  const scenarios = results.flatMap(({ report }) => report?.scenarios ?? []);
  const failed = scenarios.filter(({ failures }) => failures.length > 0).length;
  const broken = results.reduce((sum, one) => sum + one.broken.length + (one.refused === undefined ? 0 : 1), 0);
  return {
    passed: scenarios.length - failed,
    failed: failed + broken,
    skipped: results.filter(({ skipped }) => skipped !== undefined).length,
  };
}

export function hasFailed({ refused, report, broken }: TestResult): boolean {
  return (
    refused !== undefined ||
    broken.length > 0 ||
    (report !== undefined &&
      (report.problems.length > 0 || report.scenarios.some(({ failures }) => failures.length > 0)))
  );
}
