import { aliasNode, flowNode, takeName } from "./plain-yaml-flow.ts";
import { blockScalar, plainLine, plainScalar, quotedScalar, type Scan, UNUSUAL } from "./plain-yaml-scalars.ts";
import type { Node, ScalarNode } from "./tree.ts";
import { createTreeBuilder, type Pair } from "./tree-builder.ts";

const DEEPEST = 64;
const LONGEST_KEY = 1_000;

/** The node, or the place up to which the text is plain. A blank text has neither node nor doubt. */
export type PlainYaml = { readonly node: Node } | { readonly node: undefined; readonly doubtAt: number | undefined };

/**
 * Reads the plain part of YAML that manifests are written in, many times faster than the YAML library: objects and lists
 * by indentation or in brackets, texts with and without quotes, comments, anchors and aliases. Anything else, mistakes
 * included, is left to the library; what is read here is exactly what the library reads, which a test compares on random
 * texts.
 */
export function readPlainYaml(text: string): PlainYaml {
  const source = normalised(text);
  if (source.includes("\r") || source.includes("\uFEFF")) return { node: undefined, doubtAt: 0 };
  const scan: Scan = { text, source, builder: createTreeBuilder(), at: 0, column: 0 };
  try {
    toContent(scan);
    skipDocumentStart(scan);
    if (scan.column < 0) return { node: undefined, doubtAt: undefined };
    const node = blockNode(scan, -1, 0);
    return scan.column < 0 ? { node } : { node: undefined, doubtAt: scan.at };
  } catch (problem) {
    if (problem === UNUSUAL) return { node: undefined, doubtAt: scan.at };
    throw problem;
  }
}

/** One form of line ends and no byte order mark, with every character at its old place. */
function normalised(text: string): string {
  const source = text.includes("\r") ? text.replaceAll("\r\n", " \n") : text;
  return source.startsWith("\uFEFF") ? `\n${source.slice(1)}` : source;
}

function skipDocumentStart(scan: Scan): void {
  if (scan.column !== 0 || !scan.source.startsWith("---", scan.at)) return;
  scan.at += 3;
  toLineEnd(scan);
  toContent(scan);
  if (isDocumentMark(scan)) throw UNUSUAL;
}

/** A node that begins where the scan is, inside of something at column `indent`. */
function blockNode(scan: Scan, indent: number, depth: number): Node {
  if (depth > DEEPEST || isDocumentMark(scan)) throw UNUSUAL;
  if (isDash(scan)) return blockList(scan, depth);
  return isKey(scan) ? blockMap(scan, depth) : inlineNode(scan, indent, depth);
}

function blockList(scan: Scan, depth: number): Node {
  const { at: start, column } = scan;
  const items: Node[] = [];
  let end = start;
  while (scan.column === column && isDash(scan)) {
    scan.at += 1;
    skipSpaces(scan);
    const item = isLineOver(scan) ? belowNode(scan, column, depth) : itemNode(scan, column, depth);
    items.push(item);
    end = item.end;
  }
  if (scan.column > column) throw UNUSUAL;
  return scan.builder.list(items, start, end);
}

/** What follows a dash on its line may be the first line of an object or list of its own. */
function itemNode(scan: Scan, indent: number, depth: number): Node {
  scan.column = scan.at - (scan.source.lastIndexOf("\n", scan.at - 1) + 1);
  return blockNode(scan, indent, depth + 1);
}

function blockMap(scan: Scan, depth: number): Node {
  const { at: start, column } = scan;
  const pairs: Pair[] = [];
  let end = start;
  while (scan.column === column) {
    if (isDocumentMark(scan)) throw UNUSUAL;
    const key = blockKey(scan);
    skipSpaces(scan);
    const value = isLineOver(scan) ? valueBelow(scan, column, depth) : inlineNode(scan, column, depth + 1);
    pairs.push({ key, value });
    end = value.end;
  }
  if (scan.column > column) throw UNUSUAL;
  return scan.builder.map(pairs, start, end);
}

/** A key and its colon. */
function blockKey(scan: Scan): ScalarNode {
  const { source, at: start } = scan;
  if (isQuote(source[start])) {
    const key = quotedScalar(scan);
    skipSpaces(scan);
    if (source[scan.at] !== ":" || !isGap(source[scan.at + 1]) || key.end - start > LONGEST_KEY) throw UNUSUAL;
    scan.at += 1;
    return key;
  }
  const line = plainLine(source, start, false);
  if (!line.isKey || line.end - start > LONGEST_KEY) throw UNUSUAL;
  const text = source.slice(start, line.end);
  scan.at = source.indexOf(":", line.end) + 1;
  return { kind: "scalar", value: text, text, start, end: line.end };
}

