-- ends: stopped
local s = ('x'):rep(7e6)
return s:upper() .. s:lower() .. s:reverse()
