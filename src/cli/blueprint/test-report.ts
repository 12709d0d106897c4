import type { Position, Range } from "#core/blueprint/issue.ts";
import type { Coverage, Covered, Failure, ScenarioReport, TimelineEntry } from "#core/scenario/test-report.ts";
import { printable } from "#core/text/printable.ts";
import { codeFrame, type Style, styleFor } from "./code-frame.ts";
import { plural } from "./lint-report.ts";
import { type BrokenFile, countTests, type TestResult } from "./test-result.ts";

export type ReportFlags = { readonly verbose?: boolean | undefined; readonly coverage?: boolean | undefined };

type Context = { readonly style: Style; readonly flags: ReportFlags; readonly texts: TestResult["texts"] };

/** The report for people: each scenario with its outcome, then what failed and how it came about. */
export function renderTestReport(results: readonly TestResult[], colour: boolean, flags: ReportFlags): string {
  const style = styleFor(colour);
  return [
    ...results.map((result) => renderResult(result, { style, flags, texts: result.texts })),
    renderSummary(results, style),
  ].join("\n\n");
}

/** What failed in a scenario and how it came about, without colours. */
export function describeScenario(report: ScenarioReport, texts: TestResult["texts"]): string {
  return renderDetails(report, { style: styleFor(false), flags: {}, texts }).join("\n\n");
}

function renderResult({ name, report, broken, skipped }: TestResult, context: Context): string {
  const { style } = context;
  const head = style("bold", printable(name));
  if (skipped !== undefined) return `${head}\n  ${style("dim", `- ${skipped}`)}`;
  const scenarios = report?.scenarios ?? [];
  const lines = [
    head,
    ...broken.map(
      ({ file, issues }) => `  ${style("error", "✗")} ${printable(file)}  ${plural(issues.length, "problem")}`,
    ),
    ...scenarios.map((one) => renderLine(one, context)),
    ...(report?.problems ?? []).map(({ message }) => `  ${style("error", "✗")} ${printable(message)}`),
  ];
  const details = [
    ...broken.flatMap((one) => renderBroken(one, context)),
    ...scenarios.flatMap((one) => renderDetails(one, context)),
  ];
  const coverage = report?.coverage === undefined ? [] : [renderCoverage(report.coverage, context)];
  return [lines.join("\n"), ...details, ...coverage].join("\n\n");
}

function renderLine({ file, name, failures, elapsed }: ScenarioReport, { style }: Context): string {
  const mark = failures.length === 0 ? style("good", "✓") : style("error", "✗");
  const place = file === undefined ? "" : `${style("dim", printable(file))}  `;
  const words = name === file ? "" : printable(name);
  return `  ${mark} ${place}${words}  ${style("dim", seconds(elapsed))}`;
}

function renderBroken({ file, issues }: BrokenFile, { style, texts }: Context): readonly string[] {
  const lines = (texts.get(file) ?? "").split("\n");
  return issues.map(({ range, message }) =>
    indent(
      [
        `${style("bold", `${printable(file)}:${range.start.line}:${range.start.column}`)} ${style("error", "error")}`,
        `  ${printable(message)}`,
        indent(codeFrame(lines, range, style)),
      ].join("\n"),
    ),
  );
}

function renderDetails(report: ScenarioReport, context: Context): readonly string[] {
  const { failures, notes, timeline, name } = report;
  const { style, flags } = context;
  const remarks = failures.length === 0 ? [] : notes.map((note) => `  ${style("warning", "note")}  ${printable(note)}`);
  const blocks = [...failures.map((failure) => indent(renderFailure(report, failure, context))), ...remarks];
  if (timeline.length === 0) return blocks;
  const title =
    flags.verbose === true ? `timeline of ${printable(name)}` : "what happened before (all of it with --verbose)";
  return [...blocks, indent([style("dim", title), ...renderTimeline(timeline, style)].join("\n"))];
}

function renderFailure({ file }: ScenarioReport, failure: Failure, context: Context): string {
  const { style, texts } = context;
  const { message, expected, actual, at, place, script, traceback, count } = failure;
  const where =
    script === undefined
      ? file !== undefined && place
        ? `${file}:${place.line}:${place.column}`
        : file
      : `${script.file}:${script.line}`;
  const parts = [
    where && style("bold", printable(where)),
    style("error", printable(message)),
    at === undefined ? "" : style("dim", `at ${seconds(at)}`),
  ];
  const times = count === undefined ? [] : [`  ${style("dim", `and ${plural(count - 1, "more time")}`)}`];
  const compared =
    expected === undefined
      ? []
      : [`  expected  ${printable(expected)}`, `  came      ${printable(actual ?? "nothing")}`];
  const text = texts.get(script?.file ?? file ?? "");
  const start: Position | undefined = script === undefined ? place : { line: script.line, column: 1 };
  const frame = text === undefined || start === undefined ? [] : [indent(frameAt(text, start, style))];
  const stack =
    traceback === undefined ? [] : traceback.split("\n").map((line) => `    ${style("dim", printable(line))}`);
  return [parts.filter(Boolean).join("  "), ...times, ...compared, ...frame, ...stack].join("\n");
}

/** The word at the place, or the line if it begins there. */
function frameAt(text: string, start: Position, style: Style): string {
  const lines = text.split("\n");
  const line = lines[start.line - 1] ?? "";
  const from = start.column === 1 ? line.length - line.trimStart().length : start.column - 1;
  const length = start.column === 1 ? line.trim().length : (/^[\w.-]+/.exec(line.slice(from))?.[0].length ?? 1);
  const range: Range = {
    start: { line: start.line, column: from + 1 },
    end: { line: start.line, column: from + 1 + Math.max(1, length) },
  };
  return codeFrame(lines, range, style);
}

function renderTimeline(entries: readonly TimelineEntry[], style: Style): readonly string[] {
  const width = Math.max(0, ...entries.map(({ at }) => seconds(at).length));
  return entries.map(({ at, text, isStep }) => {
    const time = style("dim", seconds(at).padStart(width));
    return isStep ? `  ${time}  ${style("bold", printable(text))}` : `  ${time}    ${printable(text)}`;
  });
}

function renderCoverage({ telemetry, commands, alerts }: Coverage, { style, flags }: Context): string {
  const parts = [
    share(telemetry, "telemetry", "sent"),
    share(commands, "commands", "run"),
    share(alerts, "alerts", "raised"),
  ].filter(Boolean);
  const missing = Object.entries({ telemetry, commands, alerts })
    .filter(([, covered]) => covered.missing.length > 0)
    .map(([what, covered]) => `  ${what} left out: ${covered.missing.join(", ")}`);
  return [style("dim", `  ${parts.join(", ")}`), ...(flags.coverage === true ? missing : [])].join("\n");
}

function share({ done, all }: Covered, what: string, verb: string): string {
  return all === 0 ? "" : `${what} ${done} of ${all} ${verb}`;
}

function renderSummary(results: readonly TestResult[], style: Style): string {
  const { passed, failed } = countTests(results);
  const problems = results.reduce((sum, { report }) => sum + (report?.problems.length ?? 0), 0);
  return [
    failed > 0 ? style("error", `${plural(failed, "scenario")} failed`) : "",
    problems > 0 ? style("error", plural(problems, "problem")) : "",
    passed > 0 ? style("good", `${plural(passed, "scenario")} passed`) : "",
  ]
    .filter(Boolean)
    .join(", ");
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}

function seconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(3))} s`;
}
