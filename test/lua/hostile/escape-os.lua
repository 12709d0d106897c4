-- ends: runs
for _, name in ipairs({'execute', 'exit', 'remove', 'rename', 'tmpname', 'setlocale'}) do
  if os[name] then enapter.log('ESCAPED ' .. name) end
end
if os.getenv('PATH') then enapter.log('ESCAPED getenv') end
enapter.log('done')
