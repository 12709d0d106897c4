-- ends: runs
local log, original = enapter.log, {}
for _, name in ipairs({'error', 'type', 'tostring', 'select', 'rawequal', 'setmetatable', 'pairs', 'load', 'pcall'}) do _G[name] = nil end
string.find, string.match, table.concat, table.insert, math.floor = nil, nil, nil, nil, nil
system.delay(1)
json.decode('{}')
log('done')
