-- ends: runs
local function f() return coroutine.wrap(f)() end
pcall(f)
enapter.log('done')
