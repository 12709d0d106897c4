-- ends: runs
local t = {}
for i = 1, 200 do t[i] = i end
pcall(table.sort, t, function() return true end)
pcall(table.sort, t, function() return math.random() > 0.5 end)
enapter.log('done')
