-- ends: failed
Lua
