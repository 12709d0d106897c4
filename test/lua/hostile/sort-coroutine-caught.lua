-- ends: stopped
table.sort({3, 2, 1}, function() while true do pcall(coroutine.wrap(function() while true do pcall(function() while true do end end) end end)) end end)
