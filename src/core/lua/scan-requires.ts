import { type LuaToken, lexLua } from "./lex-lua.ts";

export interface Requires {
  /** Modules that must be there. */
  readonly needed: readonly RequiredModule[];
  /** Modules asked for by `pcall(require, "x")`: taken along where they are there. */
  readonly wished: readonly RequiredModule[];
  /** Lines whose module is known only when they run. */
  readonly unknownAt: readonly number[];
}

interface RequiredModule {
  readonly name: string;
  readonly line: number;
}

/** What a Lua text requires, as far as that is known without running it. */
export function scanRequires(text: string): Requires {
  const { tokens } = lexLua(text);
  const needed: RequiredModule[] = [];
  const wished: RequiredModule[] = [];
  const unknownAt: number[] = [];
  tokens.forEach((token, i) => {
    if (token.kind !== "name" || token.text !== "require" || isOther(tokens, i)) return;
    const { line } = token;
    const call = callOf(tokens, i + 1);
    if (call !== undefined) needed.push({ name: call, line });
    else if (isProtected(tokens, i)) {
      const name = tokens[i + 2];
      const isWhole = name?.kind === "string" && isSymbol(tokens[i + 3], ")");
      if (isWhole) wished.push({ name: name.text, line });
      else unknownAt.push(line);
    } else unknownAt.push(line);
  });
  return { needed, wished, unknownAt };
}

/** A field of something, a parameter, or a name that is being given a value: not the function itself. */
function isOther(tokens: readonly LuaToken[], i: number): boolean {
  const before = tokens[i - 1];
  if (isSymbol(before, ".") || isSymbol(before, ":")) return true;
  if (before?.kind === "name" && (before.text === "function" || before.text === "local")) return true;
  return isSymbol(tokens[i + 1], "=");
}

/** The module of `require "x"` or `require("x")`; undefined for anything else. */
function callOf(tokens: readonly LuaToken[], at: number): string | undefined {
  const first = tokens[at];
  if (first?.kind === "string") return first.text;
  const name = tokens[at + 1];
  return isSymbol(first, "(") && name?.kind === "string" && isSymbol(tokens[at + 2], ")") ? name.text : undefined;
}

function isProtected(tokens: readonly LuaToken[], i: number): boolean {
  const guard = tokens[i - 2];
  const isGuard = guard?.kind === "name" && (guard.text === "pcall" || guard.text === "xpcall");
  return isGuard && isSymbol(tokens[i - 1], "(") && isSymbol(tokens[i + 1], ",");
}

function isSymbol(token: LuaToken | undefined, text: string): boolean {
  return token?.kind === "symbol" && token.text === text;
}
