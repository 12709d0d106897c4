-- ends: quarantined
for word in ('a'):rep(20000):gmatch('(a*a*a*)b') do end
