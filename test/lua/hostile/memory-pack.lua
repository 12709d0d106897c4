-- ends: stopped
return string.pack('s4', ('x'):rep(1e7)) .. string.pack('s4', ('x'):rep(1e7))
