-- ends: runs
local me = coroutine.running()
if pcall(coroutine.close, me) then enapter.log('ESCAPED') end
enapter.log('done')
