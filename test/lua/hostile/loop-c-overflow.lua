-- ends: runs
local function f(s) return (s:gsub('.', f)) end
pcall(f, 'x')
local function g() return pcall(g) end
g()
enapter.log('done')
