-- `table.sort`, `table.move` and `string.gsub` in Lua. Those of the library call functions of the script from C, and C
-- cannot be suspended: a long sort would hold up every other script, or have to be stopped. These pause like any other
-- code, and the functions that they call may wait for the host. `string.rep` copies large pieces instead of small ones.
local byte, concat, error, find = string.byte, table.concat, error, string.find
local match, pcall, select, sub = string.match, pcall, select, string.sub
local math_type, tointeger, tostring, type = math.type, math.tointeger, tostring, type
local quick_gsub, quick_move, quick_rep, quick_sort = string.gsub, table.move, string.rep, table.sort

-- Up to here the library's own functions are done in a fraction of a slice.
local QUICK_ITEMS = 1000
local QUICK_BYTES = 8192
-- Copies of a short text, which take some 20 ms. Beyond, the result needs more memory for a moment.
local QUICK_COPIES = 2000000
-- No script has so much memory.
local MAX_BYTES = 1 << 30
-- Parts shorter than this are sorted by insertion.
local SHORT = 12
-- Pieces of a result that are kept apart: one of each replacement would need far more memory than the text.
local PIECES = 1000

local ENDLESS = math.maxinteger
-- What the library's matcher fails with where the host has interrupted it (05-patterns.lua).
local INTERRUPTED = 'the script ran too long without giving way'

local function less(a, b)
  return a < b
end

local function insertion_sort(list, low, high, before)
  for last = low + 1, high do
    local at = last
    while at > low and before(list[at], list[at - 1]) do
      list[at], list[at - 1] = list[at - 1], list[at]
      at = at - 1
    end
  end
end

-- Puts what belongs before the middle element before it; answers where it ends up. Elements only ever change places, so
-- that none is lost when `before` fails.
local function partition(list, low, high, before)
  local middle = low + (high - low) // 2
  if before(list[middle], list[low]) then
    list[middle], list[low] = list[low], list[middle]
  end
  if before(list[high], list[middle]) then
    list[high], list[middle] = list[middle], list[high]
    if before(list[middle], list[low]) then
      list[middle], list[low] = list[low], list[middle]
    end
  end
  local pivot = list[middle]
  list[middle], list[high - 1] = list[high - 1], list[middle]
  local left, right = low, high - 1
  while true do
    repeat
      left = left + 1
      if left > high then
        error('invalid order function for sorting', 0)
      end
    until not before(list[left], pivot)
    repeat
      right = right - 1
      if right < low then
        error('invalid order function for sorting', 0)
      end
    until not before(pivot, list[right])
    if right < left then
      list[high - 1], list[left] = list[left], list[high - 1]
      return left
    end
    list[left], list[right] = list[right], list[left]
  end
end

local function quicksort(list, low, high, before)
  while high - low >= SHORT do
    local middle = partition(list, low, high, before)
    -- The smaller part first, so that the calls are nested some twenty deep at most.
    if middle - low < high - middle then
      quicksort(list, low, middle - 1, before)
      low = middle + 1
    else
      quicksort(list, middle + 1, high, before)
      high = middle - 1
    end
  end
  insertion_sort(list, low, high, before)
end

function table.sort(list, before)
  if type(list) ~= 'table' then
    error("bad argument #1 to 'sort' (table expected, got " .. type(list) .. ')', 2)
  end
  local count = #list
  if before == nil and count <= QUICK_ITEMS and type(list[1]) ~= 'table' then
    quick_sort(list)
  elseif before ~= nil and type(before) ~= 'function' then
    error("bad argument #2 to 'sort' (function expected, got " .. type(before) .. ')', 2)
  else
    quicksort(list, 1, count, before or less)
  end
end

-- 1e6 as 1000000. Anything else as it is: the library says what is wrong with it.
local function whole(value)
  return math_type(value) == 'float' and tointeger(value) or value
end

-- The library's words, with the name by which the script knows the function.
local function refused(name, fn, ...)
  local ok, result = pcall(fn, ...)
  if ok then
    return result
  end
  error(type(result) == 'string' and quick_gsub(result, "'%?'", "'" .. name .. "'", 1) or result, 2)
end

function table.move(from, first, last, to, target)
  first, last, to = whole(first), whole(last), whole(to)
  local are_integers = math_type(first) == 'integer' and math_type(last) == 'integer' and math_type(to) == 'integer'
  local into = target == nil and from or target
  -- The library refuses what is wrong. Without an overflow the difference is the number of elements.
  local count = are_integers and last - first + 1 or 0
  local is_right = are_integers and first > 0 and type(from) == 'table' and type(into) == 'table'
  if is_right and count <= QUICK_ITEMS and to <= ENDLESS - QUICK_ITEMS then
    return quick_move(from, first, last, to, into)
  elseif not is_right or to > ENDLESS - count + 1 then
    return refused('move', quick_move, from, first, last, to, into)
  elseif to > last or to <= first or from ~= into then
    for offset = 0, count - 1 do
      into[to + offset] = from[first + offset]
    end
  else
    for offset = count - 1, 0, -1 do
      into[to + offset] = from[first + offset]
    end
  end
  return into
