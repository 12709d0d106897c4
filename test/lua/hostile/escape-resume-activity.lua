-- ends: runs
local me = coroutine.running()
local ok = coroutine.resume(me)
local other = coroutine.wrap(function() return coroutine.resume(me) end)
if ok or other() then enapter.log('ESCAPED') end
enapter.log('done')
