-- ends: quarantined
local meta = {__eq = function() while true do end end}
return setmetatable({}, meta) == setmetatable({}, meta)
