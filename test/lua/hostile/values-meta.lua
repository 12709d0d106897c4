-- ends: runs
enapter.send_telemetry(setmetatable({a = 1}, {__pairs = function() while true do end end, __index = function() while true do end end}))
enapter.log('done')
