-- ends: runs
scheduler.add(10, function() for i = 1, 1000 do enapter.log('x') end end)
enapter.log('done')
