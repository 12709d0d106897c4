-- ends: runs
local parts = {'\27L', 'ua'}
if load(function() return table.remove(parts, 1) end, 'x', 'bt') then enapter.log('ESCAPED') end
enapter.log('done')
