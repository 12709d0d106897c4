-- ends: quarantined
local weak = setmetatable({}, {__mode = 'kv'})
while true do weak[{}] = {} end
