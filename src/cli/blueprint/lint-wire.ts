import { isAbsolute, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { AnyIssue } from "#core/blueprint/any-issue.ts";
import { renderDiagnostic } from "#core/blueprint/diagnostic-wire.ts";
import { ISSUE_CODES } from "#core/blueprint/issue.ts";
import { PACKAGE_ISSUE_CODES } from "#core/blueprint/package-issue.ts";
import { SCRIPT_ISSUE_CODES } from "#core/blueprint/script-issue.ts";
import { renderAnnotation } from "./github-annotation.ts";
import { countIssues, hasFix, type LintResult, placeOf } from "./lint-result.ts";

/** The report for programs: what `POST /v3/blueprints/validate` calls diagnostics, by file. */
export function renderJson(results: readonly LintResult[]): unknown {
  const { errors, warnings } = countIssues(results);
  return {
    errors,
    warnings,
    files: results.map(({ name, issues }) => ({
      file: name,
      diagnostics: issues.map((issue) => ({
        ...renderDiagnostic(issue),
        ...(hasFix(issue) ? { fix: issue.fix } : {}),
      })),
    })),
  };
}

/** Notes at the lines of a pull request. */
export function renderGithub(results: readonly LintResult[]): string {
  return results
    .flatMap((result) =>
      result.issues.map((issue) => {
        const { file, range, inner } = placeOf(result, issue);
        const message = inner === undefined ? issue.message : `${inner}: ${issue.message}`;
        return renderAnnotation({ severity: issue.severity, file, range, title: issue.code, message });
      }),
    )
    .join("\n");
}

/** SARIF 2.1.0, for code scanning. */
export function renderSarif(results: readonly LintResult[], version: string): unknown {
  const summaries = new Map<string, string>([
    ...Object.entries(ISSUE_CODES).map(([code, { summary }]) => [code, summary] as const),
    ...Object.entries(PACKAGE_ISSUE_CODES),
    ...Object.entries(SCRIPT_ISSUE_CODES).map(([code, { summary }]) => [code, summary] as const),
  ]);
  const used = [...new Set(results.flatMap(({ issues }) => issues.map(({ code }) => code)))].sort();
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "busbar blueprint lint",
            semanticVersion: version,
            rules: used.map((code) => ({ id: code, shortDescription: { text: summaries.get(code) ?? code } })),
          },
        },
        columnKind: "utf16CodeUnits",
        results: results.flatMap((result) =>
          result.issues.map((issue) => renderSarifResult(result, issue, used.indexOf(issue.code))),
        ),
      },
    ],
  };
}

function renderSarifResult(result: LintResult, issue: AnyIssue, ruleIndex: number): unknown {
  const { severity, code, message } = issue;
  const { file, range, inner } = placeOf(result, issue);
  const artifactLocation = { uri: uriOf(file) };
  const region = range && {
    startLine: range.start.line,
    startColumn: range.start.column,
    endLine: range.end.line,
    endColumn: range.end.column,
  };
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: { text: inner === undefined ? message : `${inner}: ${message}` },
    locations: [{ physicalLocation: { artifactLocation, ...(region && { region }) } }],
    ...(hasFix(issue) ? { fixes: [renderSarifFix(artifactLocation, issue.fix)] } : {}),
  };
}

function renderSarifFix(
  artifactLocation: unknown,
  fix: NonNullable<Extract<AnyIssue, { fix?: unknown }>["fix"]>,
): unknown {
  const replacements = fix.edits.map(({ start, end, text }) => ({
    deletedRegion: { charOffset: start, charLength: end - start },
    insertedContent: { text },
  }));
  return { description: { text: fix.title }, artifactChanges: [{ artifactLocation, replacements }] };
}

function uriOf(name: string): string {
  if (isAbsolute(name)) return pathToFileURL(name).href;
  return name.split(sep).map(encodeURIComponent).join("/");
}
