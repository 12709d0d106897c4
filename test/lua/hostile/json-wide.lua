-- ends: runs
pcall(json.decode, '[' .. ('1,'):rep(5e3) .. '1]')
enapter.log('done')
