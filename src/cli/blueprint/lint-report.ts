import type { AnyIssue } from "#core/blueprint/any-issue.ts";
import { printable } from "#core/text/printable.ts";
import { codeFrame, type Style, styleFor } from "./code-frame.ts";
import { countIssues, hasFix, isInManifest, type LintResult, placeOf } from "./lint-result.ts";

/** The report for people: each issue with its lines, then a summary. */
export function renderReport(results: readonly LintResult[], colour: boolean): string {
  const style = styleFor(colour);
  const blocks = results.flatMap((result) => {
    const manifest = result.text.split("\n");
    const texts = [...(result.scripts ?? [])].filter(([, text]) => text !== "");
    const files = new Map(texts.map(([path, text]) => [path, text.split("\n")]));
    return result.issues.map((issue) =>
      renderIssue({ result, lines: isInManifest(issue) ? manifest : (files.get(issue.path) ?? []), style }, issue),
    );
  });
  return [...blocks, renderSummary(results, style)].join("\n\n");
}

type Context = { readonly result: LintResult; readonly lines: readonly string[]; readonly style: Style };

function renderIssue({ result, lines, style }: Context, issue: AnyIssue): string {
  const { severity, code, message, range } = issue;
  const { file: outer, inner } = placeOf(result, issue);
  const file = printable(inner === undefined ? outer : `${outer} (${inner})`);
  const isInText = result.text !== "" && isInManifest(issue);
  const isInFile = !isInManifest(issue) && (lines.length > 0 || issue.code.startsWith("lua_"));
  const place = isInText || isInFile ? `${file}:${range.start.line}:${range.start.column}` : file;
  const head = `${style("bold", place)} ${style(severity, severity)} ${style("dim", code)}`;
  const parts = [head, `  ${printable(message)}`];
  // An empty range is the beginning of a line that is meant as a whole.
  const isPlace = range.start.column < range.end.column;
  if (isInText || (isInFile && isPlace && lines.length > 0)) parts.push(indent(codeFrame(lines, range, style)));
  if (hasFix(issue)) parts.push(`  ${style("dim", `fix: ${printable(issue.fix.title)}`)}`);
  return parts.join("\n");
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}

function renderSummary(results: readonly LintResult[], style: Style): string {
  const { errors, warnings, fixable } = countIssues(results);
  const checked = plural(results.length, "blueprint");
  if (errors + warnings === 0) return `${checked} checked, no problems.`;
  const counts = [
    errors > 0 ? style("error", plural(errors, "error")) : "",
    warnings > 0 ? style("warning", plural(warnings, "warning")) : "",
  ].filter(Boolean);
  const hint = fixable > 0 ? ` ${fixable} can be fixed with --fix.` : "";
  return `${checked} checked: ${counts.join(" and ")}.${hint}`;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
