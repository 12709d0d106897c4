-- ends: quarantined
local function again(o) setmetatable(o, getmetatable(o)) end
for i = 1, 100 do setmetatable({}, {__gc = again}) end
while true do collectgarbage() end
