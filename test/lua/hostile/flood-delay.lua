-- ends: runs
function enapter.main() enapter.log('done') while true do system.delay(0) end end
