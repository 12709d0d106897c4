-- ends: quarantined
for i = 1, 10 do setmetatable({}, {__gc = function() local t = {} for j = 1, 1e9 do t[j] = j end end}) end
while true do collectgarbage() end
