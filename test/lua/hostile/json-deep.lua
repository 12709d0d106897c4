-- ends: runs
pcall(json.decode, ('['):rep(1e5) .. (']'):rep(1e5))
pcall(json.decode, ('{"a":'):rep(1e5))
enapter.log('done')
