-- ends: stopped
local parts = {}
for i = 1, 3e5 do parts[i] = '"' .. i .. '"' end
assert(load('return {' .. table.concat(parts, ',') .. '}'))()
assert(load('return {' .. (table.concat(parts, ',') .. ','):rep(3) .. '}'))()
