// Reads Lua text into a syntax tree, by the grammar of the interpreter (5.4, which includes that of 5.3). Limits of the
// interpreter itself, such as 200 local variables in a function, are not checked: it reports them.
import { type LuaProblem, type LuaToken, lexLua } from "./lex-lua.ts";
import { createScopes } from "./lua-scopes.ts";
import type { LuaBlock, LuaChain, LuaExpression, LuaLocal, LuaName, LuaStatement, LuaStep } from "./lua-syntax.ts";
import { createTokenReader, LuaFault, type TokenReader } from "./lua-token-reader.ts";
import { createExpressionParser } from "./parse-lua-expressions.ts";

export type ParsedLua =
  | { readonly chunk: LuaBlock; readonly problem: undefined }
  | { readonly chunk: undefined; readonly problem: LuaProblem };

const MOST_CHARACTERS = 1024 * 1024;
const BLOCK_ENDS: ReadonlySet<string> = new Set(["else", "elseif", "end", "until"]);

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
  const reader: TokenReader = createTokenReader(tokens);
  const { peek, symbol, is, take, accept, expect, takeName, nested, endOfLast } = reader;
  const scopes = createScopes(fail);
  const { expression, expressions, suffixed, functionBody, nameOf, localOf } = createExpressionParser(
    { reader, scopes },
    statements,
  );

  function fail(message: string): never {
    return reader.fail(message);
  }

  // Blocks and statements

  const isBlockEnd = (): boolean => peek() === undefined || BLOCK_ENDS.has(symbol() ?? "");

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
    switch (symbol() ?? "") {
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

  scopes.enterFunction(true);
  const chunk = statements();
  if (peek() !== undefined) fail("a statement is expected here");
  scopes.leaveFunction();
  return chunk;
}
