-- ends: stopped
local t = setmetatable({}, {__index = function() return '' end})
return table.concat(t, '', 1, 1e9)
