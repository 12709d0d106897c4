-- ends: runs
for i = 951, 1040 do storage.write('k' .. i, 'x') end
if not storage.read('k1000') or storage.read('k1001') then enapter.log('ESCAPED') end
enapter.log('done')
