-- ends: quarantined
while true do
  local co = coroutine.create(function() pcall(function() while true do end end) end)
  coroutine.resume(co)
end
