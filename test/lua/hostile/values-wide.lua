-- ends: runs
local row, t = {}, {}
for i = 1, 50 do row[i] = i t[i] = row end
enapter.send_telemetry({wide = t})
pcall(json.encode, t)
enapter.log('done')
