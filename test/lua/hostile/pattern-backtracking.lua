-- ends: quarantined
return ('a'):rep(30000):find('.-.-.-.-b')
