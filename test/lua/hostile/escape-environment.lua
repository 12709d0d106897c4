-- ends: runs
local ok, result = pcall(load('return io or os.execute or debug', 'x', 't', {os = {}}))
if result then enapter.log('ESCAPED') end
enapter.log('done')
