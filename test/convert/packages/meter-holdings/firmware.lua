function main()
  local code = rs485.init(9600, 8, 'N', 1)
  if code ~= 0 then
    enapter.log('line: ' .. code .. ' ' .. rs485.err_to_str(code), 'error')
    return
  end
  scheduler.add(30000, function() enapter.send_properties({ model = 'LM-1' }) end)
  scheduler.add(1000, telemetry)
end

function telemetry()
  local data, code = modbus.read_holdings(3, 100, 3, 1000)
  if data == nil then
    enapter.log('read failed: ' .. code .. ' ' .. modbus.err_to_str(code), 'error')
    enapter.send_telemetry({ status = 'no_answer', alerts = { 'no_answer' } })
    return
  end
  local watts = string.unpack('>i4', string.pack('>I2I2', data[2], data[3]))
  enapter.send_telemetry({ status = 'ok', alerts = {}, voltage = data[1] / 10, power = watts })
end

main()
