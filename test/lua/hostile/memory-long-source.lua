-- ends: stopped
local code = 'return ' .. ('1 + '):rep(3e6) .. '1'
return load(code)()
