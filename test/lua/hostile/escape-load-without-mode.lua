-- ends: runs
local tricky = setmetatable({}, {__tostring = function() return 'b' end})
if load('\27Lua', 'x', tricky) then enapter.log('ESCAPED') end
enapter.log('done')
