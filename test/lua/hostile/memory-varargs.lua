-- ends: stopped
local function grow(...) return grow(..., ...) end
local function double(...) return double(1, ...) end
double()
