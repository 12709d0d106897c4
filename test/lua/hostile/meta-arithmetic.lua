-- ends: quarantined
local m = setmetatable({}, {__add = function(a, b) while true do end end})
return m + 1
