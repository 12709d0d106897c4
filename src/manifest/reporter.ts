import { type Fix, ISSUE_CODES, type Issue, type IssueCode, type Position } from "#core/blueprint/issue.ts";
import { itemAt } from "#core/item-at.ts";
import { nearestOf } from "#core/text/nearest.ts";
import { pointer, type Trail } from "./tree.ts";

/** Names that are compared in search of the one that was meant, all together. */
const MOST_COMPARISONS = 20_000;
/** Limit per severity. Further issues are only counted, so that a hostile document cannot create an endless list. */
const MOST_ISSUES = 500;

export interface Finding {
  readonly code: IssueCode;
  readonly message: string;
  readonly fix?: Fix | undefined;
}

export interface Reporter {
  readonly text: string;
  /** What the document is, for messages: "manifest". */
  readonly what: string;
  // What is reported cannot be read, so these give what readers return then.
  /** About the value; for an object or list its key is underlined, not the whole of it. */
  atValue(trail: Trail, finding: Finding): undefined;
  atKey(trail: Trail, finding: Finding): undefined;
  /** About a part of what the trail leads to. */
  atSpan(trail: Trail, finding: Finding & Span): undefined;
  atOffset(start: number, end: number, finding: Finding): void;
  /** True, and counted, when the list is full: this saves building messages that nobody will read. */
  skips(code: IssueCode): boolean;
  /** The known name that was most likely meant. Gives up for documents with very many names and mistakes. */
  nearest(word: string, known: readonly string[]): string | undefined;
  hasErrors(): boolean;
  issues(): readonly Issue[];
}

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Found {
  readonly issue: Issue;
  readonly start: number;
}

export function createReporter(text: string, what = "manifest"): Reporter {
  const found = { error: [] as Found[], warning: [] as Found[] };
  const left = { error: 0, warning: 0 };
  const seen = new Set<string>();
  const positionOf = positionFinder(text);

  let comparisons = 0;

  const skips = (code: IssueCode): boolean => {
    const { severity } = ISSUE_CODES[code];
    if (found[severity].length < MOST_ISSUES) return false;
    left[severity] += 1;
    return true;
  };

  const add = (span: Span, path: () => string, finding: Finding): undefined => {
    if (skips(finding.code)) return undefined;
    const { severity } = ISSUE_CODES[finding.code];
    const identity = `${span.start} ${span.end} ${finding.code} ${finding.message}`;
    if (seen.has(identity)) return undefined;
    seen.add(identity);
    const range = { start: positionOf(span.start), end: positionOf(span.end) };
    const { code, message, fix } = finding;
    found[severity].push({
      issue: { code, severity, message: message.trimEnd(), path: path(), range, ...(fix ? { fix } : {}) },
      start: span.start,
    });
    return undefined;
  };

  return {
    text,
    what,
    atValue: (trail, finding) => add(valueSpan(text, trail), () => pointer(trail), finding),
    atKey: (trail, finding) => add(keySpan(text, trail), () => pointer(trail), finding),
    atSpan: (trail, finding) => add(finding, () => pointer(trail), finding),
    // The YAML library may point behind the end.
    atOffset: (start, end, finding) =>
      add({ start: Math.min(start, text.length), end: Math.min(end, text.length) }, () => "", finding),
    skips,
    nearest: (word, known) => {
      comparisons += known.length;
      return comparisons > MOST_COMPARISONS ? undefined : nearestOf(word, known);
    },
    hasErrors: () => found.error.length > 0,
    issues: () => {
      const listed = [...found.error, ...found.warning].sort((a, b) => a.start - b.start).map(({ issue }) => issue);
      if (left.error + left.warning === 0) return listed;
      const end = positionOf(text.length);
      const message = `${left.error} more errors and ${left.warning} more warnings are not listed.`;
      return [
        ...listed,
        { code: "too_many_issues", severity: "warning", message, path: "", range: { start: end, end } },
      ];
    },
  };
}

function valueSpan(text: string, trail: Trail): Span {
  return trail.node.kind === "scalar" && trail.node.end > trail.node.start ? trail.node : keySpan(text, trail);
}

function keySpan(text: string, trail: Trail): Span {
  if (trail.entry) return { start: trail.entry.keyStart, end: trail.entry.keyEnd };
  const { start, end } = trail.node;
  const lineEnd = text.indexOf("\n", start);
  return { start, end: Math.min(end, lineEnd < 0 ? text.length : lineEnd) };
}

/** Looks lines up in a table that is made at the first question: a clean document never pays for it. */
export function positionFinder(text: string): (offset: number) => Position {
  let starts: number[] | undefined;
  return (offset) => {
    if (offset === 0) return { line: 1, column: 1 };
    starts ??= lineStarts(text);
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (itemAt(starts, middle) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - itemAt(starts, low) + 1 };
  };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
