-- ends: stopped
return ('x'):gsub('.', function() while true do end end)
