// table.sort and string.gsub are our own, so they are compared with Lua's: with a text as replacement a short gsub is
// still the library's, and what a function or a table replaces must agree with it.
import { expect, test } from "vitest";
import { logsOf } from "../../../test/support/virtual-script.ts";

test("every way of replacing gives what the library gives", async () => {
  const compare = `
    local subjects = { '', 'a', 'abc', 'hello world', 'aaa', 'a,b,,c', 'x=1, y=2', '  trim  ', '%%', 'THE (quick) fox', ('ab'):rep(20) }
    local patterns = { '', 'a', 'a*', '%w+', '^a', '^', '%f[%w]%w+', '.-', ',?', '.', 'b-', '%b()', '[^,]*', '%s+' }
    local cases = 0
    for _, subject in ipairs(subjects) do
      for _, pattern in ipairs(patterns) do
        for _, most in ipairs({ 0, 1, 2, 1000 }) do
          local rest = pattern:match('^%^(.*)')
          local captured = rest and '^(' .. rest .. ')' or '(' .. pattern .. ')'
          local expected, count = subject:gsub(captured, '<%1>', most)
          local whole = select(2, subject:gsub(pattern, '', most))
          local by_function, n1 = subject:gsub(captured, function(text) return '<' .. text .. '>' end, most)
          local by_table, n2 = subject:gsub(captured, setmetatable({}, { __index = function(_, k) return '<' .. k .. '>' end }), most)
          local kept, n3 = subject:gsub(pattern, function() end, most)
          assert(by_function == expected and n1 == count, subject .. '|' .. pattern .. '|' .. by_function)
          assert(by_table == expected and n2 == count, subject .. '|' .. pattern .. '|' .. by_table)
          assert(kept == subject and n3 == whole, subject .. '|' .. pattern .. '|' .. kept)
          cases = cases + 1
        end
      end
    end
    enapter.log(cases)`;
  expect(await logsOf(compare)).toEqual(["616"]);
});

test.each([
  [
    "a long text is replaced as a short one",
    "(('key=value, '):rep(2000)):gsub('(%w+)=(%w+)', '%2=%1 %%') :sub(1, 24)",
    "value=key %, value=key %",
  ],
  ["several captures go to a function", "(('a=1,b=2'):gsub('(%w)=(%w)', function(k, v) return v .. k end))", "1a,2b"],
  ["a place is a capture", "(('abc'):gsub('()', function(at) return at end))", "1a2b3c4"],
  ["numbers are texts", "(string.gsub(12321, 2, 0))", "10301"],
])("%s", async (_name, code, expected) => {
  expect(await logsOf(`enapter.log(${code})`.replace(") :sub", "):sub"))).toEqual([expected]);
});

test.each([
  ["string.gsub, 'abc', 'b', '%9'", "invalid capture index %9"],
  ["string.gsub, ('b'):rep(9000), 'b', '%9'", "invalid capture index %9 in replacement string"],
  ["string.gsub, 'abc', 'b', '%x'", "invalid use of '%' in replacement string"],
  ["string.gsub, ('b'):rep(9000), 'b', '%x'", "invalid use of '%' in replacement string"],
  ["string.gsub, 'abc', 'b', function() return {} end", "invalid replacement value (a table)"],
  ["string.gsub, 'abc', 'b', true", "bad argument #3 to 'gsub' (string/function/table expected, got boolean)"],
  ["string.gsub, nil", "bad argument #1 to 'gsub' (string expected, got nil)"],
  ["string.gsub, 'abc', 'b', 'c', {}", "bad argument #4 to 'gsub' (number expected, got table)"],
  ["string.gsub, 'abc', '[b', 'c'", "malformed pattern (missing ']')"],
  ["table.sort, 5", "bad argument #1 to 'sort' (table expected, got number)"],
  ["table.sort, {2, 1}, 5", "bad argument #2 to 'sort' (function expected, got number)"],
  ["table.sort, {1, 'a'}", "attempt to compare string with number"],
  ["table.sort, {1,2,3,4,5,6,7,8,9,10,11,12,13,14}, function() return true end", "invalid order function for sorting"],
])("%s fails in the words of Lua", async (call, message) => {
  expect(await logsOf(`enapter.log(select(2, pcall(${call})))`)).toEqual([message]);
});

test("lists of every length and order are sorted, and keep their elements", async () => {
  const sort = `
    local kinds = {
      random = function() return math.random(1000000) end, up = function(i) return i end, down = function(i) return -i end,
      same = function() return 7 end, few = function() return math.random(3) end,
    }
    for _, count in ipairs({ 0, 1, 2, 3, 11, 12, 13, 14, 50, 999, 1000, 1001, 3000 }) do
      for name, kind in pairs(kinds) do
        local list, sum = {}, 0
        for i = 1, count do list[i] = kind(i); sum = sum + list[i] end
        table.sort(list, function(a, b) return a > b end)
        for i = 2, count do assert(list[i - 1] >= list[i], name) end
        table.sort(list)
        for i = 1, count do sum = sum - list[i]; assert(i == 1 or list[i - 1] <= list[i], name) end
        assert(sum == 0, name)
      end
    end
    local words = { 'pear', 'Apple', 'fig' }
    table.sort(words)
    enapter.log(table.concat(words, ' '))`;
  expect(await logsOf(sort)).toEqual(["Apple fig pear"]);
});

