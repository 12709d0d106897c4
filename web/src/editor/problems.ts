// Everything that is wrong with a blueprint, as the editor lists it: what the page finds itself, and what only the service
// can find, because it has scripts and schemas. Pure.
import type { Diagnostic } from "#client/resources.ts";
import type { Fix, Issue } from "#core/blueprint/issue.ts";

export type Problem = {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  /** Undefined: the manifest. */
  readonly file: string | undefined;
  readonly line: number;
  readonly column: number;
  /** Offsets in its file. */
  readonly from: number;
  readonly to: number;
  readonly fix: Fix | undefined;
};

/** `textOf`: the text of another file of the package. */
export function problemsOf(
  text: string,
  issues: readonly Issue[],
  ofService: readonly Diagnostic[] = [],
  textOf: (path: string) => string | undefined = () => undefined,
): readonly Problem[] {
  const offset = offsetIn(text);
  const own = issues.map(({ severity, code, message, range: { start, end }, fix }): Problem => {
    const from = offset(start.line, start.column);
    const to = Math.max(offset(end.line, end.column), from);
    return { severity, code, message, file: undefined, line: start.line, column: start.column, from, to, fix };
  });
  const known = new Set(own.map(({ code, line, message }) => `${code} ${line} ${message}`));
  const others = ofService
    .filter(({ code, line, message }) => !known.has(`${code} ${line} ${message}`))
    .map((one): Problem => {
      const { severity, code, message, path, line, column } = one;
      const isManifest = path === "" || path.startsWith("/");
      const place = isManifest ? offset : offsetIn(textOf(path) ?? "");
      const from = place(line, column);
      const to = Math.max(place(one.end_line, one.end_column), from);
      return { severity, code, message, file: isManifest ? undefined : path, line, column, from, to, fix: undefined };
    });
  return [...own, ...others].sort(
    (one, other) =>
      Number(one.severity === "warning") - Number(other.severity === "warning") ||
      Number(one.file !== undefined) - Number(other.file !== undefined) ||
      one.from - other.from,
  );
}

export function countOf(problems: readonly Problem[]): { readonly errors: number; readonly warnings: number } {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  return { errors, warnings: problems.length - errors };
}

function offsetIn(text: string): (line: number, column: number) => number {
  const starts = lineStarts(text);
  return (line, column) => Math.min((starts[line - 1] ?? text.length) + Math.max(column - 1, 0), text.length);
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
