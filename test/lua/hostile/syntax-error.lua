-- ends: failed
this is not Lua
