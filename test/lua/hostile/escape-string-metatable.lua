-- ends: runs
local meta = getmetatable('')
meta.__index = function(_, key) return function() error('hijacked ' .. key) end end
meta.__add = function() return 1e9 end
system.delay(1)
storage.write('a', 'b')
if storage.read('a') ~= 'b' then enapter.log('ESCAPED') end
enapter.log('done')
