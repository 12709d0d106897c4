-- ends: quarantined
return table.remove(setmetatable({}, {__len = function() return 1e9 end}), 1)
