local call, instant, _, module, port_of, problem, share_port = ...
local setmetatable, ipairs = setmetatable, ipairs

local Can
can, Can = module('can')

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
  share_port(object, client)
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
