// Where in a manifest the cursor is, also while the text around it is not finished. Pure. It reads lines and their
// indentation, because a text that is being written is seldom valid YAML. Objects in braces are read within one line.

export type Place = {
  /** A key is written here, or the value of one. */
  readonly kind: "key" | "value";
  /** Keys that lead to the object in which a key is written, or to the value. */
  readonly path: readonly string[];
  /** What is written so far, and where it begins. */
  readonly typed: string;
  readonly from: number;
  /** Keys that the same object has already. */
  readonly siblings: ReadonlySet<string>;
  /** Columns before the key. Undefined inside braces. */
  readonly indent: number | undefined;
};

/** Undefined in a comment. */
export function placeAt(text: string, offset: number): Place | undefined {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const before = text.slice(start, offset);
  const indent = /^ */.exec(before)?.[0].length ?? 0;
  const inner = readFlow(before);
  if (inner === "comment") return undefined;
  const lines = linesOf(text, start);
  const content = before.slice(indent);
  if (inner !== undefined && inner.frames.length > 0) {
    const path = [...ancestors(lines, indent), ...inner.path];
    const { siblings } = inner;
    return {
      kind: inner.kind,
      path,
      typed: inner.typed,
      from: offset - inner.typed.length,
      siblings,
      indent: undefined,
    };
  }
  const item = /^- *(.*)$/.exec(content);
  if (item !== null) {
    const typed = item[1] ?? "";
    // A list may begin in the column of its own key.
    const path = ancestors(lines, indent + 1);
    return { kind: "value", path, typed, from: offset - typed.length, siblings: new Set(), indent };
  }
  const pair = KEY.exec(content);
  if (pair !== null) {
    const typed = pair[2] ?? "";
    const path = [...ancestors(lines, indent), unquoted(pair[1] ?? "")];
    return { kind: "value", path, typed, from: offset - typed.length, siblings: new Set(), indent };
  }
  const siblings = siblingsAt(lines, indent);
  return {
    kind: "key",
    path: ancestors(lines, indent),
    typed: content,
    from: offset - content.length,
    siblings,
    indent,
  };
}

/** The keys directly below a key of the root. */
export function keysBelow(text: string, section: string): readonly string[] {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => KEY.exec(line)?.[1] === section);
  if (at < 0) return [];
  const keys: string[] = [];
  let column: number | undefined;
  for (const line of lines.slice(at + 1)) {
    if (isEmpty(line)) continue;
    const indent = indentOf(line);
    if (indent === 0) break;
    column ??= indent;
    const key = indent === column ? KEY.exec(line.trim())?.[1] : undefined;
    if (key !== undefined) keys.push(unquoted(key));
  }
  return keys;
}

const KEY = /^("[^"]*"|'[^']*'|[^\s:#"'{}[\],-][^:#]*?) *:(?: +(.*)|)$/;

type Lines = { readonly all: readonly string[]; readonly at: number };

function linesOf(text: string, start: number): Lines {
  const all = text.split("\n");
  return { all, at: text.slice(0, start).split("\n").length - 1 };
}

function isEmpty(line: string): boolean {
  return /^\s*(#.*)?$/.test(line);
}

function indentOf(line: string): number {
  return /^ */.exec(line)?.[0].length ?? 0;
}

function unquoted(key: string): string {
  return /^["'].*["']$/.test(key) ? key.slice(1, -1) : key;
}

/** The keys above, each with less indentation than the one before. */
function ancestors({ all, at }: Lines, indent: number): readonly string[] {
  const path: string[] = [];
  let room = indent;
  for (let index = at - 1; index >= 0 && room > 0; index -= 1) {
    const line = all[index] ?? "";
    if (isEmpty(line) || indentOf(line) >= room) continue;
    const key = KEY.exec(line.trim())?.[1];
    if (key === undefined) continue;
    path.unshift(unquoted(key));
    room = indentOf(line);
  }
  return path;
}

function siblingsAt({ all, at }: Lines, indent: number): ReadonlySet<string> {
  const keys = new Set<string>();
  const take = (line: string): boolean => {
    if (isEmpty(line)) return true;
    if (indentOf(line) < indent) return false;
    const key = indentOf(line) === indent ? KEY.exec(line.trim())?.[1] : undefined;
    if (key !== undefined) keys.add(unquoted(key));
    return true;
  };
  for (let index = at - 1; index >= 0; index -= 1) if (!take(all[index] ?? "")) break;
  for (let index = at + 1; index < all.length; index += 1) if (!take(all[index] ?? "")) break;
  return keys;
}

type Frame = { readonly isList: boolean; key: string | undefined; readonly keys: Set<string> };
type Flow = {
  readonly frames: readonly Frame[];
  readonly kind: "key" | "value";
  readonly path: readonly string[];
  readonly typed: string;
  readonly siblings: ReadonlySet<string>;
};

/** The braces and brackets of a line that are still open at its end. */
function readFlow(before: string): Flow | "comment" | undefined {
  const frames: Frame[] = [];
  const outside: string[] = [];
  let word = "";
  let quote = "";
  for (let index = 0; index < before.length; index += 1) {
    const sign = before.charAt(index);
    const frame = frames.at(-1);
    if (quote !== "") {
      word += sign;
      if (sign === quote) quote = "";
    } else if ((sign === '"' || sign === "'") && word.trim() === "") {
      word = sign;
      quote = sign;
    } else if (sign === "#" && /^$|\s$/.test(before.slice(0, index))) return "comment";
    else if ((sign === "{" || sign === "[") && word.trim() === "") {
      frames.push({ isList: sign === "[", key: undefined, keys: new Set() });
      word = "";
    } else if ((sign === "}" || sign === "]") && frame !== undefined) {
      frames.pop();
      word = "";
    } else if (sign === "," && frame !== undefined) {
      frame.key = undefined;
      word = "";
    } else if (sign === ":" && /^( |$)/.test(before.slice(index + 1, index + 2)) && frame?.key === undefined) {
      const key = unquoted(word.trim().replace(/^- +/, ""));
      if (frame === undefined) outside.push(key);
      else if (!frame.isList) {
        frame.key = key;
        frame.keys.add(key);
      }
      word = "";
    } else word += sign;
  }
  const last = frames.at(-1);
  if (last === undefined) return undefined;
  const inner = frames.flatMap(({ key }) => (key === undefined ? [] : [key]));
  const isValue = last.isList || last.key !== undefined;
  return {
    frames,
    kind: isValue ? "value" : "key",
    path: [...outside.slice(0, 1), ...inner],
    typed: word.trimStart(),
    siblings: last.keys,
  };
}
