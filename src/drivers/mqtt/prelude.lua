-- mqtt: a client that publishes, and keeps what arrives until the script takes it.
local call = ...
local setmetatable, error = setmetatable, error

local handles = setmetatable({}, { __mode = 'k' })
local Client = { __name = 'mqtt client' }
Client.__index = Client

local function handle_of(client)
  return handles[client] or error('call it with a colon: client:method(...)', 3)
end

local function problem(...)
  local _, err = call(...)
  return err
end

mqtt = {}

function mqtt.new(uri, options)
  local handle, err = call('mqtt.open', uri, options)
  if err ~= nil then
    return nil, err
  end
  local client = setmetatable({}, Client)
  handles[client] = handle
  return client
end

function Client:publish(topic, payload, options)
  return problem('mqtt.publish', handle_of(self), topic, payload, options)
end

function Client:subscribe(filter, options)
  return problem('mqtt.subscribe', handle_of(self), filter, options)
end

function Client:unsubscribe(filter, options)
  return problem('mqtt.unsubscribe', handle_of(self), filter, options)
end

-- Every message since the last time, oldest first, as { topic = ..., payload = ... }.
function Client:pop()
  return call('mqtt.take', handle_of(self))
end

function Client:drops_count()
  return call('mqtt.drops', handle_of(self))
end

function Client:is_connected()
  return call('mqtt.is_connected', handle_of(self))
end
