// The syntax tree of a Lua text, as far as checks need it. Chains of operators, of fields and calls, and of `elseif` are
// lists, so that its depth is that of brackets and blocks, which is limited.

/** Offsets in the text; `end` is the one after the last character. */
export interface LuaSpan {
  readonly at: number;
  readonly end: number;
}

export interface LuaLocal extends LuaSpan {
  readonly name: string;
  readonly isConst: boolean;
}

export interface LuaName extends LuaSpan {
  readonly kind: "name";
  readonly name: string;
  /** Undefined for a global. */
  readonly local: LuaLocal | undefined;
}

/** `f(x).field[i]:method(y)`: what it begins with, and at least one step. */
export interface LuaChain extends LuaSpan {
  readonly kind: "chain";
  readonly head: LuaName | LuaParenthesized;
  readonly steps: readonly LuaStep[];
}

export type LuaStep =
  /** Also `["name"]`. */
  | ({ readonly kind: "field"; readonly name: string } & LuaSpan)
  | ({ readonly kind: "index"; readonly key: LuaExpression } & LuaSpan)
  | ({ readonly kind: "call"; readonly args: readonly LuaExpression[] } & LuaSpan)
  /** The span is that of its name. */
  | ({ readonly kind: "method"; readonly name: string; readonly args: readonly LuaExpression[] } & LuaSpan);

export interface LuaParenthesized extends LuaSpan {
  readonly kind: "parenthesized";
  readonly value: LuaExpression;
}

/** Operands with their unary operators, in the order of the text: which binds first makes no difference to checks. */
interface LuaOperation extends LuaSpan {
  readonly kind: "operation";
  readonly operands: readonly { readonly unary: readonly string[]; readonly value: LuaExpression }[];
  /** One fewer than operands. */
  readonly operators: readonly string[];
}

interface LuaTable extends LuaSpan {
  readonly kind: "table";
  readonly fields: readonly LuaTableField[];
}

export interface LuaTableField {
  /** A name, or a text in brackets, with its place; another expression in brackets; or none. */
  readonly key: ({ readonly kind: "field"; readonly name: string } & LuaSpan) | LuaExpression | undefined;
  readonly value: LuaExpression;
}

export interface LuaFunction extends LuaSpan {
  readonly kind: "function";
  readonly parameters: readonly LuaLocal[];
  readonly body: LuaBlock;
}

export type LuaExpression =
  | ({ readonly kind: "nil" | "boolean" | "number" | "varargs" } & LuaSpan)
  | ({ readonly kind: "string"; readonly text: string } & LuaSpan)
  | LuaName
  | LuaChain
  | LuaParenthesized
  | LuaOperation
  | LuaTable
  | LuaFunction;

export type LuaStatement =
  | { readonly kind: "local"; readonly locals: readonly LuaLocal[]; readonly values: readonly LuaExpression[] }
  /** Also `function a.b() end`. */
  | {
      readonly kind: "assign";
      readonly targets: readonly (LuaName | LuaChain)[];
      readonly values: readonly LuaExpression[];
    }
  /** A call, what `return` returns, or what a `for` goes over. */
  | { readonly kind: "evaluate"; readonly values: readonly LuaExpression[] }
  /** The condition of the block that follows; in `repeat` of the block that it ends. */
  | { readonly kind: "test"; readonly value: LuaExpression }
  /** Any block: of `do`, of a loop with its own variables, or of one clause of an `if`. */
  | { readonly kind: "block"; readonly locals: readonly LuaLocal[]; readonly body: LuaBlock };

export type LuaBlock = readonly LuaStatement[];
