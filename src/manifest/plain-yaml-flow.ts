import { plainLine, quotedScalar, resolve, type Scan, UNUSUAL } from "./plain-yaml-scalars.ts";
import type { Node } from "./tree.ts";
import type { Pair } from "./tree-builder.ts";

const DEEPEST = 64;
const LONGEST_KEY = 1_000;
const CLOSING = /^[ \n\t]*[,\]}]/;
const NAME = /[^\s,[\]{}]+/y;

/** The position of the brackets: their lines must be indented deeper than `indent`. */
interface Bracketed {
  readonly indent: number;
  readonly depth: number;
}

/** An object or list in brackets. All of JSON is of this kind. */
export function flowNode(scan: Scan, place: Bracketed): Node {
  if (place.depth > DEEPEST) throw UNUSUAL;
  return scan.source[scan.at] === "[" ? flowList(scan, place) : flowMap(scan, place);
}

function flowList(scan: Scan, place: Bracketed): Node {
  const start = scan.at;
  const items: Node[] = [];
  scan.at += 1;
  for (;;) {
    skipSpace(scan, place);
    if (scan.source[scan.at] === "]") break;
    items.push(flowValue(scan, place));
    skipSpace(scan, place);
    if (!skipComma(scan, "]")) break;
  }
  scan.at += 1;
  return scan.builder.list(items, start, scan.at);
}

function flowMap(scan: Scan, place: Bracketed): Node {
  const start = scan.at;
  const pairs: Pair[] = [];
  scan.at += 1;
  for (;;) {
    skipSpace(scan, place);
    if (scan.source[scan.at] === "}") break;
    const key = flowKey(scan);
    skipSpace(scan, place);
    pairs.push({ key, value: flowValue(scan, place) });
    skipSpace(scan, place);
    if (!skipComma(scan, "}")) break;
  }
  scan.at += 1;
  return scan.builder.map(pairs, start, scan.at);
}

/** A key and its colon. */
function flowKey(scan: Scan): Node {
  const { source } = scan;
  if (source[scan.at] === '"' || source[scan.at] === "'") {
    const key = quotedScalar(scan);
    skipSpaces(scan);
    if (source[scan.at] !== ":" || key.end - key.start > LONGEST_KEY) throw UNUSUAL;
    scan.at += 1;
    return key;
  }
  const key = flowPlain(scan, true);
  scan.at = source.indexOf(":", scan.at) + 1;
  return key;
}

function flowValue(scan: Scan, place: Bracketed): Node {
  const { source } = scan;
  switch (source.charAt(scan.at)) {
    case "[":
    case "{":
      return flowNode(scan, { ...place, depth: place.depth + 1 });
    case '"':
    case "'": {
      const value = quotedScalar(scan, place.indent);
      // `["a": b]` is an object inside a list.
      skipSpaces(scan);
      if (source[scan.at] === ":") throw UNUSUAL;
      return value;
    }
    case "*":
      return aliasNode(scan);
    default:
      return flowPlain(scan, false);
  }
}

function flowPlain(scan: Scan, isKey: boolean): Node {
  const { source, at: start } = scan;
  const line = plainLine(source, start, true);
  if (line.isKey !== isKey || (isKey && line.end - start > LONGEST_KEY)) throw UNUSUAL;
  // A text that goes on in the next line is rare in brackets.
  if (line.isWhole && !CLOSING.test(source.slice(line.end, line.end + 200))) throw UNUSUAL;
  const text = source.slice(start, line.end);
  scan.at = line.end;
  return { kind: "scalar", value: resolve(text), text, start, end: line.end };
}

export function aliasNode(scan: Scan): Node {
  const start = scan.at;
  scan.at += 1;
  const name = takeName(scan);
  return scan.builder.alias(name, start, scan.at);
}

/** The name of an anchor or alias. */
export function takeName(scan: Scan): string {
  NAME.lastIndex = scan.at;
  const name = NAME.exec(scan.source)?.[0];
  if (name === undefined || name.endsWith(":")) throw UNUSUAL;
  scan.at += name.length;
  return name;
}

function skipComma(scan: Scan, closing: string): boolean {
  const char = scan.source[scan.at];
  if (char === closing) return false;
  if (char !== ",") throw UNUSUAL;
  scan.at += 1;
  return true;
}

function skipSpaces(scan: Scan): void {
  while (scan.source[scan.at] === " ") scan.at += 1;
}

/** Spaces, line ends and comments. */
function skipSpace(scan: Scan, { indent }: Bracketed): void {
  const { source } = scan;
  for (;;) {
    const char = source[scan.at];
    if (char === " ") scan.at += 1;
    else if (char === "\t" && indent < 0) scan.at += 1;
    else if (char === "#" && /[\s]/.test(source.charAt(scan.at - 1))) skipComment(scan);
    else if (char === "\n") skipLineEnd(scan, indent);
    else return;
  }
}

function skipComment(scan: Scan): void {
  const end = scan.source.indexOf("\n", scan.at);
  if (end < 0) throw UNUSUAL;
  scan.at = end;
}

function skipLineEnd(scan: Scan, indent: number): void {
  scan.at += 1;
  const start = scan.at;
  skipSpaces(scan);
  const char = scan.source[scan.at];
  if (char === "\n" || char === undefined) return;
  if (scan.at - start <= indent) throw UNUSUAL;
  // At the margin dashes and dots may end the document.
  if (scan.at === start && (char === "-" || char === "." || char === "%")) throw UNUSUAL;
}
