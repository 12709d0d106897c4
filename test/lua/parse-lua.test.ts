// Our reader of Lua takes and refuses the same texts as the interpreter: every script of the repository, a table of cases,
// and texts that are made by chance.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { lexLua } from "#core/lua/lex-lua.ts";
import { parseLua } from "#core/lua/parse-lua.ts";
import { createSyntaxChecks } from "#runtime/lua/check-syntax.ts";
import { randomFrom } from "../support/random.ts";
import { roundsOf } from "../support/rounds.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SCRIPTS = ["examples", "src/runtime/lua", "test/convert", "test/lua", "bench/lua"]
  .flatMap((folder) => globSync(`${folder}/**/*.lua`, { cwd: ROOT }))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), "latin1") }));

const checks = createSyntaxChecks();
let check = checks();
let count = 0;

/** What the interpreter says; "" when it takes the text. Its own limits are no matter of syntax. */
function interpreter(text: string): string | undefined {
  // Every text that it takes stays in its memory.
  count += 1;
  if (count % 2_000 === 0) check = checks();
  const said = check("x.lua", Buffer.from(text, "latin1"))?.message ?? "";
  return /overflow|too many|too long|limit|not enough memory/.test(said) ? undefined : said;
}

/** Both verdicts in words, so that a difference shows both. */
function verdicts(text: string): { readonly ours: string; readonly interpreters: string } {
  const said = interpreter(text);
  const { problem } = parseLua(text);
  const isSame = said === undefined || (said === "") === (problem === undefined);
  return isSame ? { ours: "same", interpreters: "same" } : { ours: problem?.message ?? "takes it", interpreters: said };
}

const SAME = { ours: "same", interpreters: "same" };

test.each(SCRIPTS)("$file", ({ text }) => {
  expect(verdicts(text)).toEqual(SAME);
});

test.each([
  // numbers
  ..."1 1. .5 1e5 1e+5 0x1p4 0xA.8p-1 0x.1 3 0xffffffffffffffffff 1e".split(" ").map((one) => `return ${one}`),
  ..."1.. 1..2 0x 0x. 3x 08 1e+ 0xg 1_000 5and 0x1p .e1 1.2.3".split(" ").map((one) => `return ${one}`),
  "return 1 ..2",
  "return 1and 2",
  // strings
  ..."\\n \\65 \\255 \\256 \\x41 \\x4 \\u{48} \\u{7FFFFFFF} \\u{80000000} \\u{000000000041} \\u{} \\q \\z \\\\ \\' \\\""
    .split(" ")
    .map((one) => `return "${one}"`),
  "return 'a\\\nb'",
  "return 'a\\\r\nb'",
  "return 'a\nb'",
  "return 'a\rb'",
  "return 'a\\z \n\t b'",
  "return 'a",
  "return 'a\\",
  "return [[a]]b]]",
  "return [==[ ]=] ]==]",
  "return [==[ ]=]",
  "return [=x",
  "return [=[\r\n]=]",
  "--[[ open",
  "--[==[ x ]] ]==] return 1",
  "-- a\rreturn 1 1",
  "-- a\nreturn 1",
  "#!/bin/lua\nreturn 1",
  "\xef\xbb\xbfreturn 1",
  "return '\xff\xc3'",
  "local \xe9 = 1",
  "return 1 \x00",
  "x = @",
  "x = a ! b",
  "x = a ? b",
  "a != b",
  // statements
  ";;; local a; ; return;",
  "return return",
  "return 1; 2",
  "do return end local a",
  "do return 1 local a end",
  "a",
  "a.b",
  "a:b",
  "a:b()",
  "a:b{}",
  "a'x'",
  "a[[x]].y = 1",
  "(a) = 1",
  "(a).b = 1",
  "(a)()",
  "a() = 1",
  "a, b() = 1",
  "a.b, c[1], d = 1, 2",
  "a = 1, ",
  "local a, b <const>, c <close> = 1",
  "local a <const> = 1; a = 2",
  "local a <const> = 1; function f() a = 2 end",
  "local a <const> = 1; function a() end",
  "local a <const> = 1; function a.b() end",
  "local a <close>, b <close> = 1",
  "local a <other> = 1",
  "local a.b = 1",
  "local function a.b() end",
  "local function a() return a end",
  "function a.b.c:d(x, ...) return self, ... end",
  "function a:b.c() end",
  "function a:b:c() end",
  "function (x) end",
  "return function(x, ) end",
  "return function(..., x) end",
  "return function(x y) end",
  "return ...",
  "function f() return ... end",
  "function f(...) return function() return ... end end",
  "if a then elseif b then else end",
  "if a then else elseif b then end",
  "if a then",
  "while a do break end",
  "while a break end",
  "break",
  "function f() break end",
  "while a do function f() break end end",
  "while a do local x break; local y end",
  "repeat local x until x",
  "repeat until",
  "for i = 1, 2 do end",
  "for i = 1 do end",
  "for i = 1, 2, 3, 4 do end",
  "for i, j in a, b do end",
  "for i, j = 1, 2 do end",
  "for a.b = 1, 2 do end",
  "for i in do end",
  // jumps
  "goto a ::a::",
  "goto a",
  "::a:: ::a::",
  "do ::a:: end ::a::",
  "::a:: do ::a:: end",
  "::a:: function f() ::a:: end",
  "::a:: function f() goto a end",
  "do goto a end ::a::",
  "goto a do ::a:: end",
  "goto a local x ::a::",
  "goto a local x ::a:: ;;",
  "goto a local x ::a:: print(x)",
  "do goto a local x ::a:: end",
  "do goto a local x ::a:: ::b:: ; end",
  "repeat goto a local x ::a:: until x",
  "repeat goto a local x ::a:: until true",
  "while a do goto continue local x ::continue:: end",
  "local x ::a:: goto a",
  "do do goto a end local x ::a:: end",
  "do local y do goto a end end local x ::a:: f()",
  "goto = 1",
  "goto break",
  "::break::",
  // expressions
  "return not not -#~a ^ -b",
  "return a .. b .. c ^ d ^ e",
  "return a and b or c == d ~= e < f > g <= h >= i | j ~ k & l << m >> n // o % p",
  "return - - a",
  "return a +",
  "return + a",
  "return a b",
  "return {a, b = 1, [c] = 2; d,}",
  "return {,}",
  "return {a = }",
  "return {[a]}",
  "return {a.b = 1}",
  "return {'a' = 1}",
  "return a.1",
  "return a.end",
  "return a['end']",
  "return a:b",
  "return (a",
  "return ()",
  "return a(b, )",
  "return a(, b)",
  "return nil.a",
  "return ('x'):rep(3)",
  "return 'x':rep(3)",
  "return {}:a()",
  "return function() end()",
  "return (function() end)()",
  "a.b['c']:d(e){f}'g'.h = 1",
  "end",
  "local and = 1",
  "",
])("%j", (text) => {
  expect(verdicts(text)).toEqual(SAME);
});

