-- ends: runs
local co = coroutine.create(function()
  local x <close> = setmetatable({}, {__close = function() while true do end end})
  coroutine.yield()
end)
coroutine.resume(co)
if coroutine.close(co) then enapter.log('ESCAPED') end
enapter.log('done')
