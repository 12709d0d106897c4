// Splits Lua text into tokens, by the rules of the interpreter. Takes time in proportion to the text.

export interface LuaToken {
  readonly kind: "name" | "string" | "number" | "symbol";
  /** The value of a string; for everything else the text as written. */
  readonly text: string;
  readonly line: number;
  /** Offsets in the text; `end` is the one after the last character. */
  readonly at: number;
  readonly end: number;
}

export interface LuaProblem {
  readonly at: number;
  readonly line: number;
  readonly message: string;
}

export interface LexedLua {
  readonly tokens: readonly LuaToken[];
  /** Where reading stopped, if it did. */
  readonly problem: LuaProblem | undefined;
}

/** A byte order mark, as a character or as its bytes, and a first line for other readers, such as #!/usr/bin/lua. */
const OPENING = /^(?:\ufeff|\xef\xbb\xbf)?(?:#[^\n]*)?/;
const BLANK = /[ \t\v\f\r\n]+/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
/** As the interpreter takes it: everything that could belong to a number, judged afterwards. */
const NUMBER = /0[xX](?:[pP][+-]?|[0-9A-Fa-f.])*[A-Za-z_]?|(?:[0-9]|\.[0-9])(?:[eE][+-]?|[0-9A-Fa-f.])*[A-Za-z_]?/y;
const DECIMAL = /^(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const HEXADECIMAL = /^0[xX](?:[0-9A-Fa-f]+\.?[0-9A-Fa-f]*|\.[0-9A-Fa-f]+)(?:[pP][+-]?[0-9]+)?$/;
const LONG_OPEN = /\[(=*)\[/y;
const SYMBOL = /\.\.\.|\.\.|==|~=|<=|>=|<<|>>|\/\/|::|[-+*/%^#&~|<>=(){}[\];:,.]/y;
const PLAIN_TEXT = /[^\\"'\n\r]+/y;
const LINE_END = /\r\n|\n\r|\n|\r/g;
const COMMENT = /[^\n\r]*/y;
const ESCAPED_LINE = /\r\n|\n\r|\n|\r/y;
const DECIMAL_ESCAPE = /[0-9]{1,3}/y;
const HEX_ESCAPE = /x([0-9A-Fa-f]{2})/y;
const UNICODE_ESCAPE = /u\{0*([0-9A-Fa-f]{1,8})\}/y;
const LAST_UNICODE = 0x10ffff;
/** The interpreter writes larger ones than Unicode has. */
const LARGEST_ESCAPE = 0x7fffffff;

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
};

class LuaFault extends Error {}

/** Never throws. */
export function lexLua(text: string): LexedLua {
  const tokens: LuaToken[] = [];
  let at = OPENING.exec(text)?.[0].length ?? 0;
  let line = 1;

  const match = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text) ?? undefined;
  };
  const advance = (length: number): string => {
    const passed = text.slice(at, at + length);
    line += passed.match(LINE_END)?.length ?? 0;
    at += length;
    return passed;
  };
  /** Past a text that has no line ends. */
  const skip = (passed: string): string => {
    at += passed.length;
    return passed;
  };
  /** The content of a long bracket that opens here, or undefined when none does. */
  const longText = (): string | undefined => {
    const open = match(LONG_OPEN);
    if (open === undefined) return undefined;
    const close = text.indexOf(`]${open[1]}]`, at + open[0].length);
    if (close < 0) throw new LuaFault("a long bracket is not closed");
    const content = advance(close - at + open[0].length).slice(open[0].length, -open[0].length);
    return content.replace(/^(?:\r\n|\n\r|\n|\r)/, "");
  };
  const quotedText = (quote: string): string => {
    let value = "";
    at += 1;
    for (;;) {
      const plain = match(PLAIN_TEXT);
      if (plain !== undefined) value += skip(plain[0]);
      const next = text[at];
      if (next === undefined || next === "\n" || next === "\r") throw new LuaFault("a string is not closed");
      at += 1;
      if (next === quote) return value;
      value += next === "\\" ? escapedText() : next;
    }
  };
  const escapedText = (): string => {
    const simple = SIMPLE_ESCAPES[text[at] ?? ""];
    if (simple !== undefined) {
      advance(1);
      return simple;
    }
    const lineEnd = match(ESCAPED_LINE);
    if (lineEnd !== undefined) {
      advance(lineEnd[0].length);
      return "\n";
    }
    const decimal = match(DECIMAL_ESCAPE);
    if (decimal !== undefined && Number(decimal[0]) <= 255) {
      advance(decimal[0].length);
      return String.fromCharCode(Number(decimal[0]));
    }
    const hex = match(HEX_ESCAPE);
    if (hex !== undefined) {
      advance(hex[0].length);
      return String.fromCharCode(Number.parseInt(hex[1] ?? "0", 16));
    }
    const unicode = match(UNICODE_ESCAPE);
    const code = Number.parseInt(unicode?.[1] ?? "", 16);
    if (unicode !== undefined && code <= LARGEST_ESCAPE) {
      advance(unicode[0].length);
      return String.fromCodePoint(Math.min(code, LAST_UNICODE));
    }
    if (text[at] === "z") {
      advance(1);
      advance(match(BLANK)?.[0].length ?? 0);
      return "";
    }
    throw new LuaFault("a string has an escape that does not exist");
  };
  const plainToken = (): Pick<LuaToken, "kind" | "text"> => {
    const name = match(NAME);
    if (name !== undefined) return { kind: "name", text: skip(name[0]) };
    const number = match(NUMBER);
    if (number !== undefined) {
      if (!DECIMAL.test(number[0]) && !HEXADECIMAL.test(number[0])) throw new LuaFault("a number cannot be read");
      return { kind: "number", text: skip(number[0]) };
    }
    const symbol = match(SYMBOL);
    if (symbol === undefined) throw new LuaFault(`${JSON.stringify(text[at] ?? "")} has no meaning in Lua`);
    return { kind: "symbol", text: skip(symbol[0]) };
  };

  try {
    while (at < text.length) {
      const blank = match(BLANK);
      if (blank !== undefined) {
        if (blank[0] === " ") at += 1;
        else advance(blank[0].length);
        continue;
      }
      if (text.startsWith("--", at)) {
        at += 2;
        if (longText() === undefined) skip(match(COMMENT)?.[0] ?? "");
        continue;
      }
      const start = { line, at };
      const first = text[at] ?? "";
      const long = first === "[" ? longText() : undefined;
      const isString = long !== undefined || first === '"' || first === "'";
      const token = isString ? { kind: "string" as const, text: long ?? quotedText(first) } : plainToken();
      tokens.push({ kind: token.kind, text: token.text, line: start.line, at: start.at, end: at });
    }
  } catch (error) {
    if (!(error instanceof LuaFault)) throw error;
    return { tokens, problem: { at, line, message: error.message } };
  }
  return { tokens, problem: undefined };
}
