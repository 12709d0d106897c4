-- ends: runs
package.searchers = {function() return function() return 'mine' end end}
if pcall(require, 'nothing') then enapter.log('ESCAPED') end
enapter.log('done')
