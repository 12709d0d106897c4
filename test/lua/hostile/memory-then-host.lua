-- ends: runs
local t = {}
pcall(function() for i = 1, 1e9 do t[i] = ('y'):rep(1000000) .. i end end)
t = nil
collectgarbage()
enapter.send_telemetry({ok = true})
enapter.log('done')
