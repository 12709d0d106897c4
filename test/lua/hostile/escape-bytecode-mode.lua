-- ends: runs
for _, mode in ipairs({'b', 'bt', 'tb', ''}) do
  if load('\27Lua', 'x', mode) then enapter.log('ESCAPED ' .. mode) end
end
enapter.log('done')
