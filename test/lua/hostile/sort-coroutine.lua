-- ends: stopped
table.sort({3, 2, 1}, function() coroutine.wrap(function() while true do end end)() end)
