-- ends: quarantined
while true do load('return 1')() end
