-- ends: failed
return ('x'):rep(math.maxinteger)
