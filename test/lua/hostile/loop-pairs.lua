-- ends: quarantined
while true do for k in pairs(_G) do end end
