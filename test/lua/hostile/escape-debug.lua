-- ends: runs
if debug or package.loaded.debug or pcall(require, 'debug') then enapter.log('ESCAPED') end
enapter.log('done')
