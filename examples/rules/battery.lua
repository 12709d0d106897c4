-- What the roof has left over goes into the battery; people hear once when that begins.
local meter = enapter.device('meter')
local battery = enapter.device('battery')

scheduler.add(5000, function()
  local power, problem = meter.telemetry.avg('power', '1m')
  if power == nil then
    explain('waits: ' .. problem)
    return
  end
  if power < -200 then
    battery.claim('power', math.floor(power), { lease = '30s', reason = 'surplus of the roof' })
    explain('charges with ' .. math.floor(-power) .. ' W')
  else
    battery.release('power')
    explain('no surplus')
  end
end)

on({ device = 'battery', attribute = 'soc', above = 95, ['for'] = '1m' }, function()
  storage.write('full', tostring(tonumber(storage.read('full') or 0) + 1))
  notify('The battery is full')
end)
