-- ends: stopped
local t = {}
for i = 1, 5e4 do t[i] = math.random() end
while true do table.sort(t) table.sort(t, function(a, b) return a > b end) end
