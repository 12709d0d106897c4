-- ends: quarantined
return table.insert(setmetatable({}, {__len = function() return 1e9 end}), 1, 'x')
