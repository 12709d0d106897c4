-- ends: quarantined
local function f() return 1 + f() end
while true do pcall(f) end
