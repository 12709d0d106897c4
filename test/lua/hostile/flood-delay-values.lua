-- ends: runs
for _, ms in ipairs({-1, 0, 0/0, -math.huge, math.mininteger}) do system.delay(ms) end
enapter.log('done')
