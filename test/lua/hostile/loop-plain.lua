-- ends: quarantined
while true do end
