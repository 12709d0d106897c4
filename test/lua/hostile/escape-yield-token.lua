-- ends: runs
-- The marks between our coroutines and the host must not leak through equality tests.
local stolen
local thief = setmetatable({}, {__eq = function(_, other) stolen = other return true end})
coroutine.wrap(function() return thief end)()
coroutine.wrap(function() coroutine.yield(thief) end)()
if stolen then enapter.log('ESCAPED') end
enapter.log('done')
