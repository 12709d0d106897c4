-- ends: quarantined
local m = setmetatable({}, {__concat = function() while true do end end})
return m .. 'x'
