-- ends: runs
table.sort({3, 2, 1}, function(a, b) system.delay(1) return a < b end)
enapter.log('done')
