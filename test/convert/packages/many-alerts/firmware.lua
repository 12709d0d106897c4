local round = 0
scheduler.add(1000, function()
  round = round + 1
  local alerts = {}
  if round % 2 == 1 then alerts = { 'E-01', '0002_hot' } end
  enapter.send_telemetry({ status = #alerts > 0 and 'error' or 'ok', alerts = alerts })
end)
