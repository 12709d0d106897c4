-- ends: quarantined
for i = 1, math.huge do end
