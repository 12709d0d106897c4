-- ends: stopped
while true do pcall(tostring, setmetatable({}, {__tostring = function() while true do end end})) end
