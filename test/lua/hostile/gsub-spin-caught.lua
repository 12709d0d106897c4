-- ends: stopped
while true do pcall(string.gsub, 'x', '.', function() while true do end end) end
