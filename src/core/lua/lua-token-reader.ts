// Reads the tokens of a Lua text one after the other, and says where they do not fit.
import type { LuaToken } from "./lex-lua.ts";

/** As the interpreter's own limit. */
const DEEPEST = 200;

const KEYWORDS: ReadonlySet<string> = new Set(
  `and break do else elseif end false for function goto if in local nil not or repeat return then true until
  while`.split(/\s+/),
);

export class LuaFault extends Error {
  readonly token: LuaToken | undefined;
  constructor(message: string, token: LuaToken | undefined) {
    super(message);
    this.token = token;
  }
}

export interface TokenReader {
  /** Throws a fault at the next token. */
  fail(message: string): never;
  /** The next token, which stays the next. */
  peek(): LuaToken | undefined;
  /** The text of the next token, or of one after it. Undefined for a string, and at the end. */
  symbol(ahead?: number): string | undefined;
  is(text: string): boolean;
  take(): LuaToken;
  /** Takes the next token if it is this one. */
  accept(text: string): boolean;
  expect(text: string): LuaToken;
  takeName(): LuaToken;
  /** Parses something that may contain itself. */
  nested<T>(parse: () => T): T;
  /** Where the last taken token ends. */
  endOfLast(): number;
}

export function createTokenReader(tokens: readonly LuaToken[]): TokenReader {
  let next = 0;
  let depth = 0;

  function fail(message: string): never {
    throw new LuaFault(message, tokens[next]);
  }
  const symbol = (ahead = 0): string | undefined => {
    const token = tokens[next + ahead];
    return token === undefined || token.kind === "string" ? undefined : token.text;
  };
  const is = (text: string): boolean => symbol() === text;
  function take(): LuaToken {
    const token = tokens[next] ?? fail("the text ends too early");
    next += 1;
    return token;
  }

  return {
    fail,
    peek: () => tokens[next],
    symbol,
    is,
    take,
    accept(text) {
      if (!is(text)) return false;
      next += 1;
      return true;
    },
    expect(text) {
      if (!is(text)) fail(`${text} is expected here`);
      return take();
    },
    takeName() {
      const token = tokens[next];
      if (token?.kind !== "name" || KEYWORDS.has(token.text)) fail("a name is expected here");
      return take();
    },
    nested(parse) {
      depth += 1;
      if (depth > DEEPEST) fail("brackets and blocks are nested too deeply");
      const parsed = parse();
      depth -= 1;
      return parsed;
    },
    endOfLast: () => tokens[next - 1]?.end ?? 0,
  };
}