end

function string.rep(text, count, separator)
  count = whole(count)
  if type(text) ~= 'string' or math_type(count) ~= 'integer' or (separator ~= nil and type(separator) ~= 'string') then
    return refused('rep', quick_rep, text, count, separator)
  end
  local piece = separator and text .. separator or text
  if #piece == 0 or count <= 0 then
    return ''
  elseif count > MAX_BYTES // #piece then
    return refused('rep', quick_rep, text, count, separator)
  elseif count <= QUICK_COPIES or #piece >= QUICK_BYTES then
    return quick_rep(text, count, separator)
  end
  local many = QUICK_BYTES // #piece
  local block = quick_rep(piece, many)
  return quick_rep(block, (count - 1) // many) .. quick_rep(piece, (count - 1) % many) .. text
end

-- The pieces of a replacement text: texts, and numbers of captures.
local function template_of(text)
  local pieces, at = {}, 1
  while true do
    local mark = find(text, '%', at, true)
    if not mark then
      pieces[#pieces + 1] = sub(text, at)
      return pieces
    end
    local what = sub(text, mark + 1, mark + 1)
    if what ~= '%' and not match(what, '%d') then
      error("invalid use of '%' in replacement string", 3)
    end
    pieces[#pieces + 1] = sub(text, at, mark - 1)
    pieces[#pieces + 1] = what == '%' and '%' or tointeger(what)
    at = mark + 2
  end
end

local function filled(template, whole, ...)
  local captures = select('#', ...)
  local texts = {}
  for index = 1, #template do
    local piece = template[index]
    if type(piece) ~= 'number' then
      texts[index] = piece
    elseif piece == 0 or (piece == 1 and captures == 0) then
      texts[index] = whole
    elseif piece > captures then
      error('invalid capture index %' .. piece .. ' in replacement string', 0)
    else
      texts[index] = tostring((select(piece, ...)))
    end
  end
  return concat(texts)
end

-- What is given to a function or looked up in a table: the captures, or without any the whole match.
local function replacement(with, whole, first, ...)
  local key = first == nil and whole or first
  local value
  if type(with) == 'function' then
    value = with(key, ...)
  else
    value = with[key]
  end
  if not value then
    return whole
  elseif type(value) ~= 'string' and type(value) ~= 'number' then
    error('invalid replacement value (a ' .. type(value) .. ')', 0)
  end
  return value
end

-- A match, and what takes its place. An empty match right after the one before is none.
local function settle(text, with, template, after, first, last, ...)
  if first == nil or (last < first and first == after) then
    return first, nil
  end
  local whole = sub(text, first, last)
  if template then
    return first, last, filled(template, whole, ...)
  end
  return first, last, replacement(with, whole, ...)
end

local function sliced_gsub(text, pattern, with, most)
  local template = type(with) == 'string' and template_of(with)
  local is_anchored = byte(pattern) == 94
  local parts, pieces, size, count = {}, {}, 0, 0
  local done, at, after = 0, 1, nil
  while count < most and at <= #text + 1 do
    local first, last, value = settle(text, with, template, after, find(text, pattern, at))
    if first == nil then
      break
    elseif last == nil then
      at = at + 1
    else
      if first > done + 1 then
        size = size + 1
        pieces[size] = sub(text, done + 1, first - 1)
      end
      size = size + 1
      pieces[size] = value
      if size >= PIECES then
        parts[#parts + 1] = concat(pieces, '', 1, size)
        size = 0
      end
      count, done, at, after = count + 1, last, last + 1, last + 1
    end
    if is_anchored then
      break
    end
  end
  if count == 0 then
    return text, 0
  end
  parts[#parts + 1] = concat(pieces, '', 1, size)
  parts[#parts + 1] = sub(text, done + 1)
  return concat(parts), count
end

local function text_of(value, place)
  if type(value) == 'string' then
    return value
  elseif type(value) == 'number' then
    return tostring(value)
  end
  error("bad argument #" .. place .. " to 'gsub' (string expected, got " .. type(value) .. ')', 3)
end

function string.gsub(text, pattern, with, most)
  local kind = type(with)
  text, pattern = text_of(text, 1), text_of(pattern, 2)
  if kind == 'number' then
    with, kind = tostring(with), 'string'
  elseif kind ~= 'function' and kind ~= 'table' and kind ~= 'string' then
    error("bad argument #3 to 'gsub' (string/function/table expected, got " .. kind .. ')', 2)
  end
  local limit = most == nil and ENDLESS or tointeger(most)
  if not limit then
    error("bad argument #4 to 'gsub' (number expected, got " .. type(most) .. ')', 2)
  elseif kind ~= 'string' or #text > QUICK_BYTES then
    return sliced_gsub(text, pattern, with, limit)
  end
  local ok, result, count = pcall(quick_gsub, text, pattern, with, limit)
  if not ok and result == INTERRUPTED then
    return sliced_gsub(text, pattern, with, limit)
  elseif not ok then
    error(result, 2)
  end
  return result, count
end
