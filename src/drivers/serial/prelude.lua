local call, _, _, module, port_of, problem = ...
local setmetatable, type, error, pcall = setmetatable, type, error, pcall
local pack, unpack = table.pack, table.unpack

local Serial
serial, Serial = module('serial')

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
