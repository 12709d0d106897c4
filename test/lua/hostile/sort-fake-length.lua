-- ends: stopped
table.sort(setmetatable({}, {__len = function() return 2147483646 end, __index = function(_, i) return -i end}))
