-- ends: runs
pcall(json.decode, ('9'):rep(1e5))
pcall(json.decode, '1e999999')
pcall(json.decode, '[' .. ('9'):rep(1e5) .. ']')
enapter.log('done')
