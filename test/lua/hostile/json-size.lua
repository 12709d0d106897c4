-- ends: runs
local ok = pcall(json.encode, ('x'):rep(5e5))
pcall(json.decode, '"' .. ('x'):rep(1e6))
enapter.log('done')
