-- ends: stopped
return (''):rep(1e9, 'abc')
