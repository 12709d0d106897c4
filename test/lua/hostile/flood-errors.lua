-- ends: runs
scheduler.add(10, function() error(('x'):rep(100000)) end)
enapter.log('done')
