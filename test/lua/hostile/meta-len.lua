-- ends: quarantined
return #setmetatable({}, {__len = function() while true do end end})
