-- ends: quarantined
local s = ('x'):rep(5000)
while true do select('#', s:byte(1, -1)) end
