// The matcher of our own (prelude/05-patterns.lua) is compared with the one of Lua's library, which is the reference.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { roundsOf } from "../../../test/support/rounds.ts";
import { logsOf, virtualScript } from "../../../test/support/virtual-script.ts";
import { createLuaState } from "./lua-state.ts";
import { compileLua } from "./lua-wasm.ts";

const CASES = roundsOf("random Lua patterns");

/** As if the host interrupted every match of the library, so that all are made by our own matcher. */
const ALWAYS_SLOW = readFileSync(new URL("./prelude/05-patterns.lua", import.meta.url), "latin1")
  .replace("QUICK_STEPS = 100000", "QUICK_STEPS = 0")
  .replace("QUICK_BYTES = 2000000", "QUICK_BYTES = 40")
  .replace("SHORT_NEEDLE = 512", "SHORT_NEEDLE = 3");

const COMPARE = `
local source, cases = ...
local real = { find = string.find, match = string.match, gmatch = string.gmatch }
local slow = 0
local own = setmetatable({}, { __index = string })
load(source, '=patterns', 't', setmetatable({ string = own, pcall = function(fn, ...)
  slow = slow + 1
  if fn == real.find then return false, 'the script ran too long without giving way' end
  return pcall(fn, ...)
end }, { __index = _G }))()

local ATOMS = { 'a', 'b', 'c', '.', '%a', '%A', '%d', '%w', '%s', '%S', '%p', '%x', '%%', '%.', '[ab]', '[^a]', '[a-c]', '[%a_]',
  '[^%s]', '[]]', '[^]]', '[a-]', '[%]]', '%z', '\\0', '\\255', '[\\128-\\255]', ' ', '=' }
local REPEATS = { '', '', '', '', '*', '+', '-', '?' }
local STRANGE = { '(', ')', '()', '%', '%b', '%b()', '%bab', '%f', '%f[%w]', '%f[^a]', '%1', '%2', '%0', '[', '[^', '[a', '^', '$', '*', '-', ']' }
local LETTERS = { 'a', 'b', 'c', ' ', '1', '(', ')', '=', '%', '.', ']', '-', '_', '\\0', '\\255', 'é' }
local random = math.random
math.randomseed(cases)
local function one(list) return list[random(#list)] end
local function pattern()
  local pieces, open = {}, 0
  if random(6) == 1 then pieces[1] = '^' end
  for _ = 1, random(0, 6) do
    local choice = random(14)
    if choice == 1 then pieces[#pieces + 1] = one(STRANGE)
    elseif choice == 2 then pieces[#pieces + 1], open = '(', open + 1
    elseif choice == 3 and open > 0 then pieces[#pieces + 1], open = ')', open - 1
    else pieces[#pieces + 1] = one(ATOMS) .. one(REPEATS) end
  end
  if random(10) > 1 then pieces[#pieces + 1] = (')'):rep(open) end
  if random(8) == 1 then pieces[#pieces + 1] = '$' end
  return table.concat(pieces)
end
local function text()
  local letters = {}
  for index = 1, random(0, 12) do letters[index] = random(2) == 1 and 'a' or one(LETTERS) end
  return table.concat(letters)
end
local function shown(...)
  local values = {}
  for index = 1, select('#', ...) do values[index] = math.type((select(index, ...))) == 'float' and 'float' or string.format('%q', (select(index, ...))) end
  return table.concat(values, ' ')
end
local function all(gmatch, ...)
  local found = {}
  for a, b, c in gmatch(...) do
    found[#found + 1] = shown(a, b, c)
    if #found > 30 then break end
  end
  return table.concat(found, '|')
end
local INITS = { false, false, 1, 2, 5, 0, -1, -3, 13, 14, -20, 100 }
for index = 1, cases do
  local t, p, init = text(), pattern(), one(INITS) or nil
  if index % 20 == 0 then t, p = (t .. 'ab'):rep(random(10)), t .. 'a' end
  for _, name in ipairs({ 'find', 'match' }) do
    local expected, given = shown(pcall(real[name], t, p, init)), shown(pcall(own[name], t, p, init))
    if expected ~= given then error(string.format('%s(%q, %q, %s): %s, not %s', name, t, p, init, given, expected)) end
  end
  local plain, ours = shown(real.find(t, p, init, true)), shown(own.find(t, p, init, true))
  if plain ~= ours then error(string.format('plain find(%q, %q, %s): %s, not %s', t, p, init, ours, plain)) end
  local expected, given = shown(pcall(all, real.gmatch, t, p)), shown(pcall(all, own.gmatch, t, p))
  if expected ~= given then error(string.format('gmatch(%q, %q): %s, not %s', t, p, given, expected)) end
end
return slow
`;

