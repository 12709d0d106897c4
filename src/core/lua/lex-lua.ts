// Splits Lua text into tokens: enough to find what a script requires and to read a file that holds only data. The
// engine reports all other errors in the text.

export interface LuaToken {
  readonly kind: "name" | "string" | "number" | "symbol";
  /** The value of a string; for everything else the text as written. */
  readonly text: string;
  readonly line: number;
}

export interface LexedLua {
  readonly tokens: readonly LuaToken[];
  /** Where reading stopped, if it did. */
  readonly problem: { readonly line: number; readonly message: string } | undefined;
}

const BLANK = /[ \t\v\f\r\n]+/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /0[xX][0-9A-Fa-f.]*(?:[pP][+-]?[0-9]+)?|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y;
const LONG_OPEN = /\[(=*)\[/y;
const SYMBOL = /\.\.\.|\.\.|==|~=|<=|>=|<<|>>|\/\/|::|[-+*/%^#&~|<>=(){}[\];:,.]/y;
const PLAIN_TEXT = /[^\\"'\n\r]+/y;

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  '"': '"',
  "'": "'",
  "\n": "\n",
};

class LuaFault extends Error {}

/** Never throws. */
export function lexLua(text: string): LexedLua {
  const tokens: LuaToken[] = [];
  let at = text.startsWith("#") ? endOfLine(text, 0) : 0;
  let line = 1;

  const match = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text) ?? undefined;
  };
  const advance = (length: number): string => {
    const passed = text.slice(at, at + length);
    for (let i = passed.indexOf("\n"); i >= 0; i = passed.indexOf("\n", i + 1)) line++;
    at += length;
    return passed;
  };
  /** The content of a long bracket that opens here, or undefined when none does. */
  const longText = (): string | undefined => {
    const open = match(LONG_OPEN);
    if (open === undefined) return undefined;
    const close = text.indexOf(`]${open[1]}]`, at + open[0].length);
    if (close < 0) throw new LuaFault("a long bracket is not closed");
    const content = advance(close - at + open[0].length).slice(open[0].length, -open[0].length);
    return content.replace(/^\r?\n/, "");
  };
  const quotedText = (quote: string): string => {
    let value = "";
    advance(1);
    for (;;) {
      const plain = match(PLAIN_TEXT);
      if (plain !== undefined) value += advance(plain[0].length);
      const next = text[at];
      if (next === undefined || next === "\n" || next === "\r") throw new LuaFault("a string is not closed");
      advance(1);
      if (next === quote) return value;
      value += next === "\\" ? escapedText() : next;
    }
  };
  const escapedText = (): string => {
    const rest = text.slice(at, at + 12);
    const simple = SIMPLE_ESCAPES[rest[0] ?? ""];
    if (simple !== undefined) {
      advance(1);
      return simple;
    }
    const decimal = /^[0-9]{1,3}/.exec(rest)?.[0];
    if (decimal !== undefined) {
      advance(decimal.length);
      return String.fromCharCode(Number(decimal));
    }
    const hex = /^x([0-9A-Fa-f]{2})/.exec(rest);
    if (hex !== null) {
      advance(hex[0].length);
      return String.fromCharCode(Number.parseInt(hex[1] ?? "0", 16));
    }
    const unicode = /^u\{([0-9A-Fa-f]{1,6})\}/.exec(rest);
    const code = Number.parseInt(unicode?.[1] ?? "", 16);
    if (unicode !== null && code <= 0x10ffff) {
      advance(unicode[0].length);
      return String.fromCodePoint(code);
    }
    if (rest.startsWith("z")) {
      advance(1);
      advance(match(BLANK)?.[0].length ?? 0);
      return "";
    }
    throw new LuaFault("a string has an escape that does not exist");
  };

  try {
    while (at < text.length) {
      const blank = match(BLANK);
      if (blank !== undefined) {
        advance(blank[0].length);
        continue;
      }
      if (text.startsWith("--", at)) {
        advance(2);
        if (longText() === undefined) at = endOfLine(text, at);
        continue;
      }
      const start = line;
      const first = text[at] ?? "";
      const long = first === "[" ? longText() : undefined;
      if (long !== undefined) tokens.push({ kind: "string", text: long, line: start });
      else if (first === '"' || first === "'") tokens.push({ kind: "string", text: quotedText(first), line: start });
      else {
        const name = match(NAME);
        const number = name === undefined ? match(NUMBER) : undefined;
        const symbol = name === undefined && number === undefined ? match(SYMBOL) : undefined;
        const found = name ?? number ?? symbol;
        if (found === undefined) throw new LuaFault(`${JSON.stringify(first)} has no meaning in Lua`);
        const kind = name !== undefined ? "name" : number !== undefined ? "number" : "symbol";
        tokens.push({ kind, text: advance(found[0].length), line: start });
      }
    }
  } catch (error) {
    if (!(error instanceof LuaFault)) throw error;
    return { tokens, problem: { line, message: error.message } };
  }
  return { tokens, problem: undefined };
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}
