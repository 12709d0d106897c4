-- ends: failed
return ('x'):gsub('.', function() system.delay(1) end)
