-- ends: quarantined
local function f() return f() end
f()
