-- ends: stopped
local s = ('x'):rep(4e6)
return string.format('%s%s%s%s%s%s', s, s, s, s, s, s)
