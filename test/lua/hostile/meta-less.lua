-- ends: quarantined
local meta = {__lt = function() while true do end end}
return setmetatable({}, meta) < setmetatable({}, meta)
