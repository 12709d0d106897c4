-- ends: failed
while true do scheduler.add(0, function() end) end
