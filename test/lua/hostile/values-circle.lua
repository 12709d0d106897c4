-- ends: runs
local t = {}
t.t = t
enapter.send_telemetry({circle = t})
enapter.send_properties(t)
pcall(json.encode, t)
enapter.log('done')
