-- ends: quarantined
while true do print('x') end
