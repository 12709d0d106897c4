-- ends: runs
-- Nothing of the host may be reachable: only tables, functions of Lua, and plain values.
local seen, queue = {}, {_G, getmetatable('')}
while #queue > 0 do
  local value = table.remove(queue)
  if type(value) == 'userdata' then enapter.log('ESCAPED userdata') end
  if type(value) == 'table' and not seen[value] then
    seen[value] = true
    for k, v in pairs(value) do queue[#queue + 1] = k queue[#queue + 1] = v end
    queue[#queue + 1] = getmetatable(value)
  end
end
enapter.log('done')
