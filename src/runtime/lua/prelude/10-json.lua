-- json.encode and json.decode. The host knows JSON. A document passes between the two as byte strings: a call for each
-- value would be slow, and one call for all of it would hold up other scripts. Packing is Lua, so it pauses.
--
-- A value is a letter and what follows it: n(il), t(rue), f(alse), i(nteger) of 64 bits, j of 32 bits, d(ouble), s(tring), [ and { with a count.
-- Keys are values, too.
local _, instant = ...

local byte, pack, unpack, concat = string.byte, string.pack, string.unpack, table.concat
local error, math_type, next, pcall, rawget = error, math.type, next, pcall, rawget
local rawlen, type = rawlen, type

local MAX_DEPTH = 100
local MAX_VALUES = 600000
local MAX_BYTES = 2097152
-- Items of a long list.
local LONG = 1000
-- Pieces that are packed before the host gets them: a millisecond of its work.
local PIECES = 1000

local function fail(text)
  error(text, 0)
end

local write

local function put(out, piece)
  local count = out.count + 1
  out[count], out.count = piece, count
end

-- Gives the host what is packed so far, between two values.
local function hand_over(out, is_last)
  local ok, text = instant('json.encode', concat(out, '', 1, out.count), out.is_first, is_last)
  if not ok then
    fail(text)
  end
  out.count, out.is_first = 0, false
  return text
end

-- `{nil, 'AA'}` is a list of two: a table is a list when it has no key beyond those of its array.
local function is_list(value, length)
  for key in next, value do
    if math_type(key) ~= 'integer' or key < 1 or key > length then
      return false
    end
  end
  return true
end

local function write_table(out, value, depth)
  if depth > MAX_DEPTH then
    fail('tables nested more than ' .. MAX_DEPTH .. ' deep, or in a circle')
  end
  local length = rawlen(value)
  if is_list(value, length) then
    put(out, pack('<c1I4', '[', length))
    for index = 1, length do
      write(out, rawget(value, index), depth)
    end
    return
  end
  local count = 0
  for _ in next, value do
    count = count + 1
  end
  put(out, pack('<c1I4', '{', count))
  for key, item in next, value do
    if type(key) == 'table' then
      fail('a table cannot be a key of a table that is passed on')
    end
    write(out, key, depth)
    write(out, item, depth)
  end
end

local function packed_number(value)
  if math_type(value) ~= 'integer' then
    return pack('<c1d', 'd', value)
  elseif value >= -0x80000000 and value < 0x80000000 then
    return pack('<c1i4', 'j', value)
  end
  return pack('<c1i8', 'i', value)
end

function write(out, value, depth)
  if out.count >= PIECES then
    hand_over(out, false)
  end
  out.values = out.values + 1
  if out.values > MAX_VALUES then
    fail('more than ' .. MAX_VALUES .. ' values in one document')
  end
  local kind = type(value)
  if kind == 'string' then
    out.bytes = out.bytes + #value
    if out.bytes > MAX_BYTES then
      fail('more than ' .. MAX_BYTES .. ' bytes of text in one document')
    end
    put(out, pack('<c1I4', 's', #value))
    put(out, value)
  elseif kind == 'number' then
    put(out, packed_number(value))
  elseif kind == 'table' then
    write_table(out, value, depth + 1)
  elseif kind == 'boolean' then
    put(out, value and 't' or 'f')
  elseif kind == 'nil' then
    put(out, 'n')
  else
    fail('a ' .. kind .. ' cannot be passed on')
  end
end

local function encoded(value)
  local out = { count = 0, values = 0, bytes = 0, is_first = true }
  write(out, value, 0)
  return hand_over(out, true)
end

local read

local function read_list(data, at)
  local count, list
  count, at = unpack('<I4', data, at)
  -- A long list is made in its full size: growing, it would need up to three times as much memory.
  list = count > LONG and instant('list', count) or {}
  for index = 1, count do
    list[index], at = read(data, at)
  end
  return list, at
end

local function read_map(data, at)
  local count, map, key = 0, {}, nil
  count, at = unpack('<I4', data, at)
  for _ = 1, count do
    key, at = read(data, at)
    map[key], at = read(data, at)
  end
  return map, at
end

function read(data, at)
  local letter = byte(data, at)
  at = at + 1
  if letter == 115 then
    return unpack('<s4', data, at)
  elseif letter == 106 then
    return unpack('<i4', data, at)
  elseif letter == 105 then
    return unpack('<i8', data, at)
  elseif letter == 100 then
    return unpack('<d', data, at)
  elseif letter == 123 then
    return read_map(data, at)
  elseif letter == 91 then
    return read_list(data, at)
  elseif letter == 110 then
    return nil, at
  end
  return letter == 116, at
end

json = {}

function json.encode(value)
  local ok, text = pcall(encoded, value)
  if not ok then
    error(text, 2)
  end
  return text
end

function json.decode(text)
  if type(text) ~= 'string' then
    error("bad argument #1 to 'decode' (string expected, got " .. type(text) .. ')', 2)
  end
  local ok, data = instant('json.decode', text)
  while ok == nil do
    ok, data = instant('json.decode')
  end
  if not ok then
    return nil, data
  end
  return (read(data, 1))
end
