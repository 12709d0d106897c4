-- ends: runs
table.sort({3, 2, 1}, function(a, b) coroutine.wrap(function() system.delay(1) end)() return a < b end)
enapter.log('done')
