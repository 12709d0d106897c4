-- The host of rules: what a script sees of its site. Everything else of the device host stays, except what only devices have.
-- Answers the function that runs the script again and again, for a rule with an interval.
local call, instant, set_play = ...

local ipairs, next, pairs, rawequal, select, setmetatable, tostring, type =
  ipairs, next, pairs, rawequal, select, setmetatable, tostring, type
local error, insert = error, table.insert
local log, add_job, remove_job = enapter.log, scheduler.add, scheduler.remove

for _, name in pairs({
  'device', 'configuration', 'modbus', 'sunspec', 'mqtt', 'serial', 'can', 'relay', 'digitalin', 'analogin',
  'digitalout', 'analogout',
  'rs485', 'rs232', 'ports',
}) do
  _G[name] = nil
  package.loaded[name] = nil
end

local interval
RULE_ID, TIMEZONE, interval = instant('rule')

-- The moment for which the script runs, and how many effects it has had since: a repeated run repeats no command and no message.
local due, effects

local function key_of_effect()
  if due then
    effects = effects + 1
    return due .. '-' .. effects
  end
end

-- Both `object.f(x)` and `object:f(x)`.
local function own(object, first, ...)
  if rawequal(object, first) then
    return ...
  end
  return first, ...
end

local function implemented(profiles)
  local found = {}
  for index, name in ipairs(profiles) do
    found[index] = name
    found[name] = true
  end
  return found
end

local function new_device(about)
  local id = about.id
  local object = { id = id, slug = about.slug, name = about.name, telemetry = {}, commands = {} }
  function object.online()
    return call('rule.online', id)
  end
  function object.implements(...)
    local wanted = own(object, ...)
    local fresh, problem = call('rule.device', id)
    if fresh == nil then
      return nil, problem
    end
    local found = implemented(fresh.implements)
    if wanted ~= nil then
      return found[wanted] == true
    end
    return found
  end
  function object.alerts()
    return call('rule.alerts', id)
  end
  function object.property(...)
    return call('rule.property', id, (own(object, ...)))
  end
  for _, name in ipairs({ 'now', 'avg', 'min', 'max', 'last', 'age', 'series' }) do
    object.telemetry[name] = function(...)
      return call('rule.' .. name, id, own(object.telemetry, ...))
    end
  end
  function object.commands.execute(...)
    local name, arguments = own(object.commands, ...)
    return call('rule.execute', id, name, arguments, key_of_effect())
  end
  function object.claim(...)
    local control, value, options = own(object, ...)
    return call('rule.claim', id, control, value, options)
  end
  function object.release(...)
    return call('rule.release', id, (own(object, ...)))
  end
  return object
end

enapter = {}

function enapter.log(text, severity)
  log(text, severity)
end

function enapter.device(name)
  local about, problem = call('rule.device', name)
  if about == nil then
    return nil, problem
  end
  return new_device(about)
end

function enapter.devices()
  local all, problem = call('rule.devices')
  if all == nil then
    return nil, problem
  end
  local devices = {}
  for index, about in ipairs(all) do
    devices[index] = new_device(about)
  end
  return devices
end

function explain(text)
  return call('rule.explain', tostring(text))
end
enapter.explain = explain

-- A message to people.
function notify(text, options)
  return call('rule.notify', tostring(text), options, key_of_effect())
end

tariff = {}
function tariff.at(time)
  return call('rule.tariff_at', time)
end
function tariff.cheapest(duration, window)
  return call('rule.tariff_cheapest', duration, window)
end

forecast = {}
function forecast.pv(duration, options)
  return call('rule.forecast_pv', duration, options)
end
function forecast.load(duration, options)
  return call('rule.forecast_load', duration, options)
end

-- Functions that wait for something, by the id of their trigger.
local waiting = {}

local function register(kind, trigger, fn, otherwise, options)
  if type(fn) ~= 'function' then
    error("bad argument #2 to '" .. kind .. "' (function expected, got " .. type(fn) .. ')', 3)
  end
  local id, problem = call('rule.' .. kind, trigger, type(otherwise) == 'function', options)
  if id == nil then
    return nil, problem
  end
  waiting[id] = { ['then'] = fn, ['else'] = otherwise }
  return id
end

function on(trigger, fn, otherwise)
  return register('on', trigger, fn, otherwise)
end

function schedule(times, fn, options)
  return register('schedule', times, fn, nil, options)
end

function off(id)
  waiting[id] = nil
  return call('rule.off', id)
end

set_play('trigger', function(id, branch, event)
  local is_wanted = call('rule.fired', event.id)
  local fn = waiting[id] and waiting[id][branch]
  if fn == nil or not is_wanted then
    return
  end
  local due_before, effects_before = due, effects
  due, effects = event.id, 0
  local _ <close> = setmetatable({}, {
    __close = function()
      due, effects = due_before, effects_before
    end,
  })
  fn(event)
end)

variables = {}
function variables.get(name)
  return call('rule.variable', name)
end
function variables.set(name, value)
  return call('rule.set_variable', name, value)
end

calendar = {}
function calendar.now(name)
  return call('rule.calendar_now', name)
end
function calendar.next(name)
  return call('rule.calendar_next', name)
end

if interval == nil then
  return nil
end

-- Jobs of one run end before the next one.
local jobs = {}
function scheduler.add(...)
  local id = add_job(...)
  insert(jobs, id)
  return id
end

return function(run)
  local function arm()
    local wait, at = instant('rule.next')
    local id
    id = add_job(wait, function()
      remove_job(id)
      for index = #jobs, 1, -1 do
        remove_job(jobs[index])
        jobs[index] = nil
      end
      if next(waiting) ~= nil then
        waiting = {}
        call('rule.off_all')
      end
      due, effects = tostring(at), 0
      -- Before the run: an error of it does not end the next ones.
      arm()
      run()
    end)
  end
  arm()
end
