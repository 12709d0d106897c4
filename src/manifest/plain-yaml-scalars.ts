import type { ScalarNode } from "./tree.ts";
import type { TreeBuilder } from "./tree-builder.ts";

/** Reading position in a text. `source` is `text` with line ends of one form, at the same offsets. */
export interface Scan {
  readonly text: string;
  readonly source: string;
  readonly builder: TreeBuilder;
  at: number;
  /** Column of `at` where a line begins with it, or where a list item does; -1 at the end of the text. */
  column: number;
}

/** Thrown where the text is not plain YAML, right or wrong: the YAML library decides then. */
export const UNUSUAL = new Error("not plain YAML");

const NEWLINE = 10;
const SPACE = 32;
const HASH = 35;
const COLON = 58;
const TAB = 9;

/** What no text without quotes begins with. */
const INDICATORS = new Set("-?:,[]{}#&*!|>'\"%@`\t ");
const FLOW_INDICATORS = new Set(",[]{}");

export interface PlainLine {
  readonly end: number;
  /** Whether a colon follows that makes it a key. */
  readonly isKey: boolean;
  /** Whether it goes up to the end of the line, so that the next line may continue it. */
  readonly isWhole: boolean;
}

/** The text without quotes that begins at `start`, as far as this line goes. */
export function plainLine(source: string, start: number, inFlow: boolean): PlainLine {
  const first = source.charAt(start);
  if (INDICATORS.has(first)) {
    const second = source.charAt(start + 1);
    const isText = "-?:".includes(first) && second !== "" && !" \n\t".includes(second);
    if (!isText || (inFlow && FLOW_INDICATORS.has(second))) throw UNUSUAL;
  }
  return restOfLine(source, start, inFlow);
}

function restOfLine(source: string, start: number, inFlow: boolean): PlainLine {
  let last = start;
  let at = start;
  for (; at < source.length; at += 1) {
    const code = source.charCodeAt(at);
    if (code === NEWLINE) break;
    if (code === SPACE) continue;
    if (code === TAB) throw UNUSUAL;
    if (code === HASH && at > start && source.charCodeAt(at - 1) === SPACE)
      return { end: last, isKey: false, isWhole: false };
    if (code === COLON && endsKey(source, at + 1, inFlow)) return { end: last, isKey: true, isWhole: false };
    if (inFlow && FLOW_INDICATORS.has(source.charAt(at))) return { end: last, isKey: false, isWhole: false };
    last = at + 1;
  }
  return { end: last, isKey: false, isWhole: true };
}

function endsKey(source: string, at: number, inFlow: boolean): boolean {
  const next = source.charAt(at);
  if (next === "\t") throw UNUSUAL;
  return next === "" || next === " " || next === "\n" || (inFlow && FLOW_INDICATORS.has(next));
}

/** A text without quotes with the lines that continue it: those indented deeper than `indent`. */
export function plainScalar(scan: Scan, indent: number): ScalarNode {
  const { source, at: start } = scan;
  let line = plainLine(source, start, false);
  let text = source.slice(start, line.end);
  let { end } = line;
  while (line.isWhole) {
    const next = continuation(source, end, indent);
    if (next === undefined) break;
    if (indent < 0) throw UNUSUAL;
    line = restOfLine(source, next.start, false);
    text += (next.blanks === 0 ? " " : "\n".repeat(next.blanks)) + source.slice(next.start, line.end);
    end = line.end;
  }
  if (line.isKey) throw UNUSUAL;
  scan.at = end;
  return { kind: "scalar", value: resolve(text), text, start, end };
}

