import type { Position } from "#core/blueprint/issue.ts";
import { SCRIPT_ISSUE_CODES, type ScriptIssue, type ScriptIssueCode } from "#core/blueprint/script-issue.ts";
import { itemAt } from "#core/item-at.ts";
import type { LuaSpan } from "#core/lua/lua-syntax.ts";
import { nearestOf } from "#core/text/nearest.ts";

/** Of all files of a program. */
const MOST_ISSUES = 100;
const LINE_END = /\r\n|\n\r|\n|\r/g;

export interface LintReport {
  add(code: ScriptIssueCode, path: string, place: LuaSpan, message: string): void;
  /** As `nearestOf`, as long as there is room for what it helps to say. */
  nearest(word: string, candidates: Iterable<string>): string | undefined;
  /** Sorted by file and place. */
  issues(): readonly ScriptIssue[];
}

/** `texts` by path. */
export function createLintReport(texts: ReadonlyMap<string, string>): LintReport {
  const found: { readonly issue: ScriptIssue; readonly at: number }[] = [];
  const lines = new Map<string, readonly number[]>();
  const order = [...texts.keys()];
  let isFull = false;

  const startsOf = (path: string): readonly number[] => {
    const known = lines.get(path);
    if (known !== undefined) return known;
    const starts = [0, ...[...(texts.get(path) ?? "").matchAll(LINE_END)].map((end) => end.index + end[0].length)];
    lines.set(path, starts);
    return starts;
  };
  const positionOf = (path: string, at: number): Position => {
    const starts = startsOf(path);
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (itemAt(starts, middle) <= at) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: at - itemAt(starts, low) + 1 };
  };
  const issueAt = (code: ScriptIssueCode, path: string, place: LuaSpan, message: string): ScriptIssue => {
    const range = { start: positionOf(path, place.at), end: positionOf(path, place.end) };
    return { code, severity: SCRIPT_ISSUE_CODES[code].severity, message, path, range };
  };

  return {
    add(code, path, place, message) {
      if (isFull) return;
      if (found.length < MOST_ISSUES) {
        found.push({ issue: issueAt(code, path, place, message), at: place.at });
        return;
      }
      isFull = true;
      const more = `More than ${MOST_ISSUES} findings. The others are not listed.`;
      found.push({
        issue: issueAt("lua_too_many_issues", path, { at: 0, end: 0 }, more),
        at: Number.POSITIVE_INFINITY,
      });
    },
    nearest: (word, candidates) => (isFull ? undefined : nearestOf(word, candidates)),
    issues: () =>
      found
        .sort((a, b) => order.indexOf(a.issue.path) - order.indexOf(b.issue.path) || a.at - b.at)
        .map(({ issue }) => issue),
  };
}
