-- serial, can, relay, digitalin, digitalout, analogin, analogout: clients around the name of a port.
local call, instant = ...
local setmetatable, ipairs, type, error, pcall = setmetatable, ipairs, type, error, pcall
local pack, unpack = table.pack, table.unpack

local ports = setmetatable({}, { __mode = 'k' })

local function port_of(client)
  return ports[client] or error('call it with a colon: client:method(...)', 3)
end

-- A module with new(uri), and the methods of its clients.
local function module(use)
  local Client = { __name = use .. ' client' }
  Client.__index = Client
  local library = {}
  function library.new(connection_uri)
    local port, err = call('port.open', use, connection_uri)
    if err ~= nil then
      return nil, err
    end
    local client = setmetatable({}, Client)
    ports[client] = port
    return client
  end
  return library, Client
end

-- Calls that answer nothing but what went wrong.
local function problem(...)
  local _, err = call(...)
  return err
end

local Serial, Can, Relay, DigitalIn, DigitalOut, AnalogIn, AnalogOut
serial, Serial = module('serial')
can, Can = module('can')
relay, Relay = module('relay')
digitalin, DigitalIn = module('digitalin')
digitalout, DigitalOut = module('digitalout')
analogin, AnalogIn = module('analogin')
analogout, AnalogOut = module('analogout')

-- serial

function Serial:read(count, timeout)
  return call('serial.read', port_of(self), count, timeout)
end

function Serial:write(data)
  return problem('serial.write', port_of(self), data)
end

function Serial:flush()
  return problem('serial.flush', port_of(self))
end

local depths = setmetatable({}, { __mode = 'k' })

-- The port is this device's until the action ends. One inside another is the same one.
function Serial:transaction(action)
  local port = port_of(self)
  local depth = depths[self] or 0
  if depth == 0 then
    local err = problem('serial.lock', port)
    if err ~= nil then
      return nil, err
    end
  end
  depths[self] = depth + 1
  local results = pack(pcall(action))
  depths[self] = depth
  if depth == 0 then
    problem('serial.unlock', port)
  end
  if results[1] then
    return unpack(results, 2, results.n)
  end
  -- What is no text is not a failure of the transaction but a way out of the handler.
  if type(results[2]) ~= 'string' then
    error(results[2], 0)
  end
  return nil, results[2]
end

-- can

can.DROP_OLDEST = 0
can.DROP_NEWEST = 1

local listeners = setmetatable({}, { __mode = 'k' })
local Monitor = { __name = 'can monitor' }
local Queue = { __name = 'can queue' }
Monitor.__index = Monitor
Queue.__index = Queue

local function listen(client, class, ids, size, policy)
  local port = port_of(client)
  local listener, err = call('can.listen', port, ids, size, policy)
  if err ~= nil then
    return nil, err
  end
  local object = setmetatable({}, class)
  ports[object] = port
  listeners[object] = listener
  return object
end

function Can:send(id, data)
  return problem('can.send', port_of(self), id, data)
end

function Can:monitor(ids)
  return listen(self, Monitor, ids, 1, can.DROP_OLDEST)
end

function Can:queue(ids, size, policy)
  return listen(self, Queue, ids, size, policy)
end

-- One entry per id, in their order; nil where nothing has arrived. It is made in its full size, up to the last frame: a
-- table that grows with gaps is no list to JSON.
function Monitor:pop(ids)
  local frames, err = call('can.take', port_of(self), listeners[self], ids)
  if err ~= nil then
    return nil, err
  end
  local last = 0
  for at, list in ipairs(frames) do
    if list[1] ~= nil then
      last = at
    end
  end
  local latest = instant('list', last)
  for at = 1, last do
    latest[at] = frames[at][1]
  end
  return latest
end

function Queue:pop(id)
  local frames, err = call('can.take', port_of(self), listeners[self], { id })
  if err ~= nil then
    return nil, err
  end
  return frames[1] or {}
end

function Queue:drops_count(id)
  return call('can.drops', port_of(self), listeners[self], id)
end

-- relay

function Relay:close()
  return problem('level.write', port_of(self), 'state', 1)
end

function Relay:open()
  return problem('level.write', port_of(self), 'state', 0)
end

function Relay:impulse(duration)
  return problem('level.impulse', port_of(self), duration)
end

function Relay:is_closed()
  local state, err = call('level.read', port_of(self), 'state')
  if err ~= nil then
    return false, err
  end
  return state == 1
end

-- digital and analog inputs and outputs

digitalin.LOW, digitalin.HIGH = 0, 1
digitalout.LOW, digitalout.HIGH = 0, 1

function DigitalIn:get_state()
  return call('level.read', port_of(self), 'state')
end

function DigitalIn:read_counter()
  return call('level.read', port_of(self), 'counter')
end

function DigitalIn:reset_counter()
  return problem('level.write', port_of(self), 'counter', 0)
end

function DigitalOut:get_state()
  return call('level.read', port_of(self), 'state')
end

function DigitalOut:set_state(state)
  return problem('level.write', port_of(self), 'state', state)
end

function AnalogIn:get_volts()
  return call('level.read', port_of(self), 'volts')
end

function AnalogIn:get_amps()
  return call('level.read', port_of(self), 'amps')
end

function AnalogIn:get_temperature()
  return call('level.read', port_of(self), 'temperature')
end

function AnalogOut:set_volts(volts)
  return problem('level.write', port_of(self), 'volts', volts)
end

function AnalogOut:set_amps(amps)
  return problem('level.write', port_of(self), 'amps', amps)
end
