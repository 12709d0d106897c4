-- ends: quarantined
local s = ('9'):rep(5e5)
while true do tonumber(s) tonumber(s, 36) end