/** The place where the next line continues the same text, and the number of blank lines before it. */
function continuation(source: string, end: number, indent: number): { start: number; blanks: number } | undefined {
  let at = source.indexOf("\n", end);
  let blanks = -1;
  while (at >= 0) {
    const lineStart = at + 1;
    let start = lineStart;
    while (source.charCodeAt(start) === SPACE) start += 1;
    blanks += 1;
    const first = source.charAt(start);
    if (first === "\t") throw UNUSUAL;
    if (first !== "\n") {
      if (first === "" || first === "#" || start - lineStart <= indent) return undefined;
      return { start, blanks };
    }
    at = start;
  }
  return undefined;
}

/** A text in quotes. It may go on in lines that are indented deeper than `indent`; a key must end on its line. */
export function quotedScalar(scan: Scan, indent?: number): ScalarNode {
  const { source, at: start } = scan;
  const isDouble = source[start] === '"';
  const end = closingQuote(source, start) + 1;
  scan.at = end;
  let inner = source.slice(start + 1, end - 1);
  if (inner.includes("\n")) inner = foldQuoted(inner, indent);
  const value = isDouble ? withoutEscapes(inner) : inner.replaceAll("''", "'");
  return { kind: "scalar", value, text: value, start, end };
}

function closingQuote(source: string, start: number): number {
  const quote = source.charAt(start);
  for (let at = source.indexOf(quote, start + 1); at >= 0; at = source.indexOf(quote, at + 1)) {
    if (quote === "'") {
      if (source[at + 1] !== "'") return at;
      at += 1;
    } else if (!isEscaped(source, at, start)) return at;
  }
  throw UNUSUAL;
}

/** Whether an odd number of backslashes stands before it. */
function isEscaped(source: string, at: number, start: number): boolean {
  let first = at;
  while (first - 1 > start && source[first - 1] === "\\") first -= 1;
  return (at - first) % 2 === 1;
}

function foldQuoted(inner: string, indent: number | undefined): string {
  if (indent === undefined || indent < 0 || inner.includes("\t")) throw UNUSUAL;
  const [first = "", ...rest] = inner.split("\n");
  const lines = rest.map((line) => line.trimStart());
  const isOutside = rest.some((line, at) => {
    const width = line.length - (lines[at]?.length ?? 0);
    return width <= indent && (width < line.length || at === rest.length - 1);
  });
  // An escaped line end joins lines in a way of its own.
  if (isOutside || /\\ *\n/.test(inner) || /[^ \S]/.test(inner.replaceAll("\n", ""))) throw UNUSUAL;
  const last = lines.pop() ?? "";
  return joinLines([first.trimEnd(), ...lines.map((line) => line.trimEnd()), last]);
}

/** Line ends become spaces, n blank lines between texts n line ends. The first and the last may be blank themselves. */
function joinLines(lines: readonly string[]): string {
  let text = lines[0] ?? "";
  let blanks = 0;
  for (const [index, line] of lines.entries()) {
    if (index === 0) continue;
    if (line === "" && index < lines.length - 1) {
      blanks += 1;
      continue;
    }
    text += (blanks === 0 ? " " : "\n".repeat(blanks)) + line;
    blanks = 0;
  }
  return text;
}

/** The escapes that JSON has as well; the others are rare. */
function withoutEscapes(inner: string): string {
  if (!inner.includes("\\")) return inner;
  // Every other escape is YAML's own. Halves of surrogate pairs are left to the library as well.
  if (inner.replace(/\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[\da-fA-F]{4})/g, "").includes("\\")) throw UNUSUAL;
  try {
    return JSON.parse(`"${inner}"`);
  } catch {
    throw UNUSUAL;
  }
}