test("random patterns match as in the library, with the same captures and errors", () => {
  const { state } = createLuaState({
    module: compileLua(),
    memoryBytes: 64 * 1024 * 1024,
    elapsed: undefined,
    instant: () => [],
    isLenient: () => false,
  });
  const loaded = state.load(COMPARE, "=compare");
  if ("error" in loaded) throw new Error(loaded.error);
  state.slice.begin(Number.POSITIVE_INFINITY);
  const ended = state.start(state.newThread(), loaded.fn, [ALWAYS_SLOW, CASES]);
  if (ended.state !== "done") throw new Error(ended.state === "failed" ? ended.message : ended.state);
  // Most of them were really made by our own matcher.
  expect(ended.results[0]).toBeGreaterThan(CASES);
  state.close();
});

test.each([
  ["find", "string.find(('a'):rep(30000), ('a*'):rep(12) .. 'b')"],
  ["match", "string.match(('a'):rep(30000), ('(a-)'):rep(12) .. 'b')"],
  ["gmatch", "string.gmatch(('a'):rep(30000), ('a?'):rep(60) .. ('a'):rep(60) .. 'b')()"],
  ["a short gsub", "string.gsub(('a'):rep(8000), ('.-'):rep(8) .. 'b', '')"],
  ["a gsub with a function", "string.gsub(('a'):rep(30000), ('.-'):rep(8) .. 'b', print)"],
  ["a set", "string.find(('a'):rep(30000), ('[' .. ('b'):rep(3000) .. 'a]*'):rep(5) .. 'b')"],
  ["a plain search", "string.find(('a'):rep(4000000), ('a'):rep(2000000) .. 'b', 1, true)"],
])("a slow pattern in %s gives way again and again, until its time is up", async (_name, code) => {
  const script = virtualScript(code, { limits: { activityMs: 100 } });
  expect(await script.runTo(1)).toEqual(["0 fault: computed for more than 100 ms without a pause"]);
});

test("a match that was interrupted goes on and finds the same", async () => {
  const code = `
    local text = ('a'):rep(150) .. 'xyz'
    local first, last, x, y = string.find(text, '.-.-(x)()yz.-.-z?$')
    enapter.log(table.concat({ first, last, x, y }, ' '))
    enapter.log(tostring(string.match(text, '.-.-b')))
    local count = 0
    for word in (('word '):rep(20000)):gmatch('%a+') do count = count + #word end
    enapter.log(count)
    enapter.log(#(('k=v,'):rep(20000)):gsub('(%w+)=(%w+)', '%2=%1'))`;
  expect(await logsOf(code)).toEqual(["1 153 x 152", "nil", "80000", "80000"]);
});

test.each([
  ["string.find, 'abc', '[b'", "malformed pattern (missing ']')"],
  ["string.match, ('b'):rep(9000), '(b'", "unfinished capture"],
  ["string.find, nil, 'b'", "bad argument #1 to 'find' (string expected, got nil)"],
  ["string.match, 'abc', {}", "bad argument #2 to 'match' (string expected, got table)"],
  ["string.find, 'abc', 'b', 1.5", "bad argument #3 to 'find' (number has no integer representation)"],
  ["string.gmatch, 'abc', 'b', {}", "bad argument #3 to 'gmatch' (number expected, got table)"],
  ["string.find, 'abc', ('(a)'):rep(30000)", "pattern too complex"],
])("%s fails in the words of Lua", async (call, message) => {
  expect(await logsOf(`enapter.log(select(2, pcall(${call})))`)).toEqual([message]);
});

test("a mistake in a pattern is reported at the script's own line", async () => {
  expect(
    await logsOf("local ok, why = pcall(function()\n local at = ('abc'):find('%')\nend)\nenapter.log(why)"),
  ).toEqual(["main.lua:2: malformed pattern (ends with '%')"]);
});
