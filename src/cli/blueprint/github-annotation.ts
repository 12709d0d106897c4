import type { Range } from "#core/blueprint/issue.ts";

export interface Annotation {
  readonly severity: "error" | "warning";
  readonly file: string;
  /** Undefined: it is about the file as a whole. */
  readonly range: Range | undefined;
  readonly title: string;
  readonly message: string;
}

/** A workflow command of GitHub Actions: it becomes a note at its line of a pull request. */
export function renderAnnotation({ severity, file, range, title, message }: Annotation): string {
  const place =
    range === undefined
      ? ""
      : `,line=${range.start.line},col=${range.start.column},endLine=${range.end.line},endColumn=${range.end.column}`;
  return `::${severity} file=${property(file)}${place},title=${property(title)}::${data(message)}`;
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
