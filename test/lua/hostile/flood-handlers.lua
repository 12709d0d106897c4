-- ends: stopped
for i = 1, 1e9 do enapter.register_command_handler('c' .. i, print) end
