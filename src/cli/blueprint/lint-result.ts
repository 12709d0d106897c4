import { join } from "node:path";
import type { AnyIssue } from "#core/blueprint/any-issue.ts";
import type { Issue, Range } from "#core/blueprint/issue.ts";

export type LintResult = {
  /** The manifest's file, the zip or `<stdin>`. */
  readonly name: string;
  /** The folder of its files, as the user would name it; undefined for a zip and for standard input. */
  readonly folder: string | undefined;
  readonly issues: readonly AnyIssue[];
  /** The manifest; empty when none could be read. */
  readonly text: string;
  /** Scripts and register maps with findings, by their path in the package. */
  readonly scripts?: ReadonlyMap<string, string>;
};

export type IssuePlace = {
  readonly file: string;
  readonly range: Range | undefined;
  readonly inner: string | undefined;
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

/** Whether it is about the manifest; otherwise it is about another file of the package. */
export function isInManifest({ path }: AnyIssue): boolean {
  return path === "" || path.startsWith("/");
}

/** Where to show an issue. A zip has no lines to show: there the range is undefined, and the file's name is `inner`. */
export function placeOf({ name, folder }: LintResult, issue: AnyIssue): IssuePlace {
  const { path, range } = issue;
  if (isInManifest(issue)) return { file: name, range, inner: undefined };
  return folder === undefined
    ? { file: name, range: undefined, inner: path }
    : { file: join(folder, path), range, inner: undefined };
}
