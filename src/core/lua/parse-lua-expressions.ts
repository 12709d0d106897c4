// Expressions of Lua: values, calls, tables, functions.
import type { LuaToken } from "./lex-lua.ts";
import type { LuaScopes } from "./lua-scopes.ts";
import type {
  LuaChain,
  LuaExpression,
  LuaFunction,
  LuaLocal,
  LuaName,
  LuaParenthesized,
  LuaStatement,
  LuaStep,
  LuaTableField,
} from "./lua-syntax.ts";
import type { TokenReader } from "./lua-token-reader.ts";

const UNARY: ReadonlySet<string> = new Set(["not", "-", "#", "~"]);
const BINARY: ReadonlySet<string> = new Set("+ - * / // % ^ .. == ~= < > <= >= and or & | ~ << >>".split(" "));

interface ExpressionParser {
  expression(): LuaExpression;
  /** One or more, with commas between them. */
  expressions(): LuaExpression[];
  /** A name or an expression in parentheses, with what is read of it and called. */
  suffixed(): LuaName | LuaChain | LuaParenthesized;
  /** From its parameters to its end. */
  functionBody(at: number, isMethod: boolean): LuaFunction;
  nameOf(token: LuaToken): LuaName;
  localOf(token: LuaToken, isConst?: boolean): LuaLocal;
}

/** `statements` parses the body of a function. */
export function createExpressionParser(
  { reader, scopes }: { readonly reader: TokenReader; readonly scopes: LuaScopes },
  statements: () => LuaStatement[],
): ExpressionParser {
  const { peek, symbol, is, take, accept, expect, takeName, nested, endOfLast } = reader;

  function expressions(): LuaExpression[] {
    const list = [expression()];
    while (accept(",")) list.push(expression());
    return list;
  }

  function expression(): LuaExpression {
    return nested(() => {
      const at = peek()?.at ?? endOfLast();
      const operands: { readonly unary: readonly string[]; readonly value: LuaExpression }[] = [];
      const operators: string[] = [];
      for (;;) {
        const unary: string[] = [];
        while (UNARY.has(symbol() ?? "")) unary.push(take().text);
        operands.push({ unary, value: simple() });
        if (!BINARY.has(symbol() ?? "")) break;
        operators.push(take().text);
      }
      const [only] = operands;
      if (only !== undefined && operands.length === 1 && only.unary.length === 0) return only.value;
      return { kind: "operation", operands, operators, at, end: endOfLast() };
    });
  }

  function simple(): LuaExpression {
    const token = peek() ?? reader.fail("a value is expected here");
    const span = { at: token.at, end: token.end };
    if (token.kind === "string" || token.kind === "number") {
      take();
      return token.kind === "number" ? { kind: "number", ...span } : { kind: "string", text: token.text, ...span };
    }
    switch (token.text) {
      case "nil":
        take();
        return { kind: "nil", ...span };
      case "true":
      case "false":
        take();
        return { kind: "boolean", ...span };
      case "...":
        if (!scopes.isVariadic()) reader.fail("... is used outside of a function that takes it");
        take();
        return { kind: "varargs", ...span };
      case "{":
        return tableConstructor();
      case "function":
        take();
        return functionBody(token.at, false);
      default:
        return suffixed();
    }
  }

  function suffixed(): LuaName | LuaChain | LuaParenthesized {
    const head = primary();
    const steps: LuaStep[] = [];
    for (let step = takeStep(); step !== undefined; step = takeStep()) steps.push(step);
    return steps.length === 0 ? head : { kind: "chain", head, steps, at: head.at, end: endOfLast() };
  }

  function primary(): LuaName | LuaParenthesized {
    if (!is("(")) return nameOf(takeName());
    const { at } = take();
    const value = expression();
    expect(")");
    return { kind: "parenthesized", value, at, end: endOfLast() };
  }

  function takeStep(): LuaStep | undefined {
    const at = peek()?.at ?? 0;
    if (accept(".")) {
      const name = takeName();
      return { kind: "field", name: name.text, at: name.at, end: name.end };
    }
    if (accept("[")) {
      const key = expression();
      expect("]");
      if (key.kind === "string") return { kind: "field", name: key.text, at: key.at, end: key.end };
      return { kind: "index", key, at, end: endOfLast() };
    }
    if (accept(":")) {
      const name = takeName();
      const args = takeArguments() ?? reader.fail("the arguments of a method are expected here");
      return { kind: "method", name: name.text, args, at: name.at, end: name.end };
    }
    const args = takeArguments();
    return args && { kind: "call", args, at, end: endOfLast() };
  }

  function takeArguments(): readonly LuaExpression[] | undefined {
    if (peek()?.kind === "string") return [simple()];
    if (is("{")) return [tableConstructor()];
    if (!accept("(")) return undefined;
    const args = is(")") ? [] : expressions();
    expect(")");
    return args;
  }

  function tableConstructor(): LuaExpression {
    const { at } = expect("{");
    const fields: LuaTableField[] = [];
    while (!is("}")) {
      fields.push(tableField());
      if (!accept(",") && !accept(";")) break;
    }
    expect("}");
    return { kind: "table", fields, at, end: endOfLast() };
  }

  function tableField(): LuaTableField {
    const token = peek();
    if (token?.kind === "name" && symbol(1) === "=") {
      const { text: name, at, end } = takeName();
      take();
      return { key: { kind: "field", name, at, end }, value: expression() };
    }
    if (!accept("[")) return { key: undefined, value: expression() };
    const key = expression();
    expect("]");
    expect("=");
    const name = key.kind === "string" ? { kind: "field" as const, name: key.text, at: key.at, end: key.end } : key;
    return { key: name, value: expression() };
  }

  function functionBody(at: number, isMethod: boolean): LuaFunction {
    const open = expect("(");
    const parameters = isMethod ? [{ name: "self", isConst: false, at: open.at, end: open.at }] : [];
    let isVariadic = false;
    while (!is(")")) {
      isVariadic = accept("...");
      if (isVariadic) break;
      parameters.push(localOf(takeName()));
      if (!accept(",")) break;
      if (is(")")) reader.fail("a name is expected here");
    }
    expect(")");
    scopes.enterFunction(isVariadic);
    for (const parameter of parameters) scopes.declare(parameter);
    const body = statements();
    expect("end");
    scopes.leaveFunction();
    return { kind: "function", parameters, body, at, end: endOfLast() };
  }

  function nameOf({ text, at, end }: LuaToken): LuaName {
    return { kind: "name", name: text, local: scopes.find(text), at, end };
  }

  function localOf({ text, at, end }: LuaToken, isConst = false): LuaLocal {
    return { name: text, isConst, at, end };
  }

  return { expression, expressions, suffixed, functionBody, nameOf, localOf };
}
