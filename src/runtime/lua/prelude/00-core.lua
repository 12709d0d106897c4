-- Coroutines through which slices and calls to the host pass unseen, and the activities of a device.
-- Runs first, with `instant`; answers `call` and `play`. Uses only its own copies of what a script may replace.
local instant = ...

local close, create, resume, yield = coroutine.close, coroutine.create, coroutine.resume, coroutine.yield
local status, running, is_yieldable = coroutine.status, coroutine.running, coroutine.isyieldable
local error, rawequal, select, type = error, rawequal, select, type

-- First value of a yield that the script itself has made. Any other yield is for the host: nothing (the slice is used
-- up), or the name of a call and its arguments.
local YIELD = {}
-- What a call gets for an answer where it cannot be passed to the host.
local REFUSED = {}
-- Threads that the host has started.
local activities = setmetatable({}, { __mode = 'k' })

local settle

local function pass_on(co, ...)
  if is_yieldable() then
    return settle(co, resume(co, yield(...)))
  end
  if select('#', ...) == 0 then
    return settle(co, resume(co))
  end
  return settle(co, resume(co, REFUSED))
end

function settle(co, ok, ...)
  if not ok then
    return false, ...
  end
  if rawequal((...), YIELD) then
    return true, select(2, ...)
  end
  if status(co) == 'dead' then
    return true, ...
  end
  return pass_on(co, ...)
end

local function answered(first, ...)
  if rawequal(first, REFUSED) then
    error('attempt to yield across a C-call boundary', 3)
  end
  return first, ...
end

local function call(name, ...)
  return answered(yield(name, ...))
end

function coroutine.resume(co, ...)
  if type(co) ~= 'thread' then
    error("bad argument #1 to 'resume' (coroutine expected)", 2)
  end
  return settle(co, resume(co, ...))
end

function coroutine.yield(...)
  if activities[running()] then
    error('attempt to yield from outside a coroutine', 2)
  end
  return yield(YIELD, ...)
end

local function unwrapped(ok, ...)
  if ok then
    return ...
  end
  local message = ...
  if type(message) == 'string' then
    error(message, 2)
  end
  error(message, 0)
end

function coroutine.wrap(fn)
  if type(fn) ~= 'function' then
    error("bad argument #1 to 'wrap' (function expected)", 2)
  end
  local co = create(fn)
  return function(...)
    return unwrapped(settle(co, resume(co, ...)))
  end
end

-- A yield inside a __close that this runs would be taken for an error of it: it runs in one piece.
function coroutine.close(co)
  local state = type(co) == 'thread' and status(co) or type(co)
  if state ~= 'suspended' and state ~= 'dead' then
    error('cannot close a ' .. state .. ' coroutine', 2)
  end
  instant('closing', true)
  local ok, problem = close(co)
  instant('closing', false)
  return ok, problem
end

function coroutine.isyieldable()
  return is_yieldable() and not activities[running()]
end

function coroutine.running()
  local co = running()
  return co, activities[co] == true
end

-- Kind of activity to function; filled by the files that follow.
local plays = {}

local function play(kind, ...)
  activities[running()] = true
  return plays[kind](...)
end

return call, play, function(kind, fn)
  plays[kind] = fn
end
