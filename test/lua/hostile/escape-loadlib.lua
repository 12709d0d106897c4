-- ends: runs
if package.loadlib or package.searchers or package.searchpath then enapter.log('ESCAPED') end
enapter.log('done')
