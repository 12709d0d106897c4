-- ends: quarantined
local t = table.pack(('x'):rep(5000):byte(1, -1))
while true do select(-1, table.unpack(t)) end
