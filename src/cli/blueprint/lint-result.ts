import type { AnyIssue } from "#core/blueprint/any-issue.ts";
import type { Issue } from "#core/blueprint/issue.ts";

export type LintResult = {
  /** The manifest's file, the zip or `<stdin>`. */
  readonly name: string;
  readonly issues: readonly AnyIssue[];
  /** The manifest; empty when none could be read. */
  readonly text: string;
};

export type LintCount = { readonly errors: number; readonly warnings: number; readonly fixable: number };

export function countIssues(results: readonly LintResult[]): LintCount {
  const issues = results.flatMap((result) => result.issues);
  const errors = issues.filter(({ severity }) => severity === "error").length;
  return { errors, warnings: issues.length - errors, fixable: issues.filter(hasFix).length };
}

export function hasFix(issue: AnyIssue): issue is Issue & { readonly fix: NonNullable<Issue["fix"]> } {
  return "fix" in issue && issue.fix !== undefined;
}

/** Where an issue is to be shown: one about a file of the package is not in the manifest. */
export function fileOf({ name }: LintResult, issue: AnyIssue): string {
  return issue.path === "" || issue.path.startsWith("/") ? name : `${name} (${issue.path})`;
}
