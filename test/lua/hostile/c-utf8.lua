-- ends: quarantined
local s = ('ä'):rep(5e5)
while true do utf8.len(s) utf8.offset(s, 5e5) end
