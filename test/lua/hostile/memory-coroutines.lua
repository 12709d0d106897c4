-- ends: stopped
local t = {}
while true do
  local co = coroutine.create(function() coroutine.yield() end)
  coroutine.resume(co)
  t[#t + 1] = co
end
