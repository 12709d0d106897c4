-- ends: quarantined
scheduler.add(10, function() while true do end end)
