-- ends: runs
pcall(load, ('local a '):rep(1000))
pcall(load, 'local function f() return ' .. ('x,'):rep(1000) .. 'x end')
pcall(load, ('goto a '):rep(5000))
enapter.log('done')
