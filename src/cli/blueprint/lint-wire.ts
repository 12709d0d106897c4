import { isAbsolute, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { AnyIssue } from "#core/blueprint/any-issue.ts";
import { renderDiagnostic } from "#core/blueprint/diagnostic-wire.ts";
import { ISSUE_CODES } from "#core/blueprint/issue.ts";
import { PACKAGE_ISSUE_CODES } from "#core/blueprint/package-issue.ts";
import { SCRIPT_ISSUE_CODES } from "#core/blueprint/script-issue.ts";
import { countIssues, hasFix, type LintResult } from "./lint-result.ts";

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

/** Workflow commands of GitHub Actions: each issue becomes a note at its line of a pull request. */
export function renderGithub(results: readonly LintResult[]): string {
  return results
    .flatMap(({ name, issues }) =>
      issues.map(({ severity, code, message, range: { start, end } }) => {
        const place = `file=${property(name)},line=${start.line},col=${start.column}`;
        const until = `endLine=${end.line},endColumn=${end.column}`;
        return `::${severity} ${place},${until},title=${property(code)}::${data(message)}`;
      }),
    )
    .join("\n");
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
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

function renderSarifResult({ name }: LintResult, issue: AnyIssue, ruleIndex: number): unknown {
  const { severity, code, message, range } = issue;
  const artifactLocation = { uri: uriOf(name) };
  const region = {
    startLine: range.start.line,
    startColumn: range.start.column,
    endLine: range.end.line,
    endColumn: range.end.column,
  };
  return {
    ruleId: code,
    ruleIndex,
    level: severity,
    message: { text: message },
    locations: [{ physicalLocation: { artifactLocation, region } }],
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
