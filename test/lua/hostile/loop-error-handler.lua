-- ends: quarantined
local function handler() error('again') end
while true do xpcall(error, handler) end
