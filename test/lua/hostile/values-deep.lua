-- ends: runs
local t = {}
local inner = t
for i = 1, 1e4 do inner.x = {} inner = inner.x end
enapter.send_telemetry({deep = t})
pcall(json.encode, t)
enapter.log('done')
