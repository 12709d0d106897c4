-- ends: runs
for _, open in ipairs({'(', '{', 'do ', 'if x then ', 'function f() ', 'while x do ', '-', 'not ', 'a[', 'f{'}) do
  pcall(load, 'return ' .. open:rep(2000))
  pcall(load, open:rep(2000))
end
enapter.log('done')
