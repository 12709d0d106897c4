-- ends: failed
keep = setmetatable({}, {__gc = function() while true do end end})
error('over')
