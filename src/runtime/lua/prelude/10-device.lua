-- What the host offers every script: enapter (also as `device`), scheduler, configuration, storage, system.
local call, instant, set_play = ...

local error, getmetatable, pairs, rawequal = error, getmetatable, pairs, rawequal
local setmetatable, tostring, type = setmetatable, tostring, type

local function expect(value, wanted, place)
  if type(value) ~= wanted then
    error('bad argument ' .. place .. ' (' .. wanted .. ' expected, got ' .. type(value) .. ')', 3)
  end
end

-- A plain table is passed on as it is and shown as JSON, everything else is passed on as text.
local function table_or_text(value)
  local meta = type(value) == 'table' and getmetatable(value)
  if type(value) == 'table' and not (type(meta) == 'table' and meta.__tostring) then
    return value
  end
  return tostring(value)
end

local handlers, jobs = {}, {}
local connection_callback

enapter = {}
device = enapter

function enapter.send_telemetry(values)
  if type(values) ~= 'table' then
    return 'telemetry must be a table, not ' .. type(values)
  end
  return instant('telemetry', values)
end

function enapter.send_properties(values)
  if type(values) ~= 'table' then
    return 'properties must be a table, not ' .. type(values)
  end
  return instant('properties', values)
end

function enapter.log(text, severity, persist)
  instant('log', table_or_text(text), severity == nil and 'info' or tostring(severity), persist and true or false)
end

function enapter.register_command_handler(name, handler)
  expect(name, 'string', "#1 to 'register_command_handler'")
  expect(handler, 'function', "#2 to 'register_command_handler'")
  handlers[name] = handler
  instant('command.handled', name)
end

-- The configuration of this device, or of the child with this channel, and the functions to call after a write.
local function new_configuration(channel)
  local api, after_write = {}, {}
  function api.is_all_required_set(bucket)
    return instant('configuration.is_all_required_set', tostring(bucket), channel)
  end
  function api.read(bucket)
    return instant('configuration.read', tostring(bucket), channel)
  end
  function api.after_write(bucket, callback)
    expect(callback, 'function', "#2 to 'after_write'")
    bucket = tostring(bucket)
    after_write[bucket] = after_write[bucket] or {}
    after_write[bucket][#after_write[bucket] + 1] = callback
  end
  return api, after_write
end

local after_write
configuration, after_write = new_configuration()

-- Children by channel: devices that this one speaks for.
local children = {}
local about_child = { 'name', 'child_type', 'blueprint_id' }

function enapter.register_child(channel, about)
  expect(channel, 'string', "#1 to 'register_child'")
  if about ~= nil then
    expect(about, 'table', "#2 to 'register_child'")
  end
  local announced = {}
  for _, field in pairs(about_child) do
    announced[field] = about ~= nil and about[field] ~= nil and tostring(about[field]) or nil
  end
  local err = call('child.register', channel, announced)
  if err ~= nil then
    return nil, err
  end
  if children[channel] then
    return children[channel].api
  end
  local own = { api = {}, handlers = {} }
  own.api.configuration, own.after_write = new_configuration(channel)
  function own.api:send_telemetry(values)
    if type(values) ~= 'table' then
      return 'telemetry must be a table, not ' .. type(values)
    end
    return instant('telemetry', values, channel)
  end
  function own.api:send_properties(values)
    if type(values) ~= 'table' then
      return 'properties must be a table, not ' .. type(values)
    end
    return instant('properties', values, channel)
  end
  function own.api:log(text, severity, persist)
    severity = severity == nil and 'info' or tostring(severity)
    instant('log', table_or_text(text), severity, persist and true or false, channel)
  end
  function own.api:register_command_handler(name, handler)
    expect(name, 'string', "#1 to 'register_command_handler'")
    expect(handler, 'function', "#2 to 'register_command_handler'")
    own.handlers[name] = handler
  end
  children[channel] = own
  return own.api
end

function enapter.on_connection_status_changed(callback)
  expect(callback, 'function', "#1 to 'on_connection_status_changed'")
  connection_callback = callback
end

function enapter.get_connection_status()
  return instant('is connected')
end

scheduler = {}
function scheduler.add(period, job)
  expect(period, 'number', "#1 to 'add'")
  expect(job, 'function', "#2 to 'add'")
  local id = instant('scheduler.add', period)
  jobs[id] = job
  return id
end

function scheduler.remove(id)
  if id ~= nil and jobs[id] then
    jobs[id] = nil
    instant('scheduler.remove', id)
  end
end

storage = {}
function storage.read(key)
  return instant('storage.read', tostring(key))
end
function storage.write(key, text)
  return call('storage.write', tostring(key), tostring(text))
end
function storage.remove(key)
  return call('storage.remove', tostring(key))
end

system = {}
function system.uptime()
  return instant('system.uptime')
end
function system.delay(ms)
  expect(ms, 'number', "#1 to 'delay'")
  call('delay', ms)
end

-- Ends a handler whose ctx.error was called.
local ENDED = setmetatable({}, {
  __tostring = function()
    return 'the command has ended with ctx.error'
  end,
})

-- Both `ctx.log(text)` and `ctx:log(text)`.
local function own_arguments(ctx, first, ...)
  if rawequal(ctx, first) then
    return ...
  end
  return first, ...
end

local function failure_of(message)
  if message == nil then
    return 'command failed'
  end
  return table_or_text(message)
end

set_play('command', function(name, arguments, channel)
  local child = channel ~= nil and children[channel]
  local handler = handlers[name]
  if channel ~= nil then
    handler = child and child.handlers[name]
  end
  if not handler then
    instant('command.error', "no handler is registered for the command '" .. name .. "'")
    return
  end
  local ctx = {}
  function ctx.error(...)
    instant('command.error', failure_of((own_arguments(ctx, ...))))
    error(ENDED, 0)
  end
  function ctx.log(...)
    local message, severity = own_arguments(ctx, ...)
    instant('command.log', table_or_text(message), severity)
  end
  return handler(ctx, arguments)
end)

set_play('job', function(id)
  if jobs[id] then
    jobs[id]()
  end
end)

set_play('configuration', function(bucket, channel)
  local functions = after_write
  if channel ~= nil then
    functions = children[channel] and children[channel].after_write or {}
  end
  for _, callback in pairs(functions[bucket] or {}) do
    callback()
  end
end)

set_play('connection', function(is_connected)
  if connection_callback then
    connection_callback(is_connected)
  end
end)