/** A text behind `|` or `>`: lines that are indented deeper than `indent`. */
export function blockScalar(scan: Scan, indent: number): ScalarNode {
  const { source, at: start } = scan;
  const header = /[|>][+-]?(?= *(?: #[^\n]*)?(?:\n|$))/y;
  header.lastIndex = start;
  const style = header.exec(source)?.[0];
  if (style === undefined || indent < 0) throw UNUSUAL;
  const { lines, end } = blockLines(scan, indent);
  scan.at = end;
  while (!style.endsWith("+") && lines.at(-1) === "") lines.pop();
  const body = style.startsWith("|") ? lines.join("\n") : fold(lines);
  const isEmpty = lines.every((line) => line === "");
  if (isEmpty && style.endsWith("+")) throw UNUSUAL;
  const value = style.endsWith("-") || isEmpty ? body : `${body}\n`;
  return { kind: "scalar", value, text: value, start, end: contentEnd(source, start, end) };
}

/** The end of a block text without the space and the blank lines after it. */
export function contentEnd(source: string, start: number, end: number): number {
  let last = end;
  while (last > start && " \n\r".includes(source.charAt(last - 1))) last -= 1;
  return last;
}

/** Ends at the newline before the first line that does not belong to it. */
function blockLines({ source, text, at }: Scan, indent: number): { lines: string[]; end: number } {
  const lines: string[] = [];
  let width = -1;
  let widestBlank = 0;
  let end = source.indexOf("\n", at);
  if (end < 0) return { lines, end: source.length };
  for (;;) {
    const start = end + 1;
    let content = start;
    while (source.charCodeAt(content) === SPACE && (width < 0 || content - start < width)) content += 1;
    const lineEnd = nextLineEnd(source, start);
    // `source` has a space where the carriage return was.
    const stop = text[lineEnd - 1] === "\r" ? lineEnd - 1 : lineEnd;
    if (content >= stop) {
      if (lineEnd >= source.length) return { lines, end: source.length };
      widestBlank = Math.max(widestBlank, stop - start);
      lines.push("");
    } else {
      if (source[content] === "\t" && (width < 0 || content - start < width)) throw UNUSUAL;
      if (width < 0) {
        width = content - start;
        if (width > indent && widestBlank > width) throw UNUSUAL;
      }
      if (content - start < width || width <= indent) return { lines, end };
      lines.push(source.slice(content, stop));
    }
    end = lineEnd;
    if (end >= source.length) return { lines, end };
  }
}

function nextLineEnd(source: string, from: number): number {
  const end = source.indexOf("\n", from);
  return end < 0 ? source.length : end;
}

/** A line end becomes a space, n blank lines become n line ends; around lines that are indented deeper all is kept. */
function fold(lines: readonly string[]): string {
  let text = "";
  let blanks = 0;
  let before: string | undefined;
  for (const line of lines) {
    if (line === "") {
      blanks += 1;
      continue;
    }
    const isKept = before !== undefined && (/^[ \t]/.test(before) || /^[ \t]/.test(line));
    if (before === undefined) text = "\n".repeat(blanks);
    else if (isKept) text += "\n".repeat(blanks + 1);
    else text += blanks === 0 ? " " : "\n".repeat(blanks);
    text += line;
    before = line;
    blanks = 0;
  }
  return text + "\n".repeat(blanks);
}

const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ["", null],
  ["~", null],
  ["null", null],
  ["Null", null],
  ["NULL", null],
  ["true", true],
  ["True", true],
  ["TRUE", true],
  ["false", false],
  ["False", false],
  ["FALSE", false],
]);
const MAYBE_NUMBER = /^[-+.\d]/;
const DECIMAL = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const BASED = /^0(?:o[0-7]+|x[\da-fA-F]+)$/;
const INFINITE = /^([-+]?)\.(?:inf|Inf|INF)$/;
const NO_NUMBER = /^\.(?:nan|NaN|NAN)$/;

/** The core schema of YAML 1.2: `yes` is a text. */
export function resolve(text: string): string | number | boolean | null {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (!MAYBE_NUMBER.test(text)) return text;
  if (DECIMAL.test(text) || BASED.test(text)) return Number(text);
  const infinite = INFINITE.exec(text);
  if (infinite) return infinite[1] === "-" ? -Infinity : Infinity;
  return NO_NUMBER.test(text) ? Number.NaN : text;
}