test("a comparison that fails half-way loses no element", async () => {
  const sort = `
    local list, calls = {}, 0
    for i = 1, 200 do list[i] = (i * 37) % 200 end
    pcall(table.sort, list, function(a, b) calls = calls + 1; if calls > 300 then error('x') end; return a < b end)
    local seen = {}
    for _, value in ipairs(list) do seen[value] = true end
    local count = 0
    for _ in pairs(seen) do count = count + 1 end
    enapter.log(#list .. ' ' .. count)`;
  expect(await logsOf(sort)).toEqual(["200 200"]);
});

// Budgets of the time that scripts run at a time must not stop honest work. Virtual time counts work by fuel, so this
// does not depend on the machine.
test.each([
  [
    "sorting 50,000 items with a comparison",
    "local t = {} for i = 1, 50000 do t[i] = math.random(1000000) end table.sort(t, function(a, b) return a < b end) return #t",
  ],
  [
    "sorting 50,000 records",
    "local t = {} for i = 1, 50000 do t[i] = { k = math.random(100) } end table.sort(t, function(a, b) return a.k < b.k end) return #t",
  ],
  [
    "sorting 50,000 numbers",
    "local t = {} for i = 1, 50000 do t[i] = math.random(1000000) end table.sort(t) return #t",
  ],
  [
    "gsub over 1 MiB with a function",
    "return select(2, (('some words\\n'):rep(95326)):gsub('%w+', function(w) return w:upper() end))",
    190_652,
  ],
  ["gsub over 1 MiB with a text", "return select(2, (('some words\\n'):rep(95326)):gsub('s', 'z'))", 190_652],
  [
    "gsub over 1 MiB that finds nothing",
    "return 50000 + select(2, (('some words\\n'):rep(95326)):gsub('[%d%u]+', ''))",
  ],
  ["find over 1 MiB that finds nothing", "return (('some words\\n'):rep(95326)):find('[%d%u]x') or 50000"],
  [
    "a JSON document of 1 MiB",
    "local t = {} for i = 1, 9000 do t[i] = { id = i, name = 'device ' .. i, tags = { 'a', 'b' }, more = ('x'):rep(60) } end local s = json.encode(t) assert(#s > 1048576, #s) return 41000 + #json.decode(s)",
  ],
  [
    "a JSON list of 150,000 numbers",
    "local v = json.decode('[' .. ('123456,'):rep(150000) .. '0]') return #v - 100001",
  ],
  [
    "tables of 100,000 values",
    "local t = {} for i = 1, 100000 do t[i] = { i } end local n = 0 for _, v in pairs(t) do n = n + #v end return n - 50000",
  ],
])("%s is done", async (_name, code, expected = 50_000) => {
  expect(await logsOf(`enapter.log((function() ${code} end)())`)).toEqual([String(expected)]);
});

test("rep and move give what the library gives, for every size", async () => {
  const compare = `
    for _, count in ipairs({ -1, 0, 1, 2, 999, 1000, 1001, 4097, 9000.0 }) do
      for _, text in ipairs({ '', 'a', 'abc' }) do
        for _, separator in ipairs({ '', ',', '--' }) do
          local pieces = {}
          for index = 1, count do pieces[index] = text end
          assert(text:rep(count, separator) == table.concat(pieces, separator), count .. text .. separator)
          assert(text:rep(count) == table.concat(pieces), count .. text)
        end
      end
    end
    local long = ('ab'):rep(2500000, '.')
    assert(#long == 7499999 and long:sub(1, 4) == 'ab.a' and long:sub(-4) == 'b.ab' and not long:find('abab', 1, true))
    local list = {}
    for index = 1, 3000 do list[index] = index end
    assert(table.move(list, 1, 3000, 2) == list and list[1] == 1 and list[2] == 1 and list[3001] == 3000)
    table.move(list, 2, 3001.0, 1)
    assert(list[1] == 1 and list[3000] == 3000 and list[3001] == 3000)
    local other = table.move(list, 1, 3000, 11, {})
    assert(other[10] == nil and other[11] == 1 and other[3010] == 3000)
    enapter.log('same')`;
  expect(await logsOf(compare)).toEqual(["same"]);
});

test.each([
  ["string.rep, 'ab', 1 << 40", "resulting string too large"],
  ["string.rep, 'ab', 1 << 62", "resulting string too large"],
  ["string.rep, {}, 5", "bad argument #1 to 'rep' (string expected, got table)"],
  ["table.move, {}, 1, math.maxinteger, 2", "bad argument #4 to 'move' (destination wrap around)"],
  ["table.move, {}, 0, math.maxinteger, 2", "bad argument #3 to 'move' (too many elements to move)"],
])("%s is refused as by the library", async (call, message) => {
  expect(await logsOf(`enapter.log(select(2, pcall(${call})))`)).toEqual([message]);
});
