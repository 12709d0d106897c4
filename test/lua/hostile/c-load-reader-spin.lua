-- ends: quarantined
return load(function() while true do end end)
