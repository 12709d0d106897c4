-- ends: runs
if io or _G['io'] or package.loaded.io then enapter.log('ESCAPED') end
enapter.log('done')
