-- ends: quarantined
return table.move({}, 1, 1e9, 2)
