-- ends: runs
local chunk = load('\27Lua\x54\0\x19\x93\r\n\x1a\n\4\8\8xV')
if chunk then enapter.log('ESCAPED') chunk() end
enapter.log('done')
