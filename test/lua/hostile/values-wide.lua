-- ends: runs
local row, t = {}, {}
for i = 1, 250 do row[i] = i t[i] = row end
enapter.send_telemetry({wide = t})
pcall(json.encode, t)
enapter.log('done')
