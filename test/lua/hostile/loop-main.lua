-- ends: quarantined
function enapter.main() repeat until false end
