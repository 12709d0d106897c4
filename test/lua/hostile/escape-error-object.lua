-- ends: failed
error(setmetatable({}, {__tostring = function() while true do end end, __index = function() error('again') end}))