/** The value of a key whose line is over. A list may stand at the column of its key. */
function valueBelow(scan: Scan, column: number, depth: number): Node {
  const empty = nothing(scan);
  toContent(scan);
  if (scan.column === column && isDash(scan)) return blockList(scan, depth + 1);
  return deeperNode(scan, empty, { column, depth });
}

function belowNode(scan: Scan, column: number, depth: number): Node {
  const empty = nothing(scan);
  toContent(scan);
  return deeperNode(scan, empty, { column, depth });
}

function deeperNode(scan: Scan, empty: ScalarNode, { column, depth }: { column: number; depth: number }): Node {
  if (scan.column <= column) return empty;
  const node = blockNode(scan, column, depth + 1);
  // The library does not take every comment between a key and a text below it.
  if (node.kind === "scalar" && scan.source.slice(empty.start, node.start).includes("#")) throw UNUSUAL;
  return node;
}

const nothing = ({ at }: Scan): ScalarNode => ({ kind: "scalar", value: null, text: "", start: at, end: at });

/** A node that begins in the middle of a line and is no object or list by indentation. Leaves the scan at what follows. */
function inlineNode(scan: Scan, indent: number, depth: number): Node {
  if (scan.source[scan.at] === "&") return anchoredNode(scan, indent, depth);
  const node = scalarOrFlow(scan, indent, depth);
  toLineEnd(scan);
  toContent(scan);
  return node;
}

function anchoredNode(scan: Scan, indent: number, depth: number): Node {
  scan.at += 1;
  const name = takeName(scan);
  if (!isGap(scan.source[scan.at])) throw UNUSUAL;
  skipSpaces(scan);
  if (isLineOver(scan)) {
    toContent(scan);
    // If nothing deeper follows, details of the YAML standard decide what the anchor names.
    if (scan.column <= indent || "&*".includes(scan.source.charAt(scan.at))) throw UNUSUAL;
    const node = blockNode(scan, indent, depth + 1);
    scan.builder.anchor(name, node);
    return node;
  }
  if ("&*".includes(scan.source.charAt(scan.at))) throw UNUSUAL;
  const node = inlineNode(scan, indent, depth);
  scan.builder.anchor(name, node);
  return node;
}

function scalarOrFlow(scan: Scan, indent: number, depth: number): Node {
  switch (scan.source.charAt(scan.at)) {
    case "[":
    case "{":
      return flowNode(scan, { indent, depth });
    case '"':
    case "'":
      return quotedScalar(scan, indent);
    case "|":
    case ">":
      return blockScalar(scan, indent);
    case "*":
      return aliasNode(scan);
    default:
      return plainScalar(scan, indent);
  }
}

function isDash({ source, at }: Scan): boolean {
  return source[at] === "-" && isGap(source[at + 1]);
}

function isKey(scan: Scan): boolean {
  const { source, at } = scan;
  const first = source.charAt(at);
  if (isQuote(first)) {
    quotedScalar(scan, 0);
    skipSpaces(scan);
    const isFollowed = source[scan.at] === ":";
    scan.at = at;
    return isFollowed;
  }
  return !"[{&*|>".includes(first) && plainLine(source, at, false).isKey;
}

const isQuote = (char: string | undefined): boolean => char === '"' || char === "'";
const isGap = (char: string | undefined): boolean => char === undefined || char === " " || char === "\n";

function skipSpaces(scan: Scan): void {
  while (scan.source[scan.at] === " ") scan.at += 1;
}

function isLineOver({ source, at }: Scan): boolean {
  const char = source[at];
  return char === undefined || char === "\n" || (char === "#" && source[at - 1] === " ");
}

/** Nothing but a comment may follow on the line. */
function toLineEnd(scan: Scan): void {
  skipSpaces(scan);
  if (!isLineOver(scan)) throw UNUSUAL;
}

function lineEnd(source: string, from: number): number {
  const end = source.indexOf("\n", from);
  return end < 0 ? source.length : end;
}

/** Goes to the first character of the next line that is neither blank nor a comment. */
function toContent(scan: Scan): void {
  const { source } = scan;
  let start = scan.at === 0 ? 0 : lineEnd(source, scan.at) + 1;
  for (;;) {
    let at = start;
    while (source[at] === " ") at += 1;
    const char = source[at];
    if (char === undefined) {
      scan.at = source.length;
      scan.column = -1;
      return;
    }
    if (char === "\t") throw UNUSUAL;
    if (char !== "\n" && char !== "#") {
      scan.at = at;
      scan.column = at - start;
      return;
    }
    start = lineEnd(source, at) + 1;
  }
}

/** Dashes or dots at the margin, which begin and end documents. */
function isDocumentMark({ source, at, column }: Scan): boolean {
  return column === 0 && (source.startsWith("---", at) || source.startsWith("...", at));
}
