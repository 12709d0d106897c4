-- ends: quarantined
return ('('):rep(200000):gsub('%b()', '')
