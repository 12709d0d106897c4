-- ends: stopped
for i = 1, 1e9 do _G['global' .. i] = i end
