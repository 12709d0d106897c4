-- The surplus of the roof, shared by two batteries.
local shares = require('shares')
local meter = enapter.device('meter')
local SIZES = { cellar = 10, garage = 5 }

scheduler.add(5000, function()
  local power = meter.telemetry.avg('power', '1m')
  if power == nil or power > -200 then
    return
  end
  for name, part in pairs(shares.of(power, SIZES)) do
    enapter.device(name).claim('power', part, { lease = '30s', reason = 'surplus of the roof' })
  end
end)
