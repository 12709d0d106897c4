-- `string.find`, `match` and `gmatch` that can be suspended. The library's matcher is C code, and a pattern such as
-- `a*a*a*b` keeps it busy for hours. It runs where it is done in a fraction of a slice. Otherwise it runs under the
-- host's eye, which interrupts it with the error `INTERRUPTED`; then the same match is done here, by the same algorithm.
local byte, char, error, find = string.byte, string.char, error, string.find
local gmatch, gsub, match, math_type = string.gmatch, string.gsub, string.match, math.type
local pcall, select, sub, tointeger = pcall, select, string.sub, math.tointeger
local tonumber, tostring, type, unpack = tonumber, tostring, type, table.unpack

-- The host's words in lua-state.ts.
local INTERRUPTED = 'the script ran too long without giving way'
-- Steps that the library may do without the host's eye. The host interrupts it only after more.
local QUICK_STEPS = 100000
-- Bytes that a plain search may compare in one piece, and the longest needle that is searched for in pieces.
local QUICK_BYTES = 2000000
local SHORT_NEEDLE = 512
-- Longer patterns are refused. A set of so many characters is still tested in a moment.
local MAX_PATTERN = 65536
local MAX_KNOWN, MAX_KNOWN_BYTES = 200, 100
-- As in Lua's lstrlib.c.
local MAX_DEPTH, MAX_CAPTURES = 200, 32
local UNFINISHED, POSITION = -1, -2

-- By pattern: the longest text that the library may match without being watched, whether it is plain text, and the
-- shortest text on which it was interrupted. A pattern is watched until it has matched once: then it has no mistakes, and
-- the library raises no error whose place would be here instead of in the script.
local longest, plain_text, interrupted, known = {}, {}, {}, 0
local longest_once_proven = {}

local function is_plain(pattern)
  if plain_text[pattern] ~= nil then
    return plain_text[pattern]
  end
  for at = 1, #pattern, MAX_PATTERN do
    if find(sub(pattern, at, at + MAX_PATTERN - 1), '[%^%$%*%+%?%.%(%[%%%-]') then
      return false
    end
  end
  return true
end

