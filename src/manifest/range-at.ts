import type { Range } from "#core/blueprint/issue.ts";
import { issuesAt } from "./issues-at.ts";

/** The place of a value in a manifest; the start of the text when it is not there. */
export function rangeAt(text: string, at: readonly (string | number)[]): Range {
  const start = { line: 1, column: 1 };
  return issuesAt(text, [{ at, code: "missing_file", message: "" }])[0]?.range ?? { start, end: start };
}
