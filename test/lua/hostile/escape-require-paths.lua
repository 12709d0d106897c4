-- ends: runs
package.path = '/?;/etc/?'
for _, name in ipairs({'../../../etc/passwd', '/etc/passwd', 'passwd', '....etc.passwd', '..', '', 'a\0b', ('x/'):rep(200)}) do
  if pcall(require, name) then enapter.log('ESCAPED ' .. name) end
end
enapter.log('done')
