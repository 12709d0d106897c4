-- ends: stopped
return load(function() return ' ' end)
