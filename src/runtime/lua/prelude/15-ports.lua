-- Clients around the name of a hardware port, for the drivers that come after.
local call = ...
local setmetatable, error = setmetatable, error

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

-- An object that belongs to a client, such as a queue of frames.
local function share_port(object, client)
  ports[object] = ports[client]
end

return module, port_of, problem, share_port
