local relay = require('acme.ucm.generics.rl6').new()
relay:setup('ABC123', 2)

scheduler.add(1000, function()
  local closed, err = relay:is_closed()
  if err then
    enapter.log('relay: ' .. err, 'error')
    enapter.send_telemetry({ status = 'error', alerts = { 'no_relay' } })
  else
    enapter.send_telemetry({ status = closed and 'ok' or 'error', alerts = {} })
  end
end)
