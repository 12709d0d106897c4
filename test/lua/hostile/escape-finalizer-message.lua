-- ends: runs
for i = 1, 100 do setmetatable({}, {__gc = function() error(setmetatable({}, {__tostring = error})) end}) end
collectgarbage()
enapter.log('done')
