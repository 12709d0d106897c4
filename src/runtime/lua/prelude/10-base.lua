-- What a script must not have goes, what Lua 5.3 had and 5.4 has not comes back.
local _, instant = ...

local collect, error, floor, load, math_type = collectgarbage, error, math.floor, load, math.type
local concat, insert, pairs, rawget, rawset, select = table.concat, table.insert, pairs, rawget, rawset, select
local tointeger, tostring, type = math.tointeger, tostring, type
local seed_random = math.randomseed

dofile, loadfile, warn = nil, nil, nil
string.dump = nil
_VERSION = 'Lua 5.3'
runtime_version = 'v3'

-- Text only: bytecode is not checked by Lua and can break out of it.
function _G.load(chunk, name, mode, ...)
  if type(mode) == 'string' and not mode:find('t', 1, true) then
    return nil, 'attempt to load a text chunk (mode is \'' .. mode .. '\')'
  end
  if type(chunk) == 'function' then
    local pieces, piece = {}, nil
    repeat
      piece = chunk()
      if piece ~= nil and type(piece) ~= 'string' then
        return nil, 'reader function must return a string'
      end
      insert(pieces, piece)
    until piece == nil or piece == ''
    chunk, name = concat(pieces), name or '=(load)'
  elseif type(chunk) ~= 'string' then
    error("bad argument #1 to 'load' (string expected, got " .. type(chunk) .. ')', 2)
  end
  return load(chunk, name, 't', ...)
end

function collectgarbage(what, ...)
  what = what == nil and 'collect' or what
  if what == 'collect' or what == 'count' or what == 'step' or what == 'isrunning' then
    return collect(what, ...)
  end
  return 0
end

function print(...)
  local texts = {}
  for index = 1, select('#', ...) do
    texts[index] = tostring((select(index, ...)))
  end
  instant('log', concat(texts, '\t'), 'debug', false)
end

function math.randomseed(...)
  local seed = ...
  if select('#', ...) == 0 then
    seed = instant('seed')
  elseif type(seed) ~= 'number' then
    error("bad argument #1 to 'randomseed' (number expected, got " .. type(seed) .. ')', 2)
  end
  if math_type(seed) == 'float' then
    seed = tointeger(floor(seed)) or 0
  end
  seed_random(seed)
end

local log, exp = math.log, math.exp
function math.pow(x, y)
  return x ^ y
end
function math.log10(x)
  return log(x, 10)
end
function math.ldexp(x, exponent)
  return x * 2.0 ^ exponent
end
function math.frexp(x)
  if x == 0 or x ~= x or x == math.huge or x == -math.huge then
    return x + 0.0, 0
  end
  local exponent = floor(log(x < 0 and -x or x, 2)) + 1
  local fraction = x / 2.0 ^ exponent
  if fraction >= 1 or fraction <= -1 then
    fraction, exponent = fraction / 2, exponent + 1
  elseif fraction < 0.5 and fraction > -0.5 then
    fraction, exponent = fraction * 2, exponent - 1
  end
  return fraction, exponent
end
function math.cosh(x)
  return (exp(x) + exp(-x)) / 2
end
function math.sinh(x)
  return (exp(x) - exp(-x)) / 2
end
function math.tanh(x)
  local e = exp(-2 * (x < 0 and -x or x))
  local y = (1 - e) / (1 + e)
  return x < 0 and -y or y
end

os = {}
function os.time(when)
  if when == nil then
    return instant('os.time')
  end
  if type(when) ~= 'table' then
    error("bad argument #1 to 'time' (table expected, got " .. type(when) .. ')', 2)
  end
  for _, field in pairs({ 'year', 'month', 'day' }) do
    if when[field] == nil then
      error("field '" .. field .. "' missing in date table", 2)
    end
  end
  local time, normal = instant('os.time', {
    year = tointeger(when.year), month = tointeger(when.month), day = tointeger(when.day),
    hour = tointeger(when.hour or 12), min = tointeger(when.min or 0), sec = tointeger(when.sec or 0),
  })
  for key, value in pairs(normal) do
    when[key] = value
  end
  return time
end
function os.date(format, time)
  return instant('os.date', format == nil and '%c' or tostring(format), time)
end
function os.clock()
  return instant('os.clock') + 0.0
end
function os.difftime(later, earlier)
  return later - (earlier or 0) + 0.0
end
function os.getenv()
  return nil
end
