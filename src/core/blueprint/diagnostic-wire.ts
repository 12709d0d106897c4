// An issue as programs see it, over HTTP and from the verbs that work offline alike.
import type { Range } from "./issue.ts";

interface Diagnosed {
  readonly severity: "error" | "warning";
  readonly code: string;
  readonly message: string;
  readonly path: string;
  readonly range: Range;
}

interface Diagnostic extends Omit<Diagnosed, "range"> {
  readonly line: number;
  readonly column: number;
  readonly end_line: number;
  readonly end_column: number;
}

export function renderDiagnostic({ severity, code, message, path, range: { start, end } }: Diagnosed): Diagnostic {
  return {
    severity,
    code,
    message,
    path,
    line: start.line,
    column: start.column,
    end_line: end.line,
    end_column: end.column,
  };
}
