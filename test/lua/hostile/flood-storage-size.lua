-- ends: runs
local why = storage.write('k', ('x'):rep(1e6))
if not why then enapter.log('ESCAPED') end
storage.write(('k'):rep(1e5), 'x')
enapter.log('done')
