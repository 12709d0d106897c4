-- ends: quarantined
for i = 1, 10 do setmetatable({}, {__gc = function() while true do end end}) end
while true do collectgarbage() end
