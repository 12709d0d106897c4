-- modbus and sunspec: clients around a handle; the host speaks the protocol and knows the models.
local call = ...
local setmetatable, ipairs, error, type = setmetatable, ipairs, error, type

local handles = setmetatable({}, { __mode = 'k' })
local Client = {}
Client.__index = Client
Client.__name = 'modbus client'

local function handle_of(client, name)
  return handles[client] or error('call it with a colon: client:' .. name .. '(...)', 3)
end

modbus = {}

function modbus.new(connection_uri)
  local handle, err = call('modbus.open', connection_uri)
  if err ~= nil then
    return nil, err
  end
  local client = setmetatable({}, Client)
  handles[client] = handle
  return client
end

for _, name in ipairs({ 'coils', 'discrete_inputs', 'holdings', 'inputs' }) do
  Client['read_' .. name] = function(self, unit, register, count, timeout)
    return call('modbus.read', handle_of(self, 'read_' .. name), name, unit, register, count, timeout)
  end
end

for _, name in ipairs({ 'coil', 'holding', 'multiple_coils', 'multiple_holdings' }) do
  Client['write_' .. name] = function(self, unit, register, values, timeout)
    local _, err = call('modbus.write', handle_of(self, 'write_' .. name), name, unit, register, values, timeout)
    return err
  end
end

-- The numbers of a result are reachable by index, too: results[1][1] is results[1].data[1].
local function with_numbers(result)
  local data = result.data
  if data == nil then
    return result
  end
  return setmetatable(result, {
    __index = data,
    __len = function()
      return #data
    end,
  })
end

function Client:read(queries)
  local results, err = call('modbus.read_all', handle_of(self, 'read'), queries)
  if err ~= nil then
    return nil, err
  end
  for _, result in ipairs(results) do
    with_numbers(result)
  end
  return results
end

function Client:write(queries)
  return call('modbus.write_all', handle_of(self, 'write'), queries)
end

-- SunSpec: the models of a device, found once, and their values by name.
local units = setmetatable({}, { __mode = 'k' })
local Device = {}
Device.__index = Device
Device.__name = 'sunspec device'

sunspec = {}

function sunspec.find(client, unit, timeout)
  local handle = type(client) == 'table' and handles[client] or error('give a client of modbus.new', 2)
  local found, err = call('sunspec.find', handle, unit, timeout)
  if err ~= nil then
    return nil, err
  end
  units[found] = { handle = handle, unit = unit, timeout = timeout }
  return setmetatable(found, Device)
end

local function unit_of(device, name)
  return units[device] or error('call it with a colon: device:' .. name .. '(...)', 3)
end

-- The first of the models that the device has.
function Device:model(...)
  for _, id in ipairs({ ... }) do
    for _, model in ipairs(self.models) do
      if model.id == id then
        return model
      end
    end
  end
end

function Device:read(...)
  local own = unit_of(self, 'read')
  local model = self:model(...)
  if model == nil then
    return nil, 'the device has no such SunSpec model'
  end
  return call('sunspec.read', own.handle, own.unit, model, own.timeout)
end

function Device:write(id, values)
  local own = unit_of(self, 'write')
  local _, err = call('sunspec.write', own.handle, own.unit, id, values, own.timeout)
  return err
end

-- modbus.map: the registers of a device by name. The host plans the requests and converts the values.
local concat, find, match, next = table.concat, string.find, string.match, next
local pairs, require, tostring = pairs, require, tostring
local encode, enapter, scheduler, configuration = json.encode, enapter, scheduler, configuration

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
local function log_change(self, group, problem)
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
    log_change(self, group, err)
    return
  end
  log_change(self, group, reading.failures[1] and concat(reading.failures, '; '))
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
