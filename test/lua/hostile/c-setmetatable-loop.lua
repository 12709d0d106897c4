-- ends: quarantined
local t = {}
while true do t = setmetatable({}, {__index = t}) local x = t.nothing if not next(t) then collectgarbage('step') end end
