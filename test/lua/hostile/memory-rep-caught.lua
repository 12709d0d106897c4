-- ends: quarantined
while true do pcall(string.rep, 'x', 15e6) end
