-- ends: quarantined
while true do pcall(require, 'nothing') end
