-- ends: stopped
return ('x'):rep(1e9)
