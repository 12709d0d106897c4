-- ends: failed
error('/etc/passwd.lua:99999999999999999999: forged', 0)