-- Every repetition may try every length, at every start.
local function learn(pattern)
  local size = #pattern
  if size == 0 then
    return QUICK_BYTES
  elseif size > MAX_KNOWN_BYTES then
    return -1
  end
  local most, is_text = QUICK_BYTES // size, is_plain(pattern)
  if not is_text then
    local repeats = select(2, gsub(pattern, '[*+?-]', '')) + select(2, gsub(pattern, '%%[b0-9]', ''))
    local degree = repeats + (byte(pattern) == 94 and 0 or 1)
    if degree > 0 then
      most = tointeger((QUICK_STEPS / size) ^ (1 / degree) // 1) - 1
    end
  end
  if known >= MAX_KNOWN then
    longest, plain_text, interrupted, known = {}, {}, {}, 0
    longest_once_proven = {}
  end
  local is_proven = is_text and not find(pattern, ')', 1, true)
  longest[pattern], plain_text[pattern], known = is_proven and most or -1, is_text, known + 1
  longest_once_proven[pattern] = most
  return longest[pattern]
end

-- The set of bytes that a single item such as `%a`, `[^,]` or `.` stands for, by the library's own rules.
local function set_of(item)
  local set = {}
  for code = 0, 255 do
    set[code] = find(char(code), '^' .. item) ~= nil
  end
  return set
end

-- Looks for the pattern from `from` on. Answers the first and last place and the captures, or nil. Follows do_match in
-- lstrlib.c step by step, with the same errors at the same places.
local function search(text, pattern, from)
  local text_end, pattern_end, is_anchored = #text + 1, #pattern + 1, byte(pattern) == 94
  local level, depth = 0, MAX_DEPTH
  local starts, lengths, ends, sets = {}, {}, {}, {}
  local step

  local function class_end(p)
    local known_end = ends[p]
    if known_end then
      return known_end
    end
    local at, code = p + 1, byte(pattern, p)
    if code == 37 then -- %
      if at == pattern_end then
        error("malformed pattern (ends with '%')", 0)
      end
      at = at + 1
    elseif code == 91 then -- [
      if byte(pattern, at) == 94 then
        at = at + 1
      end
      repeat
        if at >= pattern_end then
          error("malformed pattern (missing ']')", 0)
        end
        at = at + 1
        if byte(pattern, at - 1) == 37 and at < pattern_end then
          at = at + 1
        end
      until byte(pattern, at) == 93
      at = at + 1
    end
    ends[p] = at
    return at
  end

  local function set_at(p, e)
    local set = sets[p]
    if not set then
      local code = byte(pattern, p)
      if e == p + 1 and code ~= 46 then
        set = { [code] = true }
      else
        set = set_of(sub(pattern, p, e - 1))
      end
      sets[p] = set
    end
    return set
  end

  local function most_first(s, p, e)
    local set, last = set_at(p, e), s
    while set[byte(text, last)] do
      last = last + 1
    end
    while last >= s do
      local found = step(last, e + 1)
      if found then
        return found
      end
      last = last - 1
    end
  end

  local function least_first(s, p, e)
    local set = set_at(p, e)
    while true do
      local found = step(s, e + 1)
      if found then
        return found
      elseif not set[byte(text, s)] then
        return nil
      end
      s = s + 1
    end
  end

  local function open_capture(s, p, length)
    if level >= MAX_CAPTURES then
      error('too many captures', 0)
    end
    level = level + 1
    starts[level], lengths[level] = s, length
    local found = step(s, p)
    if not found then
      level = level - 1
    end
    return found
  end

  local function close_capture(s, p)
    local open = level
    while open > 0 and lengths[open] ~= UNFINISHED do
      open = open - 1
    end
    if open == 0 then
      error('invalid pattern capture', 0)
    end
    lengths[open] = s - starts[open]
    local found = step(s, p)
    if not found then
      lengths[open] = UNFINISHED
    end
    return found
  end

  local function same_again(s, index)
    if index < 1 or index > level or lengths[index] == UNFINISHED then
      error('invalid capture index %' .. index, 0)
    end
    local length, start = lengths[index], starts[index]
    if length >= 0 and text_end - s >= length and sub(text, start, start + length - 1) == sub(text, s, s + length - 1) then
      return s + length
    end
  end

  local function balanced(s, p)
    if p >= pattern_end - 1 then
      error("malformed pattern (missing arguments to '%b')", 0)
    end
    local opening, closing = byte(pattern, p, p + 1)
    if byte(text, s) ~= opening then
      return nil
    end
    local open = 1
    for at = s + 1, text_end - 1 do
      local code = byte(text, at)
      if code == closing then
        open = open - 1
        if open == 0 then
          return at + 1
        end
      elseif code == opening then
        open = open + 1
      end
    end
  end

  local function at_frontier(s, p)
    if byte(pattern, p) ~= 91 then
      error("missing '[' after '%f' in pattern", 0)
    end
    local e = class_end(p)
    local set = set_at(p, e)
    if not set[s == 1 and 0 or byte(text, s - 1)] and set[byte(text, s) or 0] then
      return e
    end
  end

  local function try(s, p)
    while p ~= pattern_end do
      local code, following = byte(pattern, p, p + 1)
      if code == 40 then -- (
        if following == 41 then
          return open_capture(s, p + 2, POSITION)
        end
        return open_capture(s, p + 1, UNFINISHED)
      elseif code == 41 then -- )
        return close_capture(s, p + 1)
      elseif code == 36 and p + 1 == pattern_end then -- $
        return s == text_end and s or nil
      elseif code == 37 and following == 98 then -- %b
        s, p = balanced(s, p + 2), p + 4
        if not s then
          return nil
        end
      elseif code == 37 and following == 102 then -- %f
        p = at_frontier(s, p + 2)
        if not p then
          return nil
        end
      elseif code == 37 and following and following >= 48 and following <= 57 then -- %1
        s, p = same_again(s, following - 48), p + 2
        if not s then
          return nil
        end
      else
        local e = class_end(p)
        local suffix = byte(pattern, e)
        local is_there = s < text_end and set_at(p, e)[byte(text, s)]
        if not is_there then
          if suffix ~= 42 and suffix ~= 63 and suffix ~= 45 then
            return nil
          end
          p = e + 1
        elseif suffix == 63 then -- ?
          local found = step(s + 1, e + 1)
          if found then
            return found
          end
          p = e + 1
        elseif suffix == 43 then -- +
          return most_first(s + 1, p, e)
        elseif suffix == 42 then -- *
          return most_first(s, p, e)
        elseif suffix == 45 then -- -
          return least_first(s, p, e)
        else
          s, p = s + 1, e
        end
      end
    end
    return s
  end

  function step(s, p)
    if depth == 0 then
      error('pattern too complex', 0)
    end
    depth = depth - 1
    local found = try(s, p)
    depth = depth + 1
    return found
  end

  local first = is_anchored and 2 or 1
  for start = from, is_anchored and from or text_end do
    level = 0
    local after = step(start, first)
    if after then
      local captures = {}
      for index = 1, level do
        local length = lengths[index]
        if length == UNFINISHED then
          error('unfinished capture', 0)
        elseif length == POSITION then
          captures[index] = starts[index]
        else
          captures[index] = sub(text, starts[index], starts[index] + length - 1)
        end
      end
      return start, after - 1, unpack(captures, 1, level)
    end
  end
  return nil
end

-- Knuth, Morris and Pratt: each byte of the text is looked at once, however the needle repeats itself.
local function search_long(text, needle, from)
  local fallback, matched = { [1] = 0 }, 0
  for at = 2, #needle do
    while matched > 0 and byte(needle, matched + 1) ~= byte(needle, at) do
      matched = fallback[matched]
    end
    if byte(needle, matched + 1) == byte(needle, at) then
      matched = matched + 1
    end
    fallback[at] = matched
  end
  matched = 0
  for at = from, #text do
    while matched > 0 and byte(needle, matched + 1) ~= byte(text, at) do
      matched = fallback[matched]
    end
    if byte(needle, matched + 1) == byte(text, at) then
      matched = matched + 1
    end
    if matched == #needle then
      return at - matched + 1, at
    end
  end
  return nil
end

local function search_plain(text, needle, from)
  local size = #needle
  if size > #text - from + 1 then
    return nil
  elseif size > SHORT_NEEDLE then
    return search_long(text, needle, from)
  end
  local piece = QUICK_BYTES // size
  for at = from, #text, piece do
    local first, last = find(sub(text, at, at + piece + size - 2), needle, 1, true)
    if first then
      return at + first - 1, at + last - 1
    end
  end
  return nil
end

-- Where a search begins; nil where that is beyond the text.
local function place(text, init)
  local from = init == nil and 1 or tointeger(tonumber(init))
  if from < 0 then
    from = #text + from + 1
  end
  if from < 1 then
    from = 1
  end
  return from <= #text + 1 and from or nil
end

local function settled(text, pattern, from, ok, ...)
  if ok and (...) and longest[pattern] then
    longest[pattern] = longest_once_proven[pattern]
  end
  if ok or (...) ~= INTERRUPTED then
    return ok, ...
  end
  if longest[pattern] then
    interrupted[pattern] = #text - from
  end
  return pcall(search, text, pattern, from)
end

-- What `pcall(find, text, pattern, from)` would answer. Only `find` takes a lone `)` for plain text.
local function located(text, pattern, from, is_find)
  if is_plain(pattern) then
    if is_find or not find(pattern, ')', 1, true) then
      return true, search_plain(text, pattern, from)
    end
    return pcall(search, text, pattern, from)
  elseif #pattern > MAX_PATTERN then
    return false, 'pattern too complex'
  end
  local shortest = interrupted[pattern]
  if shortest and #text - from >= shortest then
    return pcall(search, text, pattern, from)
  end
  return settled(text, pattern, from, pcall(find, text, pattern, from))
end

local function text_of(value, index, name)
  if type(value) == 'string' then
    return value
  elseif type(value) == 'number' then
    return tostring(value)
  end
  error('bad argument #' .. index .. " to '" .. name .. "' (string expected, got " .. type(value) .. ')', 3)
end

local function check_init(init, name)
  if init ~= nil and not tointeger(tonumber(init)) then
    local why = tonumber(init) and 'number has no integer representation' or 'number expected, got ' .. type(init)
    error("bad argument #3 to '" .. name .. "' (" .. why .. ')', 3)
  end
end

local function found(ok, ...)
  if ok then
    return ...
  end
  error((...), 2)
end

local function captured(text, ok, first, last, ...)
  if not ok then
    error(first, 2)
  elseif first == nil then
    return nil
  elseif select('#', ...) == 0 then
    return sub(text, first, last)
  end
  return ...
end

function string.find(text, pattern, init, plain)
  if type(text) ~= 'string' or type(pattern) ~= 'string' then
    text, pattern = text_of(text, 1, 'find'), text_of(pattern, 2, 'find')
  end
  if init ~= nil and math_type(init) ~= 'integer' then
    check_init(init, 'find')
  end
  if #text <= (longest[pattern] or learn(pattern)) then
    return find(text, pattern, init, plain)
  end
  local from = place(text, init)
  if not from then
    return nil
  elseif plain then
    return search_plain(text, pattern, from)
  end
  return found(located(text, pattern, from, true))
end

function string.match(text, pattern, init)
  if type(text) ~= 'string' or type(pattern) ~= 'string' then
    text, pattern = text_of(text, 1, 'match'), text_of(pattern, 2, 'match')
  end
  if init ~= nil and math_type(init) ~= 'integer' then
    check_init(init, 'match')
  end
  if #text <= (longest[pattern] or learn(pattern)) then
    return match(text, pattern, init)
  end
  local from = place(text, init)
  if not from then
    return nil
  end
  return captured(text, located(text, pattern, from))
end

-- An empty match right after the one before is none.
function string.gmatch(text, pattern, init)
  text, pattern = text_of(text, 1, 'gmatch'), text_of(pattern, 2, 'gmatch')
  check_init(init, 'gmatch')
  if #text <= (longest[pattern] or learn(pattern)) then
    return gmatch(text, pattern, init)
  end
  if byte(pattern) == 94 then
    pattern = '%' .. pattern
  end
  local from, after, following = place(text, init), nil, nil
  local function taken(ok, first, last, ...)
    if not ok then
      error(first, 2)
    elseif first == nil then
      from = nil
      return nil
    elseif last + 1 == after then
      from = first + 1
      return following()
    end
    from, after = last + 1, last + 1
    if select('#', ...) == 0 then
      return sub(text, first, last)
    end
    return ...
  end
  function following()
    if not from or from > #text + 1 then
      return nil
    end
    return taken(located(text, pattern, from))
  end
  return following
end
