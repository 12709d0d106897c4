local config = require('acme.ucm.config')
local client, address

function main()
  config.init({
    address = { type = 'string', required = true },
    unit_id = { type = 'number', default = 1 },
  }, { after_write = function() client = nil end })
  scheduler.add(1000, telemetry)
end

function telemetry()
  local values, err = config.read_all()
  if err then
    enapter.log('configuration: ' .. err, 'error')
    return
  end
  if not config.is_all_options_set(values) then
    enapter.send_telemetry({ status = 'not_configured', alerts = { 'not_configured' } })
    return
  end
  if client == nil or address ~= values.address then
    client, address = modbustcp.new(values.address), values.address
  end
  local data, code = client:read_holdings(values.unit_id, 10, 1, 500)
  if code == 0 then
    enapter.send_telemetry({ status = 'ok', alerts = {}, power = data[1] / 1000 })
  elseif code == 1 then
    client = nil
    enapter.send_telemetry({ status = 'lost', alerts = {} })
  elseif code == 13 then
    enapter.send_telemetry({ status = 'refused', alerts = {} })
  end
end

main()
