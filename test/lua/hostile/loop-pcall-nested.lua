-- ends: quarantined
local function deep(n) if n == 0 then while true do end end pcall(deep, n - 1) return deep(n) end
deep(150)
