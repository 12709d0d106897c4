-- ends: runs
local n = 0
for i = math.maxinteger - 1, math.maxinteger do n = n + 1 end
for i = 1, 0 do n = 100 end
if n ~= 2 then enapter.log('ESCAPED') end
enapter.log('done')
