-- ends: quarantined
while true do enapter.log(('x'):rep(10000)) end
