-- ends: failed
error('\0\255\27[2J' .. ('x'):rep(1000000))
