-- ends: stopped
local t = table.pack(string.byte(('x'):rep(1e6), 1, -1))
