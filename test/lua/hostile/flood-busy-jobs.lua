-- ends: runs
for i = 1, 500 do scheduler.add(0, function() for j = 1, 1000 do end end) end
enapter.log('done')
