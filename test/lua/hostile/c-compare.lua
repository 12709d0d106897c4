-- ends: quarantined
local a, b = ('x'):rep(5e5) .. 'a', ('x'):rep(5e5) .. 'b'
while true do local less = a < b end
