-- ends: runs
for i = 1, 100 do
  pcall(function() local x <close> = setmetatable({}, {__close = function() error('again') end}) error('first') end)
end
enapter.log('done')
