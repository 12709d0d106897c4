-- ends: quarantined
for i in ipairs(setmetatable({}, {__index = function(_, i) return i end})) do end
