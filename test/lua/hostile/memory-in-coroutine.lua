-- ends: runs
local ok, why = coroutine.resume(coroutine.create(function() local t = {} for i = 1, 1e9 do t[i] = {} end end))
if ok then enapter.log('ESCAPED') end
enapter.log('done')
