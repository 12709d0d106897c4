-- ends: runs
for i = 1, 1e4 do configuration.after_write('bucket', function() while true do end end) end
enapter.log('done')
