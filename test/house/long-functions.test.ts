// No function is long. A function's length is the lines that are its own: those of functions inside it count for these. So a
// function that only collects short ones may be as long as they are together, and every line counts once. Registers of
// operations are data, and are left out.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync, Visitor } from "vite";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const MOST_LINES = 60;

interface Function {
  readonly name: string;
  ownLines: number;
}

/** Part of a syntax tree. */
interface Named {
  readonly start: number;
  readonly end: number;
  readonly id?: unknown;
}

function functionsOf(code: string): readonly Function[] {
  const found: Function[] = [];
  const around: Function[] = [];
  /** Names of functions that are the value of something, by where they begin. */
  const names = new Map<number, string>();
  const nameOf = (node: unknown) =>
    typeof node === "object" && node !== null && "name" in node && typeof node.name === "string"
      ? node.name
      : undefined;
  const named = ({ key, value }: { readonly key: unknown; readonly value: Named | null }) => {
    if (value !== null) names.set(value.start, nameOf(key) ?? "?");
  };
  const enter = (node: Named) => {
    const further = code.slice(node.start, node.end).split("\n").length - 1;
    const outer = around.at(-1);
    // The line on which the inner one begins is shared.
    if (outer !== undefined) outer.ownLines -= further;
    const one = { name: nameOf(node.id) ?? names.get(node.start) ?? "?", ownLines: further + 1 };
    around.push(one);
    found.push(one);
  };
  const exit = () => void around.pop();
  const { program, errors } = parseSync("any.ts", code);
  expect(errors).toEqual([]);
  new Visitor({
    Property: named,
    MethodDefinition: named,
    PropertyDefinition: named,
    VariableDeclarator: ({ id, init }) => named({ key: id, value: init }),
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": exit,
    FunctionExpression: enter,
    "FunctionExpression:exit": exit,
    ArrowFunctionExpression: enter,
    "ArrowFunctionExpression:exit": exit,
  }).visit(program);
  return found;
}

test.each([
  ["function a() {\n  b();\n}", "a=3"],
  ["const a = () => {\n  b();\n};", "a=3"],
  ["const a = { b() {\n} };", "b=2"],
  ["class A {\n  b() {\n  }\n}", "b=2"],
  ["function a() {\n  function b() {\n    c();\n  }\n  b();\n}", "a=4 b=3"],
  ["function a() {\n  return b(() => {\n    c();\n  });\n}", "a=3 ?=3"],
])("the own lines of %j are %s", (code, expected) => {
  const found = functionsOf(code).map(({ name, ownLines }) => `${name}=${ownLines}`);
  expect(found.join(" ")).toBe(expected);
});

test(`no function has more than ${MOST_LINES} lines of its own`, () => {
  const long: string[] = [];
  for (const file of globSync("src/**/*.ts", { cwd: ROOT })) {
    if (/(\.test|-operations)\.ts$/.test(file)) continue;
    const code = readFileSync(join(ROOT, file), "utf8");
    if (code.split("\n").length <= MOST_LINES) continue;
    for (const { name, ownLines } of functionsOf(code)) if (ownLines > MOST_LINES) long.push(`${file} ${name}`);
  }
  expect(long).toEqual([]);
});
