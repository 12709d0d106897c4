-- ends: runs
('x'):gsub('.', function() system.delay(1) end)
enapter.log('done')
