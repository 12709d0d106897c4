-- ends: runs
package.cpath = '/usr/lib/?.so'
if pcall(require, 'socket') or pcall(require, 'lfs') or pcall(require, 'cjson') then enapter.log('ESCAPED') end
enapter.log('done')
