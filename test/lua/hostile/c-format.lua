-- ends: quarantined
while true do string.format('%99.99f', 1e308) string.format('%a %q', 0.1, ('\0'):rep(1e4)) end
