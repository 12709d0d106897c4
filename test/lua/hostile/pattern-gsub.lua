-- ends: quarantined
return ('a'):rep(100000):gsub('a-a-a-b', '')
