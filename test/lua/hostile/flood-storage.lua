-- ends: runs
for i = 1, 1200 do storage.write('k' .. i, 'x') end
if storage.read('k1100') then enapter.log('ESCAPED') end
enapter.log('done')
