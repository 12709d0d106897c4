-- ends: runs
if loadfile or dofile or loadstring then enapter.log('ESCAPED') end
enapter.log('done')
