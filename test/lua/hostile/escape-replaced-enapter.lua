-- ends: runs
local log = enapter.log
enapter, device = 5, nil
log('done')
