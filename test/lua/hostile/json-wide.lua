-- ends: runs
pcall(json.decode, '[' .. ('1,'):rep(1.2e5) .. '1]')
enapter.log('done')
