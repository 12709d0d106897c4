-- ends: runs
-- A script's own yields must never be taken for calls to the host.
local co = coroutine.wrap(function()
  local answer = coroutine.yield('storage.write', 'key', 'stolen')
  coroutine.yield('delay', 1e9)
  return answer
end)
local name = co()
co('mine')
if name ~= 'storage.write' or storage.read('key') then enapter.log('ESCAPED') end
enapter.log('done')
