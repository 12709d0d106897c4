-- ends: quarantined
local t = {}
for i = 1, 5e4 do t[i] = {} end
while true do collectgarbage() end
