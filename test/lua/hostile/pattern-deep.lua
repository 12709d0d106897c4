-- ends: runs
pcall(string.find, ('x'):rep(1000), ('(x?)'):rep(32))
pcall(string.find, 'x', ('('):rep(500))
pcall(string.find, 'x', ('x?'):rep(250))
enapter.log('done')
