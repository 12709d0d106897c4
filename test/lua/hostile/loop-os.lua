-- ends: quarantined
while true do os.date('%c', math.random(1e9)) pcall(os.date, '%', 1) pcall(os.time, {year = 1e308}) end
