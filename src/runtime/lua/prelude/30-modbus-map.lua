-- modbus.map: the registers of a device by name. The host plans the requests and converts the values.
local call = ...

local concat, error, ipairs, match, next = table.concat, error, ipairs, string.match, next
local pairs, require, setmetatable, tostring, type = pairs, require, setmetatable, tostring, type
local find, encode, enapter, scheduler, configuration = string.find, json.encode, enapter, scheduler, configuration

local inner = setmetatable({}, { __mode = 'k' })
local Map = {}
Map.__index = Map
Map.__name = 'modbus map'

local function own(map, name)
  return inner[map] or error('call it with a colon: map:' .. name .. '(...)', 3)
end

-- The map is a table, a text, or the file that the manifest names. Its connection may be given here instead.
function modbus.map(source, connection_uri)
  if type(source) == 'table' then
    source = encode(source)
  elseif type(source) == 'string' and not find(source, '\n', 1, true) then
    source = require(source)
  end
  local handle, about = call('modbus.map_open', source)
  if handle == nil then
    return nil, about
  end
  local map = setmetatable({}, Map)
  inner[map] = { handle = handle, about = about, uri = connection_uri }
  return map
end

local function connect(self)
  if self.is_connected then
    return
  end
  local values = {}
  for _, setting in ipairs(self.about.settings) do
    local bucket, name = match(setting, '^(.-)%.(.*)$')
    local read = configuration.read(bucket)
    if read ~= nil and read[name] ~= nil then
      values[setting] = tostring(read[name])
    end
  end
  local _, err = call('modbus.map_connect', self.handle, values, self.uri)
  self.is_connected = err == nil
  return err
end

local function read_group(self, group)
  local err = connect(self)
  if err ~= nil then
    return nil, err
  end
  return call('modbus.map_read', self.handle, group)
end

-- One group, or all of them.
function Map:read(group)
  self = own(self, 'read')
  if group ~= nil then
    return read_group(self, group)
  end
  local all = { telemetry = {}, properties = {}, alerts = {}, failures = {}, is_silent = false }
  for _, one in ipairs(self.about.groups) do
    local reading, err = read_group(self, one.name)
    if reading == nil then
      return nil, err
    end
    for _, part in ipairs({ 'telemetry', 'properties' }) do
      for name, value in pairs(reading[part]) do
        all[part][name] = value
      end
    end
    for _, failure in ipairs(reading.failures) do
      all.failures[#all.failures + 1] = failure
    end
    all.alerts, all.is_silent = reading.alerts, all.is_silent or reading.is_silent
  end
  return all
end

function Map:write(command, arguments)
  self = own(self, 'write')
  local err = connect(self)
  if err == nil then
    local _, problem = call('modbus.map_write', self.handle, command, arguments or {})
    return problem
  end
  return err
end

-- Says what is wrong when it changes, not each time.
local function tell(self, group, problem)
  if self.problems[group] == problem then
    return
  end
  self.problems[group] = problem
  if problem == nil then
    enapter.log('all registers can be read again')
  else
    enapter.log(problem, 'error', true)
  end
end

local function send_properties(self, read)
  local is_new = false
  for name, value in pairs(read) do
    if self.properties[name] ~= value then
      self.properties[name], is_new = value, true
    end
  end
  if is_new then
    enapter.send_properties(self.properties)
  end
end

local function poll(self, group)
  local reading, err = read_group(self, group)
  if reading == nil then
    tell(self, group, err)
    return
  end
  tell(self, group, reading.failures[1] and concat(reading.failures, '; '))
  self.silent[group] = reading.is_silent or nil
  local telemetry, alerts = reading.telemetry, reading.alerts
  if self.alert ~= nil and next(self.silent) ~= nil then
    alerts[#alerts + 1] = self.alert
  end
  if next(telemetry) ~= nil or self.alert ~= nil or alerts[1] ~= nil then
    telemetry.alerts = alerts
    enapter.send_telemetry(telemetry)
  end
  send_properties(self, reading.properties)
end

-- Reads each group at its interval, and handles the commands. `alert` is active while the device does not answer.
function Map:run(options)
  local map = self
  self = own(self, 'run')
  self.alert = type(options) == 'table' and options.alert or nil
  self.problems, self.silent, self.properties = {}, {}, {}
  for _, group in ipairs(self.about.groups) do
    local function job()
      poll(self, group.name)
    end
    scheduler.add(group.interval, job)
    -- The first time at once.
    local first
    first = scheduler.add(10, function()
      scheduler.remove(first)
      job()
    end)
  end
  for _, name in ipairs(self.about.commands) do
    enapter.register_command_handler(name, function(ctx, arguments)
      local err = map:write(name, arguments)
      if err ~= nil then
        ctx.error('cannot write: ' .. err)
      end
      return arguments
    end)
  end
  for _, setting in ipairs(self.about.settings) do
    configuration.after_write(match(setting, '^(.-)%.'), function()
      self.is_connected = false
    end)
  end
end
