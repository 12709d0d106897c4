-- ends: quarantined
return ('a'):rep(60):find(('a?'):rep(60) .. ('a'):rep(60) .. 'b')
