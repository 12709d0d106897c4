-- ends: quarantined
while true do ('THE (quick) fox'):rep(1000):find('%f[%a]%a+%f[%A].-zzz') end
