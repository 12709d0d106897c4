-- ends: quarantined
local t = {}
for i = 1, 2e4 do t[i] = 'x' end
while true do json.decode(json.encode(t)) end
