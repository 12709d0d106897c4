-- ends: quarantined
local t = {}
for i = 1, 5e4 do t[i] = i end
for i = 1, 5e4 do t[i] = nil end
while true do next(t) end
