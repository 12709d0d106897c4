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
