-- ends: stopped
local t = {}
for i = 1, 100 do t[i] = ('x'):rep(1e6) end
return table.concat(t)
