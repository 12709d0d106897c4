-- ends: stopped
local s = ('x'):rep(10000)
return s:gsub('x', ('y'):rep(10000))
