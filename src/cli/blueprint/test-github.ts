// The result of blueprint tests as notes at the lines of a pull request.
import type { Position, Range } from "#core/blueprint/issue.ts";
import type { Failure } from "#core/scenario/test-report.ts";
import { renderAnnotation } from "./github-annotation.ts";
import { renderGithub } from "./lint-wire.ts";
import type { TestResult } from "./test-result.ts";

export function renderTestGithub(results: readonly TestResult[]): string {
  return results.flatMap(renderResult).join("\n");
}

function renderResult(result: TestResult): readonly string[] {
  const { refused, broken, report, source } = result;
  if (refused !== undefined) return [renderGithub([refused])];
  return [
    ...broken.flatMap(({ file, issues }) =>
      issues.map(({ severity, code, message, range }) =>
        renderAnnotation({ severity, title: code, ...placeIn(result, { file, range, message }) }),
      ),
    ),
    ...(report?.scenarios ?? []).flatMap(({ file, name, failures }) =>
      failures.map((failure) => {
        const at = failure.script === undefined ? failure.place : { line: failure.script.line, column: 1 };
        const range = at && { start: at, end: at };
        const message = inWords(failure);
        return renderAnnotation({
          severity: "error",
          title: name,
          ...placeIn(result, { file: failure.script?.file ?? file, range, message }),
        });
      }),
    ),
    ...(report?.problems ?? []).map(({ message }) =>
      renderAnnotation({ severity: "error", file: source, range: undefined, title: "blueprint test", message }),
    ),
  ];
}

interface Annotation {
  readonly file: string | undefined;
  readonly range: Range | undefined;
  readonly message: string;
}

/** A file inside a zip has no line that could be shown: its place goes into the words. */
function placeIn(
  { paths, source }: TestResult,
  { file, range, message }: Annotation,
): Annotation & { readonly file: string } {
  const path = file === undefined ? source : paths.get(file);
  if (path !== undefined) return { file: path, range: file === undefined ? undefined : range, message };
  return { file: source, range: undefined, message: `${whereIn(file ?? "", range?.start)}: ${message}` };
}

function whereIn(file: string, start: Position | undefined): string {
  return start === undefined ? file : `${file}:${start.line}:${start.column}`;
}

function inWords({ message, expected, actual, at, traceback }: Failure): string {
  return [
    at === undefined ? message : `${message} at ${Number((at / 1000).toFixed(3))} s`,
    ...(expected === undefined ? [] : [`expected ${expected}`, `came ${actual ?? "nothing"}`]),
    ...(traceback === undefined ? [] : [traceback]),
  ].join("\n");
}