const WORDS = [
  ..."and break do else elseif end false for function goto if in local nil not or repeat return then true until".split(
    " ",
  ),
  ..."while a b c f _x + - * / // % ^ # & ~ | << >> == ~= <= >= < > = ( ) { } [ ] :: ; : , . .. ... 1 0x2 'x' [[y]]".split(
    " ",
  ),
  ..."<const> <close> goto a ::a::".split(" "),
  "local x = 1",
  "function f()",
  "if a then",
  "for i = 1, 2 do",
  "while a do",
  "f()",
  "end",
  "end",
  "end",
];

test("texts made by chance", () => {
  const random = randomFrom(20_261_116);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  let taken = 0;
  const compare = (text: string): void => {
    const found = verdicts(text);
    if (found !== SAME && found.ours !== "same") expect({ text, ...found }).toEqual({ text, ...SAME });
    if (parseLua(text).problem === undefined) taken += 1;
  };
  // Words in any order: most are no Lua.
  for (let round = 0; round < roundsOf("random Lua texts"); round += 1) {
    compare(Array.from({ length: 1 + Math.floor(random() * 8) }, () => pick(WORDS)).join(" "));
  }
  // Real scripts with one token dropped, doubled, replaced or moved, cut to a statement or two.
  for (let round = 0; round < roundsOf("changed Lua scripts"); round += 1) {
    const { text } = pick(SCRIPTS);
    const { tokens } = lexLua(text);
    const from = Math.floor(random() * tokens.length);
    const part = tokens.slice(from, from + 4 + Math.floor(random() * 60)).map(({ at, end }) => text.slice(at, end));
    const at = Math.floor(random() * part.length);
    const changes = [
      () => part.splice(at, 1),
      () => part.splice(at, 0, part[at] ?? ""),
      () => part.splice(at, 1, pick(WORDS)),
      () => part.splice(at, 0, ...part.splice(Math.floor(random() * part.length), 1)),
      () => [],
    ];
    pick(changes)();
    compare(part.join(" "));
  }
  // Some of both kinds, or the comparison says nothing.
  expect(taken).toBeGreaterThan(100);
});

test("a text that is nested too deeply or too long is refused, not read to its end", () => {
  for (const [open, close] of [
    ["(", ")"],
    ["{", "}"],
    ["f(", ")"],
    ["function() return ", " end"],
  ] as const) {
    const deep = `return ${open.repeat(20_000)}1${close.repeat(20_000)}`;
    expect(parseLua(deep).problem?.message).toBe("brackets and blocks are nested too deeply");
  }
  expect(parseLua(`return ${"do ".repeat(100_000)}`).problem).toBeDefined();
  expect(parseLua(`--${"x".repeat(2 ** 20)}`).problem?.message).toMatch(/^the text is longer than/);
  // Lists are no depth.
  expect(parseLua(`return ${"a + ".repeat(100_000)}1`).problem).toBeUndefined();
  expect(parseLua(`return a${".b".repeat(100_000)}`).problem).toBeUndefined();
  expect(parseLua(`return ${"not ".repeat(100_000)}a`).problem).toBeUndefined();
});

test("a problem has its place", () => {
  expect(parseLua("local a = 1\nlocal b = = 2").problem).toEqual({
    at: 22,
    line: 2,
    message: "a name is expected here",
  });
  expect(parseLua("if a then").problem).toMatchObject({ at: 9, line: 1, message: "end is expected here" });
});
