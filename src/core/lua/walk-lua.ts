// Walks over a syntax tree of Lua in the order of evaluation, and reports which names are read and written where.
import type { LuaBlock, LuaChain, LuaExpression, LuaLocal, LuaName } from "./lua-syntax.ts";

/** A block, in the block around it. */
export interface LuaPlace {
  readonly parent: LuaPlace | undefined;
  /** Functions around it; 0 for the text itself. */
  readonly functions: number;
}

/** One of the values that an expression gives: a call may give several. */
export interface LuaValueSource {
  readonly expression: LuaExpression;
  readonly result: number;
}

/**
 * What the value is read for: `head` to take a field or call it, `test` only to see whether it is there, `copy` to give
 * another name to it, `value` for anything else.
 */
export type LuaRole = "head" | "test" | "copy" | "value";

export interface LuaVisitor {
  name?(name: LuaName, role: LuaRole, place: LuaPlace): void;
  /** `isTest`: nothing depends on it but whether it is there. */
  chain?(chain: LuaChain, isTest: boolean, place: LuaPlace): void;
  /** The source is undefined for nil. */
  write?(target: LuaName | LuaChain, source: LuaValueSource | undefined, place: LuaPlace): void;
  /** Undefined for nil, "unknown" for what no expression gives. */
  declare?(local: LuaLocal, source: LuaValueSource | "unknown" | undefined): void;
}

const TESTS: ReadonlySet<string> = new Set(["and", "or", "==", "~="]);
/** Functions that ask whether their argument is there. */
const ASKING: ReadonlySet<string> = new Set(["type", "assert"]);

export function walkLua(chunk: LuaBlock, visitor: LuaVisitor): void {
  walkBlock(chunk, { parent: undefined, functions: 0 });

  function walkBlock(body: LuaBlock, place: LuaPlace): void {
    for (const statement of body) {
      switch (statement.kind) {
        case "local":
          walkValues(statement.values, place, "copy");
          for (const [index, local] of statement.locals.entries()) {
            visitor.declare?.(local, sourceAt(statement.values, index));
          }
          break;
        case "assign":
          walkValues(statement.values, place, "copy");
          statement.targets.forEach((target, index) => {
            if (target.kind === "chain") walkSteps(target, place);
            visitor.write?.(target, sourceAt(statement.values, index), place);
          });
          break;
        case "evaluate":
          walkValues(statement.values, place, "value");
          break;
        case "test":
          walk(statement.value, place, "test");
          break;
        case "block":
          for (const local of statement.locals) visitor.declare?.(local, "unknown");
          walkBlock(statement.body, { parent: place, functions: place.functions });
      }
    }
  }

  function walkValues(values: readonly LuaExpression[], place: LuaPlace, role: LuaRole): void {
    for (const value of values) walk(value, place, role);
  }

  function walk(value: LuaExpression, place: LuaPlace, role: LuaRole): void {
    switch (value.kind) {
      case "name":
        visitor.name?.(value, role, place);
        break;
      case "chain":
        walkSteps(value, place);
        visitor.chain?.(value, role === "test", place);
        break;
      case "parenthesized":
        walk(value.value, place, role);
        break;
      case "operation":
        value.operands.forEach(({ unary, value: operand }, index) => {
          const around = [value.operators[index - 1], value.operators[index], ...unary].filter(
            (one) => one !== undefined,
          );
          const isTest = around.every((one) => TESTS.has(one) || one === "not");
          walk(operand, place, isTest ? "test" : "value");
        });
        break;
      case "table":
        for (const field of value.fields) {
          if (field.key !== undefined && field.key.kind !== "field") walk(field.key, place, "value");
          walk(field.value, place, "value");
        }
        break;
      case "function":
        for (const parameter of value.parameters) visitor.declare?.(parameter, "unknown");
        walkBlock(value.body, { parent: place, functions: place.functions + 1 });
        break;
      case "nil":
      case "boolean":
      case "number":
      case "string":
      case "varargs":
        break;
    }
  }

  function walkSteps(chain: LuaChain, place: LuaPlace): void {
    if (chain.head.kind === "name") visitor.name?.(chain.head, "head", place);
    else walk(chain.head.value, place, "head");
    const isAsking = chain.head.kind === "name" && chain.head.local === undefined && ASKING.has(chain.head.name);
    chain.steps.forEach((step, index) => {
      if (step.kind === "index") walk(step.key, place, "value");
      if (step.kind === "call" || step.kind === "method")
        walkValues(step.args, place, isAsking && index === 0 ? "test" : "value");
    });
  }
}

function sourceAt(values: readonly LuaExpression[], index: number): LuaValueSource | undefined {
  const own = values[index];
  if (own !== undefined) return { expression: own, result: 0 };
  const last = values.at(-1);
  return last && { expression: last, result: index - values.length + 1 };
}
