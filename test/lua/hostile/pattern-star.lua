-- ends: quarantined
return ('a'):rep(5000):match(('a*'):rep(20) .. 'b')
