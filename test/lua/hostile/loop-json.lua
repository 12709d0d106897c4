-- ends: quarantined
while true do json.decode('[1,2,3]') end
