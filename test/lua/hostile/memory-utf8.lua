-- ends: stopped
local t = {}
for i = 1, 200 do t[i] = i end
local s = ''
while true do s = s .. utf8.char(table.unpack(t)) end
