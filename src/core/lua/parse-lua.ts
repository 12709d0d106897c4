// Reads Lua text into a syntax tree, by the grammar of the interpreter (5.4, which includes that of 5.3). Limits of the
// interpreter itself, such as 200 local variables in a function, are not checked: it reports them.
import { type LuaProblem, type LuaToken, lexLua } from "./lex-lua.ts";
import { createScopes } from "./lua-scopes.ts";
import type {
  LuaBlock,
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

export type ParsedLua =
  | { readonly chunk: LuaBlock; readonly problem: undefined }
  | { readonly chunk: undefined; readonly problem: LuaProblem };

const MOST_CHARACTERS = 1024 * 1024;
/** As the interpreter's own limit. */
const DEEPEST = 200;

const KEYWORDS: ReadonlySet<string> = new Set(
  `and break do else elseif end false for function goto if in local nil not or repeat return then true until
  while`.split(/\s+/),
);
const BLOCK_ENDS: ReadonlySet<string> = new Set(["else", "elseif", "end", "until"]);
const UNARY: ReadonlySet<string> = new Set(["not", "-", "#", "~"]);
const BINARY: ReadonlySet<string> = new Set("+ - * / // % ^ .. == ~= < > <= >= and or & | ~ << >>".split(" "));

class LuaFault extends Error {
  readonly token: LuaToken | undefined;
  constructor(message: string, token: LuaToken | undefined) {
    super(message);
    this.token = token;
  }
}

/** Never throws. */
export function parseLua(text: string): ParsedLua {
  if (text.length > MOST_CHARACTERS) {
    const message = `the text is longer than ${MOST_CHARACTERS} characters`;
    return { chunk: undefined, problem: { at: 0, line: 1, message } };
  }
  const { tokens, problem } = lexLua(text);
  if (problem !== undefined) return { chunk: undefined, problem };
  try {
    return { chunk: parseTokens(tokens), problem: undefined };
  } catch (error) {
    if (!(error instanceof LuaFault)) throw error;
    const last = tokens.at(-1);
    const { at, line } = error.token ?? { at: last?.end ?? 0, line: last?.line ?? 1 };
    return { chunk: undefined, problem: { at, line, message: error.message } };
  }
}

function parseTokens(tokens: readonly LuaToken[]): LuaBlock {
  let next = 0;
  let depth = 0;
  const scopes = createScopes(fail);

  function fail(message: string): never {
    throw new LuaFault(message, tokens[next]);
  }
  const peek = (): LuaToken | undefined => tokens[next];
  const symbolAt = (index: number): string | undefined => {
    const token = tokens[index];
    return token === undefined || token.kind === "string" ? undefined : token.text;
  };
  const is = (text: string): boolean => symbolAt(next) === text;
  function take(): LuaToken {
    const token = tokens[next] ?? fail("the text ends too early");
    next += 1;
    return token;
  }
  function accept(text: string): boolean {
    if (!is(text)) return false;
    next += 1;
    return true;
  }
  function expect(text: string): LuaToken {
    if (!is(text)) fail(`${text} is expected here`);
    return take();
  }
  function takeName(): LuaToken {
    const token = peek();
    if (token?.kind !== "name" || KEYWORDS.has(token.text)) fail("a name is expected here");
    return take();
  }
  function nested<T>(parse: () => T): T {
    depth += 1;
    if (depth > DEEPEST) fail("brackets and blocks are nested too deeply");
    const parsed = parse();
    depth -= 1;
    return parsed;
  }
  const endOfLast = (): number => tokens[next - 1]?.end ?? 0;

  // Blocks and statements

  const isBlockEnd = (): boolean => peek() === undefined || BLOCK_ENDS.has(symbolAt(next) ?? "");

  function statements(): LuaStatement[] {
    const body: LuaStatement[] = [];
    while (!isBlockEnd()) {
      if (is("return")) {
        take();
        const values = isBlockEnd() || is(";") ? [] : expressions();
        accept(";");
        body.push({ kind: "evaluate", values });
        if (!isBlockEnd()) fail("nothing may follow return in its block");
        break;
      }
      nested(() => statement(body));
    }
    return body;
  }

  function block(locals: readonly LuaLocal[] = []): LuaStatement {
    scopes.enterBlock(false);
    for (const local of locals) scopes.declare(local);
    const body = statements();
    scopes.leaveBlock();
    return { kind: "block", locals, body };
  }

  function loop(locals: readonly LuaLocal[] = []): LuaStatement {
    scopes.enterBlock(true);
    const body = block(locals);
    scopes.leaveBlock();
    return body;
  }

  function statement(body: LuaStatement[]): void {
    switch (symbolAt(next) ?? "") {
      case ";":
        take();
        return;
      case "if":
        do {
          take();
          body.push({ kind: "test", value: expression() });
          expect("then");
          body.push(block());
        } while (is("elseif"));
        if (accept("else")) body.push(block());
        expect("end");
        return;
      case "while":
        take();
        body.push({ kind: "test", value: expression() });
        expect("do");
        body.push(loop());
        expect("end");
        return;
      case "do":
        take();
        body.push(block());
        expect("end");
        return;
      case "for":
        take();
        forStatement(body);
        return;
      case "repeat":
        take();
        body.push(repeatStatement());
        return;
      case "function":
        body.push(functionStatement());
        return;
      case "local":
        take();
        body.push(is("function") ? localFunction() : localStatement());
        return;
      case "::":
        labels();
        return;
      case "break":
        if (!scopes.isInLoop()) fail("break stands outside of a loop");
        take();
        return;
      case "goto":
        take();
        scopes.jump(takeName().text);
        return;
      default:
        body.push(expressionStatement());
    }
  }

  function forStatement(body: LuaStatement[]): void {
    const names = [takeName()];
    if (accept("=")) {
      const values = [expression()];
      expect(",");
      values.push(expression());
      if (accept(",")) values.push(expression());
      body.push({ kind: "evaluate", values });
    } else {
      while (accept(",")) names.push(takeName());
      expect("in");
      body.push({ kind: "evaluate", values: expressions() });
    }
    expect("do");
    body.push(loop(names.map((name) => localOf(name))));
    expect("end");
  }

  /** Its condition sees the locals of its block. */
  function repeatStatement(): LuaStatement {
    scopes.enterBlock(true);
    scopes.enterBlock(false);
    const body = statements();
    expect("until");
    body.push({ kind: "test", value: expression() });
    scopes.leaveBlock();
    scopes.leaveBlock();
    return { kind: "block", locals: [], body };
  }

  function functionStatement(): LuaStatement {
    const { at } = take();
    const head = nameOf(takeName());
    const steps: LuaStep[] = [];
    let isMethod = false;
    while (!isMethod && (is(".") || is(":"))) {
      isMethod = take().text === ":";
      const { text, ...span } = takeName();
      steps.push({ kind: "field", name: text, at: span.at, end: span.end });
    }
    const target: LuaName | LuaChain =
      steps.length === 0 ? head : { kind: "chain", head, steps, at: head.at, end: endOfLast() };
    if (steps.length === 0) checkAssignable(target);
    return { kind: "assign", targets: [target], values: [functionBody(at, isMethod)] };
  }

  function localFunction(): LuaStatement {
    const { at } = take();
    const local = localOf(takeName());
    scopes.declare(local);
    return { kind: "local", locals: [local], values: [functionBody(at, false)] };
  }

  function localStatement(): LuaStatement {
    const locals: LuaLocal[] = [];
    let closes = 0;
    do {
      const name = takeName();
      const attribute = accept("<") ? takeName().text : undefined;
      if (attribute !== undefined) expect(">");
      if (attribute !== undefined && attribute !== "const" && attribute !== "close") {
        fail(`there is no attribute ${attribute}`);
      }
      if (attribute === "close") closes += 1;
      if (closes > 1) fail("only one local of a list may be closed");
      locals.push(localOf(name, attribute !== undefined));
    } while (accept(","));
    const values = accept("=") ? expressions() : [];
    for (const local of locals) scopes.declare(local);
    return { kind: "local", locals, values };
  }

  /** Several labels in a row, and semicolons between them, are one place. */
  function labels(): void {
    const names: string[] = [];
    for (;;) {
      if (accept(";")) continue;
      if (!accept("::")) break;
      names.push(takeName().text);
      expect("::");
    }
    const isLast = isBlockEnd() && !is("until");
    for (const name of names.reverse()) scopes.label(name, isLast);
  }

  function expressionStatement(): LuaStatement {
    const first = suffixed();
    if (!is("=") && !is(",")) {
      const last = first.kind === "chain" ? first.steps.at(-1)?.kind : undefined;
      if (last !== "call" && last !== "method") fail("a statement is expected here");
      return { kind: "evaluate", values: [first] };
    }
    const targets = [checkAssignable(first)];
    while (accept(",")) targets.push(checkAssignable(suffixed()));
    expect("=");
    return { kind: "assign", targets, values: expressions() };
  }

  function checkAssignable(target: LuaExpression): LuaName | LuaChain {
    if (target.kind === "name") {
      if (target.local?.isConst === true) fail(`${target.name} is constant`);
      return target;
    }
    const last = target.kind === "chain" ? target.steps.at(-1)?.kind : undefined;
    if (target.kind !== "chain" || last === "call" || last === "method") fail("this cannot be given a value");
    return target;
  }

  // Expressions

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
        while (UNARY.has(symbolAt(next) ?? "")) unary.push(take().text);
        operands.push({ unary, value: simple() });
        if (!BINARY.has(symbolAt(next) ?? "")) break;
        operators.push(take().text);
      }
      const [only] = operands;
      if (only !== undefined && operands.length === 1 && only.unary.length === 0) return only.value;
      return { kind: "operation", operands, operators, at, end: endOfLast() };
    });
  }

  function simple(): LuaExpression {
    const token = peek() ?? fail("a value is expected here");
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
        if (!scopes.isVariadic()) fail("... is used outside of a function that takes it");
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
      const args = takeArguments() ?? fail("the arguments of a method are expected here");
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
    if (token?.kind === "name" && symbolAt(next + 1) === "=") {
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
      if (is(")")) fail("a name is expected here");
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

  scopes.enterFunction(true);
  const chunk = statements();
  if (peek() !== undefined) fail("a statement is expected here");
  scopes.leaveFunction();
  return chunk;
}
